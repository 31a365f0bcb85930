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
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ledger"
)

func TestSubmittedPromptsHaveATurn(t *testing.T) {
	inWorld(t, nil, nil, func(t *testing.T, w *world) {
		answer := make(chan struct{})
		w.model.Replies = append([]modeltest.Reply{{modeltest.Hold(answer), modeltest.Say("one")}}, answers("and more", "two", "three")...)
		s := w.session("")
		submit := func(text string, how agent.How) *agent.Turn {
			t.Helper()
			turn, err := s.Submit(t.Context(), state.Prompt{Blocks: say(text)}, how)
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
		if got, want := w.echoes(), []string{"first", "steered", "second", "third"}; !slices.Equal(got, want) {
			t.Errorf("shown are %q, want %q", got, want)
		}
	})
}

func TestPanicEndsItsTurn(t *testing.T) {
	inWorld(t, nil, nil, func(t *testing.T, w *world) {
		w.model.Replies = []modeltest.Reply{{modeltest.Do(func() { panic("a bug") })}, {modeltest.Say("two")}, {modeltest.Say("three")}}
		s := w.session("")
		turn, err := s.Submit(t.Context(), state.Prompt{Blocks: say("first")}, agent.Queue)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := turn.Result(); !errors.Is(err, transcript.ErrInternal) {
			t.Errorf("the turn ended with %v", err)
		}
		if end := w.prompt(s, "second"); end.Text != "two" {
			t.Errorf("the next turn ended as %+v", end)
		}
		if n := strings.Count(all(w.last()), "first"); n > 1 {
			t.Errorf("the prompt was sent %d times", n)
		}
	})
}

// The ledger calls its watchers on the read loop, which must not wait for the disk.
// Their records are still written before anyone relies on them.
func TestLedgerRecordsDoNotWaitForTheDisk(t *testing.T) {
	files := map[string]string{"f": "a\nb\nc\nd\n"}
	inWorld(t, files, []modeltest.Reply{{replace("f", "b", "x")}}, func(t *testing.T, w *world) {
		s := w.session("")
		wait := w.begin(s, "go")
		s.Cancel("")
		if _, err := wait(); err != nil {
			t.Fatal(err)
		}
		cs := w.ledger.List(s.ID(), "", ledger.Pending)
		unblock := agent.BlockLog(s)
		written := w.log()
		if _, err := w.ledger.Resolve(t.Context(), []ledger.Decision{{ChangeSetID: cs[0].ID, Action: ledger.Reject}}, ""); err != nil {
			t.Fatal(err)
		}
		if w.log() != written {
			t.Error("the blocked log was written")
		}
		unblock()
		if _, _, err := s.Replay(1); err != nil { // it reads the log
			t.Fatal(err)
		}
		if added := strings.TrimPrefix(w.log(), written); !strings.Contains(added, `"kind":"decisions"`) || !strings.Contains(added, cs[0].ID) {
			t.Errorf("added to the log is %q", added)
		}
	})
}

// log returns the text of the only session's log.
func (w *world) log() string {
	w.t.Helper()
	l := w.logs()
	if len(l) != 1 {
		w.t.Fatalf("%d logs", len(l))
	}
	b, err := os.ReadFile(l[0])
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

// A session's goroutine ends with the session, also if it could not be opened or
// created: otherwise the test's bubble would not end.
func TestSessionsLeaveNoGoroutineBehind(t *testing.T) {
	inWorld(t, nil, answers("one", "two", "three"), func(t *testing.T, w *world) {
		kept := w.session("")
		if _, err := w.agent.Create(t.Context(), agent.NewSession{ID: kept.ID(), Cwd: w.dir}); !errors.Is(err, transcript.ErrExists) {
			t.Errorf("made twice: %v", err)
		}
		w.prompt(kept, "first")
		released := w.session("")
		w.prompt(released, "second")
		deleted := w.session("")
		w.prompt(deleted, "third")
		if err := errors.Join(w.agent.Release(t.Context(), released.ID()), w.agent.Delete(t.Context(), deleted.ID())); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(w.logs()[0], os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(`{"at":"2000-01-01T00:00:00Z","kind":"proposals","event":{"changeSets":7}}` + "\n"); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		id := strings.TrimSuffix(w.logs()[0][strings.LastIndex(w.logs()[0], "Z-")+2:], ".jsonl")
		if err := w.agent.Release(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if _, err := w.agent.Session(t.Context(), id); err == nil {
			t.Error("a session with broken change sets was opened")
		}
		for _, s := range []*agent.Session{released, deleted} {
			s.Cancel("")
			s.ResumeQueue()
			if l, _ := s.Queue(); l != nil {
				t.Errorf("queued are %+v", l)
			}
			if _, err := s.Submit(context.Background(), state.Prompt{Blocks: say("late")}, agent.Queue); !errors.Is(err, transcript.ErrUnknownSession) {
				t.Errorf("a prompt for a closed session: %v", err)
			}
		}
	})
}
