package agent_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// The next process finds the queue as the user edited it, even if nothing of it was sent.
func TestAnEditedQueueSurvivesTheProcess(t *testing.T) {
	agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
		w.Model.Replies = append(holds(), agenttest.Answers("one")...)
		s := w.Session("")
		ended := queue(t.Context(), w, s, "second", "third", "fourth")
		l, _ := s.Queue()
		if len(l) != 3 {
			t.Fatalf("%d prompts are queued", len(l))
		}
		front := 0
		for _, e := range []agent.QueueEdit{
			{TurnID: l[0].TurnID, Blocks: agenttest.Say("zweitens")},
			{TurnID: l[1].TurnID, Remove: true},
			{TurnID: l[2].TurnID, Position: &front},
		} {
			if err := s.EditQueue(e); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.EditQueue(agent.QueueEdit{TurnID: l[1].TurnID, Remove: true}); !errors.Is(err, agent.ErrNotQueued) {
			t.Errorf("a removed prompt can be removed: %v", err)
		}
		if err := s.EditQueue(agent.QueueEdit{TurnID: l[0].TurnID, Blocks: []transcript.Block{}}); err == nil {
			t.Error("a prompt can become empty")
		}
		w.Stop()
		ended()
		w.Start()
		s, err := w.Agent.Session(t.Context(), s.ID())
		if err != nil {
			t.Fatal(err)
		}
		echoes(w)
		if err := s.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, want := echoes(w), []string{"first", "fourth", "zweitens"}; !slices.Equal(got, want) {
			t.Errorf("shown are %q, want %q", got, want)
		}
	})
}

// A prompt that was accepted in a free session may still have to wait for the user: a
// client that loads the session at the same time gets a queue that is paused.
func TestPromptLearnsThatItWaits(t *testing.T) {
	agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
		w.Model.Replies = append(holds(), agenttest.Answers("one", "two")...)
		s := w.Session("")
		ended := queue(t.Context(), w, s, "second")
		w.Stop()
		ended()
		w.Start()
		s, err := w.Agent.Session(t.Context(), s.ID())
		if err != nil {
			t.Fatal(err)
		}
		next := make(chan *agent.Turn, 1)
		restored, err := s.RestoreQueue(t.Context(), func(*state.Prompt) context.Context {
			go func() {
				turn, err := s.Submit(t.Context(), state.Prompt{Blocks: agenttest.Say("third")}, agent.Queue)
				if err != nil {
					t.Error(err)
				}
				next <- turn
			}()
			synctest.Wait()
			return t.Context()
		})
		if err != nil || len(restored) != 1 {
			t.Fatalf("restored are %v: %v", restored, err)
		}
		turn := <-next
		if turn == nil {
			return
		}
		if turn.Behind {
			t.Fatal("the prompt waits from the start")
		}
		<-turn.Waits()
		s.ResumeQueue()
		for _, turn := range []*agent.Turn{turn, restored[0]} {
			if _, err := turn.Result(); err != nil {
				t.Error(err)
			}
		}
	})
}
