package agent_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ledger"
)

func TestSubmittedPromptsHaveATurn(t *testing.T) {
	agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
		answer := make(chan struct{})
		w.Model.Replies = append([]modeltest.Reply{{modeltest.Hold(answer), modeltest.Say("one")}}, agenttest.Answers("and more", "two", "three")...)
		s := w.Session("")
		submit := func(text string, how agent.How) *agent.Turn {
			t.Helper()
			turn, err := s.Submit(t.Context(), state.Prompt{Blocks: agenttest.Say(text)}, how)
			if err != nil {
				t.Fatal(err)
			}
			return turn
		}
		first := submit("first", agent.Alone)
		second, steered, third := submit("second", agent.Queue), submit("steered", agent.Steer), submit("third", agent.Queue)
		removed := submit("removed", agent.Queue)
		synctest.Wait()
		for _, c := range []struct {
			turn     *agent.Turn
			position int
			behind   bool
		}{{first, 0, false}, {second, 0, true}, {steered, 0, true}, {third, 1, true}, {removed, 2, true}} {
			if c.turn.Position != c.position || c.turn.Behind != c.behind {
				t.Errorf("turn %s is at %d, behind: %v; want %d, %v", c.turn.ID, c.turn.Position, c.turn.Behind, c.position, c.behind)
			}
		}
		if !steered.Steers || steered.ID != first.ID || second.Steers {
			t.Errorf("the prompt steers %v the turn %s, not %s", steered.Steers, steered.ID, first.ID)
		}
		if end, err := steered.Result(); err != nil || end.TurnID != "" {
			t.Errorf("the prompt that steers has a turn of its own: %+v, %v", end, err)
		}
		removed.Cancel()
		if _, err := removed.Result(); !errors.Is(err, transcript.ErrCancelled) {
			t.Errorf("the cancelled prompt: %v", err)
		}
		close(answer)
		for _, turn := range []*agent.Turn{first, second, third} {
			if end, err := turn.Result(); err != nil || end.TurnID != turn.ID {
				t.Errorf("turn %s ended as %+v, %v", turn.ID, end, err)
			}
		}
		if got, want := echoes(w), []string{"first", "steered", "second", "third"}; !slices.Equal(got, want) {
			t.Errorf("shown are %q, want %q", got, want)
		}
	})
}

func TestPanicEndsItsTurn(t *testing.T) {
	agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
		w.Model.Replies = []modeltest.Reply{{modeltest.Do(func() { panic("a bug") })}, {modeltest.Say("two")}, {modeltest.Say("three")}}
		s := w.Session("")
		turn, err := s.Submit(t.Context(), state.Prompt{Blocks: agenttest.Say("first")}, agent.Queue)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := turn.Result(); !errors.Is(err, transcript.ErrInternal) {
			t.Errorf("the turn ended with %v", err)
		}
		if end := w.Prompt(s, "second"); end.Text != "two" {
			t.Errorf("the next turn ended as %+v", end)
		}
		if n := strings.Count(agenttest.TextOf(w.LastRequest()), "first"); n > 1 {
			t.Errorf("the prompt was sent %d times", n)
		}
	})
}

// The ledger calls its watchers on the read loop, which must not wait for the disk.
// Their records are still written before anyone relies on them.
func TestLedgerRecordsDoNotWaitForTheDisk(t *testing.T) {
	files := map[string]string{"f": "a\nb\nc\nd\n"}
	agenttest.InWorld(t, files, []modeltest.Reply{{agenttest.Replace("f", "b", "x")}}, func(t *testing.T, w *agenttest.World) {
		s := w.Session("")
		wait := w.Begin(s, "go")
		s.Cancel("")
		if _, err := wait(); err != nil {
			t.Fatal(err)
		}
		cs := w.Ledger.List(s.ID(), "", ledger.Pending)
		unblock := agent.BlockLog(s)
		written := logOf(w)
		if _, err := w.Ledger.Resolve(t.Context(), []ledger.Decision{{ChangeSetID: cs[0].ID, Action: ledger.Reject}}, ""); err != nil {
			t.Fatal(err)
		}
		if logOf(w) != written {
			t.Error("the blocked log was written")
		}
		unblock()
		if _, _, err := s.Replay(1); err != nil { // it reads the log
			t.Fatal(err)
		}
		if added := strings.TrimPrefix(logOf(w), written); !strings.Contains(added, `"kind":"decisions"`) || !strings.Contains(added, cs[0].ID) {
			t.Errorf("added to the log is %q", added)
		}
	})
}

// logOf returns the text of the only session's log.
func logOf(w *agenttest.World) string {
	w.T.Helper()
	l := logs(w)
	if len(l) != 1 {
		w.T.Fatalf("%d logs", len(l))
	}
	b, err := os.ReadFile(l[0])
	if err != nil {
		w.T.Fatal(err)
	}
	return string(b)
}

// A session's goroutine ends with the session, also if it could not be opened or
// created: otherwise the test's bubble would not end.
func TestSessionsLeaveNoGoroutineBehind(t *testing.T) {
	agenttest.InWorld(t, nil, agenttest.Answers("one", "two", "three"), func(t *testing.T, w *agenttest.World) {
		kept := w.Session("")
		if _, err := w.Agent.Create(t.Context(), agent.NewSession{ID: kept.ID(), Cwd: w.Dir}); !errors.Is(err, transcript.ErrExists) {
			t.Errorf("made twice: %v", err)
		}
		w.Prompt(kept, "first")
		released := w.Session("")
		w.Prompt(released, "second")
		deleted := w.Session("")
		w.Prompt(deleted, "third")
		if err := errors.Join(w.Agent.Release(t.Context(), released.ID()), w.Agent.Delete(t.Context(), deleted.ID())); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(logs(w)[0], os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(`{"at":"2000-01-01T00:00:00Z","kind":"proposals","event":{"changeSets":7}}` + "\n"); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		id := strings.TrimSuffix(logs(w)[0][strings.LastIndex(logs(w)[0], "Z-")+2:], ".jsonl")
		if err := w.Agent.Release(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Agent.Session(t.Context(), id); err == nil {
			t.Error("a session with broken change sets was opened")
		}
		for _, s := range []*agent.Session{released, deleted} {
			s.Cancel("")
			s.ResumeQueue()
			if l, _ := s.Queue(); l != nil {
				t.Errorf("queued are %+v", l)
			}
			if _, err := s.Submit(context.Background(), state.Prompt{Blocks: agenttest.Say("late")}, agent.Queue); !errors.Is(err, transcript.ErrUnknownSession) {
				t.Errorf("a prompt for a closed session: %v", err)
			}
		}
	})
}
