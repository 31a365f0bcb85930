package agent_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/idetest"
)

func create(path, text string) modeltest.Step {
	return agenttest.Call("write_file", map[string]any{"file_path": path, "content": text})
}

func TestAnInterruptedRewindIsUndone(t *testing.T) {
	closed := []string{"a.txt", "b.txt", "new.txt"} // in the order in which they are restored
	for done := range len(closed) + 2 {
		for _, scope := range []rewind.Scope{rewind.Files, rewind.Both} {
			t.Run(fmt.Sprintf("%s, after %d files", scope, done), func(t *testing.T) {
				files := map[string]string{"a.txt": "one\n", "b.txt": "one\n", "open.txt": "one\n"}
				replies := []modeltest.Reply{{edit("a.txt", "one", "two"), edit("b.txt", "one", "two"), edit("open.txt", "one", "two"), create("new.txt", "two\n")}, {modeltest.Say("done")}}
				agenttest.InWorld(t, files, replies, func(t *testing.T, w *agenttest.World) {
					w.Editor.Open(w.URI("open.txt"), "one\n")
					s := w.Session(policy.AutoEdit)
					w.Prompt(s, "change them")
					var first sync.Once
					reached, release := make(chan struct{}), make(chan struct{})
					w.Editor.OnEdit = func(int, ide.Edit) idetest.Answer {
						return idetest.Answer{Before: func() { first.Do(func() { close(reached); <-release }) }}
					}
					over := make(chan struct{})
					turn, old := lastTurn(w), w.Agent
					go func() {
						defer close(over)
						_, _ = s.Rewind(context.Background(), turn, scope, false) // the result is lost with the process
					}()
					<-reached
					fix := agent.BreakLog(s)
					agent.UnlockLog(s) // as when the process is killed
					for _, name := range closed[min(done, len(closed)):] {
						if err := os.WriteFile(filepath.Join(w.Dir, name), []byte("two\n"), 0o644); err != nil {
							t.Fatal(err)
						}
					}
					w.Start()
					text := "two\n"
					if done > len(closed) {
						text = "one\n" // it was restored
					}
					w.Editor.Open(w.URI("open.txt"), text)
					again, err := w.Agent.Session(t.Context(), s.ID())
					if err != nil {
						t.Fatal(err)
					}
					if got := w.ReadFile("a.txt") + w.ReadFile("b.txt") + w.ReadFile("new.txt") + w.Editor.Text(w.URI("open.txt")); got != "two\ntwo\ntwo\ntwo\n" {
						t.Errorf("the files hold %q", got)
					}
					if l, err := again.Prompts(); err != nil || len(l) != 1 {
						t.Errorf("the prompts are %+v, %v", l, err)
					}
					noAttempt(w, s)
					close(release)
					<-over
					fix()
					old.Close()
					synctest.Wait()
				})
			})
		}
	}
}

// noAttempt checks that the journal has no unfinished rewind.
func noAttempt(w *agenttest.World, s *agent.Session) {
	w.T.Helper()
	if _, err := os.Stat(attempt(w, s)); err == nil {
		w.T.Error("the rewind is not over")
	}
}

func attempt(w *agenttest.World, s *agent.Session) string {
	return filepath.Join(w.State, "checkpoints", s.ID(), "rewind.json")
}

func TestUndoingARewindKeepsTheUsersChanges(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(t *testing.T, w *agenttest.World) // after the kill
		want string
	}{
		{name: "nothing", do: func(*testing.T, *agenttest.World) {}, want: "two\n"},
		{name: "a file was changed", do: func(t *testing.T, w *agenttest.World) { put(w, t, "a.txt", "mine\n") }, want: "mine\n"},
		{name: "the session had forgotten the turn", want: "one\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			replies := []modeltest.Reply{{edit("a.txt", "one", "two"), edit("open.txt", "one", "two")}, {modeltest.Say("done")}}
			agenttest.InWorld(t, map[string]string{"a.txt": "one\n", "open.txt": "one\n"}, replies, func(t *testing.T, w *agenttest.World) {
				w.Editor.Open(w.URI("open.txt"), "one\n")
				s := w.Session(policy.AutoEdit)
				w.Prompt(s, "change it")
				var half []byte
				w.Editor.OnEdit = func(int, ide.Edit) idetest.Answer {
					half, _ = os.ReadFile(attempt(w, s))
					if c.do == nil {
						return idetest.Answer{}
					}
					return idetest.Answer{Refuse: ide.ErrRefused}
				}
				_, err := s.Rewind(t.Context(), lastTurn(w), rewind.Both, false)
				if (err == nil) != (c.do == nil) {
					t.Errorf("the rewind: %v", err)
				}
				noAttempt(w, s)
				w.Stop()
				if err := os.WriteFile(attempt(w, s), half, 0o600); err != nil {
					t.Fatal(err)
				}
				put(w, t, "a.txt", "one\n") // the part of the rewind that was done
				if c.do != nil {
					c.do(t, w)
				}
				w.Start()
				if _, err := w.Agent.Session(t.Context(), s.ID()); err != nil {
					t.Fatal(err)
				}
				if got := w.ReadFile("a.txt"); got != c.want {
					t.Errorf("a.txt holds %q, want %q", got, c.want)
				}
				if got := w.ReadFile("open.txt"); got != "one\n" { // it was never saved
					t.Errorf("open.txt holds %q", got)
				}
				noAttempt(w, s)
			})
		})
	}
}

func put(w *agenttest.World, t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.Dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
