package agent_test

import (
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// The session's log is locked, as if another process were in the middle of a turn.
func TestABusySessionCanBeForked(t *testing.T) {
	agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
		hold := make(chan struct{})
		w.Model.Replies = []modeltest.Reply{{modeltest.Say("One.")}, {modeltest.Hold(hold), modeltest.Say("Two.")}}
		theirs := w.Session(policy.Default)
		w.Prompt(theirs, "first")
		over := make(chan error, 1)
		begun := make(chan string, 1)
		go func() {
			_, err := theirs.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("second"), Begun: func(id string) { begun <- id }})
			over <- err
		}()
		running := <-begun
		synctest.Wait() // the prompt is in the log

		script := &modeltest.Script{Replies: []modeltest.Reply{{modeltest.Say("Elsewhere.")}}}
		other := agent.New(state.Options{
			Checkpoints: rewind.NewStore(filepath.Join(t.TempDir(), "checkpoints"), rewind.Git{}),
			Client:      nobody{}, Workspace: w.Workspace, Ledger: ledger.New(ledger.Options{Workspace: w.Workspace}), NewID: w.NewID,
			Store:   transcript.NewStore(filepath.Join(w.State, "sessions")),
			Choices: state.Choices{Generator: func(name string) (model.Generator, string, error) { return script, name, nil }},
		})
		defer other.Close()
		ours, err := other.Session(t.Context(), theirs.ID())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ours.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("third")}); !errors.Is(err, transcript.ErrBusy) {
			t.Errorf("a second writer got %v", err)
		}
		if _, err := other.Fork(t.Context(), theirs.ID(), running); !errors.Is(err, transcript.ErrBusy) {
			t.Errorf("forking in mid-turn gave %v", err)
		}
		copied, err := other.Fork(t.Context(), theirs.ID(), "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := copied.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("third")}); err != nil {
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
	agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
		s := w.Session(policy.AutoEdit)
		w.Trusted = false
		copied, err := w.Agent.Fork(t.Context(), s.ID(), "")
		if err != nil || copied.Info().Mode != policy.Default {
			t.Errorf("made %v, %v", copied, err)
		}
	})
}
