package agent_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ledger"
)

func logs(w *agenttest.World) []string {
	l, err := filepath.Glob(filepath.Join(w.State, "sessions", "*", "*"))
	if err != nil {
		w.T.Fatal(err)
	}
	return l
}

func TestASessionContinuesInAnotherProcess(t *testing.T) {
	agenttest.InWorld(t, nil, []modeltest.Reply{{modeltest.Say("one")}, {modeltest.Say("two")}, {modeltest.Say("three")}}, func(t *testing.T, w *agenttest.World) {
		a := w.Session("")
		w.Prompt(a, "first")
		first, tree := w.Agent, w.Workspace
		w.Start() // another process
		b, err := w.Agent.Session(t.Context(), a.ID())
		if err != nil {
			t.Fatal(err)
		}
		w.Prompt(b, "second")
		if err := b.Rename("a better title"); err != nil {
			t.Fatal(err)
		}
		seen := len(w.Updates)
		w.Prompt(a, "third")
		for _, want := range []string{"first", "one", "second", "two", "third"} {
			if n := strings.Count(agenttest.TextOf(w.LastRequest()), want); n != 1 {
				t.Errorf("the history holds %q %d times", want, n)
			}
		}
		next := w.Updates[seen-1].Seq + 1
		for i, u := range w.Updates[seen:] {
			_, echo := u.Event.(transcript.UserChunk)
			if u.Replay && echo && i > 0 { // the other process's first update is the prompt
				t.Errorf("update %d is a replay", u.Seq)
			}
			if !u.Replay && u.Seq != next {
				t.Errorf("update %d, want %d", u.Seq, next)
			}
			if !u.Replay {
				next++
			}
		}
		if got := a.Info(); got.Title != "a better title" || got.Turns != 3 {
			t.Errorf("the session is %+v", got)
		}
		first.Close()
		if err := tree.Snapshot().Tree().Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestADeletedSessionLeavesNothing(t *testing.T) {
	agenttest.InWorld(t, nil, []modeltest.Reply{{modeltest.Say("one")}}, func(t *testing.T, w *agenttest.World) {
		s := w.Session("")
		w.Prompt(s, "first")
		if err := w.Agent.Delete(t.Context(), s.ID()); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("again")}); !errors.Is(err, transcript.ErrUnknownSession) {
			t.Errorf("a prompt: %v", err)
		}
		for name, err := range map[string]error{"rename": s.Rename("x"), "mode": s.SetMode(policy.Plan), "load": s.Load(t.Context())} {
			if !errors.Is(err, transcript.ErrUnknownSession) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if l := logs(w); len(l) != 0 {
			t.Errorf("left are %v", l)
		}
	})
}

func TestDeletingASessionDeletesItsRecord(t *testing.T) {
	for _, open := range []bool{true, false} {
		t.Run(fmt.Sprintf("open %t", open), func(t *testing.T) {
			agenttest.InWorld(t, nil, []modeltest.Reply{{modeltest.Say("one")}}, func(t *testing.T, w *agenttest.World) {
				records := filepath.Join(w.State, "records")
				w.Stop()
				w.Options = func(o *state.Options) { o.RecordsDir = records }
				w.Start()
				s := w.Session("")
				w.Prompt(s, "first")
				mine, other := filepath.Join(records, s.ID()+".json"), filepath.Join(records, "other.json")
				for _, name := range []string{mine, other} {
					if err := errors.Join(os.MkdirAll(records, 0o700), os.WriteFile(name, []byte("[]"), 0o600)); err != nil {
						t.Fatal(err)
					}
				}
				if !open {
					w.Stop()
					w.Start()
				}
				if err := w.Agent.Delete(t.Context(), s.ID()); err != nil {
					t.Fatal(err)
				}
				if l, err := filepath.Glob(filepath.Join(records, "*")); err != nil || !slices.Equal(l, []string{other}) {
					t.Errorf("left are %v, %v", l, err)
				}
			})
		})
	}
}

func TestASessionIsNotDeletedUnderATurn(t *testing.T) {
	agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
		w.Model.Replies = []modeltest.Reply{{modeltest.Say("one"), modeltest.Hold(make(chan struct{}))}}
		s := w.Session("")
		wait := w.Begin(s, "first")
		if err := w.Agent.Delete(t.Context(), s.ID()); !errors.Is(err, transcript.ErrBusy) {
			t.Errorf("in this process: %v", err)
		}
		running, tree := w.Agent, w.Workspace
		w.Start()
		if err := w.Agent.Delete(t.Context(), s.ID()); !errors.Is(err, transcript.ErrBusy) {
			t.Errorf("in another process: %v", err)
		}
		if _, err := w.Agent.Session(t.Context(), s.ID()); err != nil {
			t.Fatal(err)
		}
		if err := w.Agent.Delete(t.Context(), s.ID()); !errors.Is(err, transcript.ErrBusy) {
			t.Errorf("in another process that has it open: %v", err)
		}
		running.Close()
		if end, err := wait(); err != nil || end.StopReason != transcript.StopCancelled {
			t.Errorf("%+v %v", end, err)
		}
		if err := tree.Snapshot().Tree().Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestUnrecordedEventsDoNotCount(t *testing.T) {
	agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
		s := w.Session("")
		var fix func()
		w.Model.Replies = []modeltest.Reply{
			{modeltest.Say("one")},
			{modeltest.Do(func() { fix = agent.BreakLog(s) }), modeltest.Say("lost"), agenttest.RunCommand("make")},
			{modeltest.Say("three")},
		}
		w.Prompt(s, "first")
		if _, err := s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("second")}); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("a turn that cannot be recorded ends with %v", err)
		}
		if n := len(w.Spawn.Started()); n != 0 {
			t.Errorf("%d commands ran unrecorded", n)
		}
		fix()
		w.Prompt(s, "third")
		if text := agenttest.TextOf(w.LastRequest()); strings.Contains(text, "lost") || !strings.Contains(text, "one") || !strings.Contains(text, "third") {
			t.Errorf("the history is %q", text)
		}
		w.CheckNumbers()
		c := &chaos{World: w, sessions: []*agent.Session{s}}
		c.checkReplay()
	})
}

// clumsy is a client that panics at every answer.
type clumsy struct{ frontend.Client }

func (c clumsy) Show(ctx context.Context, u transcript.Update) error {
	if _, ok := u.Event.(transcript.Text); ok {
		panic("oops")
	}
	return c.Client.Show(ctx, u)
}

func TestAClientThatPanicsStopsNothing(t *testing.T) {
	agenttest.InWorld(t, nil, []modeltest.Reply{{modeltest.Say("one")}}, func(t *testing.T, w *agenttest.World) {
		w.Stop()
		w.Options = func(o *state.Options) { o.Client = clumsy{w} }
		w.Start()
		if end := w.Prompt(w.Session(""), "first"); end.Text != "one" || kindsOf(w.Updates)[len(w.Updates)-1] != "TurnEnded" {
			t.Errorf("%+v, updates %v", end, kindsOf(w.Updates))
		}
	})
}

func TestATitleGivenBeforeTheFirstPromptIsKept(t *testing.T) {
	agenttest.InWorld(t, nil, []modeltest.Reply{{modeltest.Say("one")}, {modeltest.Say("two")}}, func(t *testing.T, w *agenttest.World) {
		s := w.Session("")
		if err := s.Rename(" my\n\x1b title "); err != nil {
			t.Fatal(err)
		}
		if err := s.SetModel("another-model"); err != nil {
			t.Fatal(err)
		}
		w.Prompt(s, "first")
		w.Stop()
		w.Start()
		s, err := w.Agent.Session(t.Context(), s.ID())
		if err != nil {
			t.Fatal(err)
		}
		if i := s.Info(); i.Title != "my title" || i.Model != "another-model" {
			t.Errorf("the session is %+v", i)
		}
	})
}

func TestADecisionBetweenTurnsIsSentOnce(t *testing.T) {
	agenttest.InWorld(t, map[string]string{"f": "a\n"}, []modeltest.Reply{{agenttest.Replace("f", "a", "b")}, {modeltest.Say("ok")}, {modeltest.Say("ok")}}, func(t *testing.T, w *agenttest.World) {
		s := w.Session("")
		wait := w.Begin(s, "go")
		s.Cancel("")
		if _, err := wait(); err != nil {
			t.Fatal(err)
		}
		cs := w.Ledger.List(s.ID(), "", ledger.Pending)
		if _, err := w.Agent.Resolve(t.Context(), []ledger.Decision{{ChangeSetID: cs[0].ID, Action: ledger.Accept}}, ""); err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			w.Stop()
			w.Start()
			s, err := w.Agent.Session(t.Context(), s.ID())
			if err != nil {
				t.Fatal(err)
			}
			w.Prompt(s, "and now?")
			if n := strings.Count(agenttest.TextOf(w.LastRequest()), "<edit_decisions>"); n != 1 {
				t.Errorf("after %d prompts the decision was sent %d times", i+1, n)
			}
		}
	})
}

func TestTheFocusOfAWithdrawnPromptIsSentAgain(t *testing.T) {
	agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
		w.Model.Replies = []modeltest.Reply{{modeltest.Hold(make(chan struct{}))}, {modeltest.Say("ok")}}
		w.Editor.Open(w.URI("a.go"), "package a\n")
		f := &frontend.Focus{Active: w.Workspace.Snapshot().Documents()[0].URI}
		s := w.Session("")
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			_, err := s.Prompt(ctx, state.Prompt{Blocks: agenttest.Say("never mind"), Focus: f})
			done <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if _, err := s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("go on"), Focus: f}); err != nil {
			t.Fatal(err)
		}
		if text := agenttest.TextOf(w.LastRequest()); !strings.Contains(text, "a.go") || !strings.Contains(text, w.Dir) || strings.Contains(text, "never mind") {
			t.Errorf("the model got %q", text)
		}
	})
}
