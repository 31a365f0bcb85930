package agent_test

import (
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// The session's log is locked, as if another process were in the middle of a turn.
func TestABusySessionCanBeForked(t *testing.T) {
	inWorld(t, nil, nil, func(t *testing.T, w *world) {
		hold := make(chan struct{})
		w.model.Replies = []modeltest.Reply{{modeltest.Say("One.")}, {modeltest.Hold(hold), modeltest.Say("Two.")}}
		theirs := w.session(policy.Default)
		w.prompt(theirs, "first")
		over := make(chan error, 1)
		begun := make(chan string, 1)
		go func() {
			_, err := theirs.Prompt(t.Context(), state.Prompt{Blocks: say("second"), Begun: func(id string) { begun <- id }})
			over <- err
		}()
		running := <-begun
		synctest.Wait() // the prompt is in the log

		script := &modeltest.Script{Replies: []modeltest.Reply{{modeltest.Say("Elsewhere.")}}}
		other := agent.New(state.Options{
			Client: nobody{}, Workspace: w.workspace, Ledger: ledger.New(ledger.Options{Workspace: w.workspace}), NewID: w.newID,
			Store:   transcript.NewStore(filepath.Join(w.state, "sessions")),
			Choices: state.Choices{Generator: func(name string) (model.Generator, string, error) { return script, name, nil }},
		})
		defer other.Close()
		ours, err := other.Session(t.Context(), theirs.ID())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ours.Prompt(t.Context(), state.Prompt{Blocks: say("third")}); !errors.Is(err, transcript.ErrBusy) {
			t.Errorf("a second writer got %v", err)
		}
		if _, err := other.Fork(t.Context(), theirs.ID(), running); !errors.Is(err, transcript.ErrBusy) {
			t.Errorf("forking in mid-turn gave %v", err)
		}
		copied, err := other.Fork(t.Context(), theirs.ID(), "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := copied.Prompt(t.Context(), state.Prompt{Blocks: say("third")}); err != nil {
			t.Fatal(err)
		}
		if got, want := dialogue(script.Requests()[0].Messages), "user: first\nmodel: One.\nuser: third"; got != want {
			t.Errorf("the copy went on with\n%s\nwant\n%s", got, want)
		}
		close(hold)
		if err := <-over; err != nil {
			t.Error(err)
		}
	})
}

func TestForkOfAnEmptySessionAfterTrustIsRevoked(t *testing.T) {
	inWorld(t, nil, nil, func(t *testing.T, w *world) {
		s := w.session(policy.AutoEdit)
		w.trusted = false
		copied, err := w.agent.Fork(t.Context(), s.ID(), "")
		if err != nil || copied.Info().Mode != policy.Default {
			t.Errorf("made %v, %v", copied, err)
		}
	})
}
