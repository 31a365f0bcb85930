package agent_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// Waiting for the release of a session blocks neither other sessions nor its holder.
func TestReleaseDoesNotBlockOtherSessions(t *testing.T) {
	agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
		answer := make(chan struct{})
		snapshot := modeltest.Say("<state_snapshot>\nSheep are counted.\n</state_snapshot>")
		w.Model.Replies = []modeltest.Reply{{modeltest.Say("Other.")}, {modeltest.Say("One.")}, {modeltest.Say("Two.")}, {modeltest.Hold(answer), snapshot}, {snapshot}}
		ask := func(s *agent.Session, text string) {
			t.Helper()
			if _, err := s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say(text)}); err != nil {
				t.Fatal(err)
			}
		}
		other := w.Session("")
		ask(other, "other")
		if err := w.Agent.Release(t.Context(), other.ID()); err != nil {
			t.Fatal(err)
		}
		s := w.Session("")
		ask(s, strings.Repeat("sheep ", 10_000))
		ask(s, strings.Repeat("sheep ", 10_000))

		var at sync.WaitGroup
		for _, do := range []func(context.Context) error{
			func(ctx context.Context) error { _, err := s.Compact(ctx, ""); return err },
			func(ctx context.Context) error { return w.Agent.Release(ctx, s.ID()) },
			func(ctx context.Context) error { _, err := w.Agent.Fork(ctx, s.ID(), ""); return err },
			func(ctx context.Context) error { return w.Agent.Release(ctx, s.ID()) },
		} {
			at.Go(func() {
				if err := do(t.Context()); err != nil && !errors.Is(err, transcript.ErrUnknownSession) {
					t.Error(err)
				}
			})
			synctest.Wait() // the first waits for the model, the others for the first
		}
		if _, err := w.Agent.Session(t.Context(), other.ID()); err != nil {
			t.Errorf("another session: %v", err)
		}
		close(answer)
		at.Wait()
	})
}
