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
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/idetest"
)

func create(path, text string) modeltest.Step {
	return call("write_file", map[string]any{"file_path": path, "content": text})
}

func TestAnInterruptedRewindIsUndone(t *testing.T) {
	closed := []string{"a.txt", "b.txt", "new.txt"} // in the order in which they are restored
	for done := range len(closed) + 2 {
		for _, scope := range []rewind.Scope{rewind.Files, rewind.Both} {
			t.Run(fmt.Sprintf("%s, after %d files", scope, done), func(t *testing.T) {
				files := map[string]string{"a.txt": "one\n", "b.txt": "one\n", "open.txt": "one\n"}
				replies := []modeltest.Reply{{edit("a.txt", "one", "two"), edit("b.txt", "one", "two"), edit("open.txt", "one", "two"), create("new.txt", "two\n")}, {modeltest.Say("done")}}
				inWorld(t, files, replies, func(t *testing.T, w *world) {
					w.editor.Open(w.uri("open.txt"), "one\n")
					s := w.session(policy.AutoEdit)
					w.prompt(s, "change them")
					var first sync.Once
					reached, release := make(chan struct{}), make(chan struct{})
					w.editor.OnEdit = func(int, ide.Edit) idetest.Answer {
						return idetest.Answer{Before: func() { first.Do(func() { close(reached); <-release }) }}
					}
					over := make(chan struct{})
					turn, old := w.lastTurn(), w.agent
					go func() {
						defer close(over)
						_, _ = s.Rewind(context.Background(), turn, scope, false) // the result is lost with the process
					}()
					<-reached
					fix := agent.BreakLog(s)
					agent.UnlockLog(s) // as when the process is killed
					for _, name := range closed[min(done, len(closed)):] {
						if err := os.WriteFile(filepath.Join(w.dir, name), []byte("two\n"), 0o644); err != nil {
							t.Fatal(err)
						}
					}
					w.start()
					text := "two\n"
					if done > len(closed) {
						text = "one\n" // it was restored
					}
					w.editor.Open(w.uri("open.txt"), text)
					again, err := w.agent.Session(t.Context(), s.ID())
					if err != nil {
						t.Fatal(err)
					}
					if got := w.file("a.txt") + w.file("b.txt") + w.file("new.txt") + w.editor.Text(w.uri("open.txt")); got != "two\ntwo\ntwo\ntwo\n" {
						t.Errorf("the files hold %q", got)
					}
					if l, err := again.Prompts(); err != nil || len(l) != 1 {
						t.Errorf("the prompts are %+v, %v", l, err)
					}
					w.noAttempt(s)
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
func (w *world) noAttempt(s *agent.Session) {
	w.t.Helper()
	if _, err := os.Stat(w.attempt(s)); err == nil {
		w.t.Error("the rewind is not over")
	}
}

func (w *world) attempt(s *agent.Session) string {
	return filepath.Join(w.state, "checkpoints", s.ID(), "rewind.json")
}

func TestUndoingARewindKeepsTheUsersChanges(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(t *testing.T, w *world) // after the kill
		want string
	}{
		{name: "nothing", do: func(*testing.T, *world) {}, want: "two\n"},
		{name: "a file was changed", do: func(t *testing.T, w *world) { w.put(t, "a.txt", "mine\n") }, want: "mine\n"},
		{name: "the session had forgotten the turn", want: "one\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			replies := []modeltest.Reply{{edit("a.txt", "one", "two"), edit("open.txt", "one", "two")}, {modeltest.Say("done")}}
			inWorld(t, map[string]string{"a.txt": "one\n", "open.txt": "one\n"}, replies, func(t *testing.T, w *world) {
				w.editor.Open(w.uri("open.txt"), "one\n")
				s := w.session(policy.AutoEdit)
				w.prompt(s, "change it")
				var half []byte
				w.editor.OnEdit = func(int, ide.Edit) idetest.Answer {
					half, _ = os.ReadFile(w.attempt(s))
					if c.do == nil {
						return idetest.Answer{}
					}
					return idetest.Answer{Refuse: ide.ErrRefused}
				}
				_, err := s.Rewind(t.Context(), w.lastTurn(), rewind.Both, false)
				if (err == nil) != (c.do == nil) {
					t.Errorf("the rewind: %v", err)
				}
				w.noAttempt(s)
				w.stop()
				if err := os.WriteFile(w.attempt(s), half, 0o600); err != nil {
					t.Fatal(err)
				}
				w.put(t, "a.txt", "one\n") // the part of the rewind that was done
				if c.do != nil {
					c.do(t, w)
				}
				w.start()
				if _, err := w.agent.Session(t.Context(), s.ID()); err != nil {
					t.Fatal(err)
				}
				if got := w.file("a.txt"); got != c.want {
					t.Errorf("a.txt holds %q, want %q", got, c.want)
				}
				if got := w.file("open.txt"); got != "one\n" { // it was never saved
					t.Errorf("open.txt holds %q", got)
				}
				w.noAttempt(s)
			})
		})
	}
}

func (w *world) put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
