package agent_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// echoes returns the user's texts shown since the last call.
func echoes(w *agenttest.World) (l []string) {
	for _, u := range w.Updates {
		if e, ok := u.Event.(transcript.UserChunk); ok {
			l = append(l, e.Block.Text)
		}
	}
	w.Updates = nil
	return l
}

// queue queues prompts behind a turn that does not end on its own, and returns a
// function that waits until the queue is empty.
func queue(ctx context.Context, w *agenttest.World, s *agent.Session, texts ...string) (ended func()) {
	w.T.Helper()
	waits := []func(){}
	wait := w.Begin(s, "first")
	waits = append(waits, func() { _, _ = wait() })
	for _, text := range texts {
		turn, err := s.Submit(ctx, state.Prompt{Blocks: agenttest.Say(text)}, agent.Queue)
		if err != nil {
			w.T.Fatal(err)
		}
		waits = append(waits, func() { <-turn.Done() })
	}
	synctest.Wait()
	return func() {
		for _, wait := range waits {
			wait()
		}
	}
}

// holds returns a reply that never arrives.
func holds() []modeltest.Reply { return []modeltest.Reply{{modeltest.Hold(make(chan struct{}))}} }

func TestQueuedPromptsSurviveTheProcess(t *testing.T) {
	for _, tt := range []struct {
		name string
		load bool // before the next prompt
	}{
		{"they are shown when the session is loaded", true},
		{"they are sent with the next prompt", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
				w.Model.Replies = append(holds(), agenttest.Answers("one", "two", "three")...)
				s := w.Session("")
				ended := queue(t.Context(), w, s, "second", "third")
				w.Stop()
				ended()
				echoes(w)
				open := func() {
					t.Helper()
					w.Start()
					var err error
					if s, err = w.Agent.Session(t.Context(), s.ID()); err != nil {
						t.Fatal(err)
					}
				}
				open()
				load := func(want ...string) {
					t.Helper()
					if err := s.Load(t.Context()); err != nil {
						t.Fatal(err)
					}
					if got := echoes(w); !slices.Equal(got, want) {
						t.Errorf("shown are %q, want %q", got, want)
					}
				}
				if tt.load {
					load("first", "second", "third")
					load("first", "second", "third")
				}
				end := w.Prompt(s, "fourth")
				w.CheckShown([]string{"second\nthird\nfourth"}, nil)
				echoes(w)
				load("first", "second", "third", "fourth")
				w.Stop()
				open()
				load("first", "second", "third", "fourth")
				w.Prompt(s, "fifth")
				if n := strings.Count(agenttest.TextOf(w.LastRequest()), "second"); n != 1 {
					t.Errorf("the model got it %d times", n)
				}
				if _, err := s.Rewind(t.Context(), end.TurnID, rewind.Conversation, false); err != nil {
					t.Fatal(err)
				}
				echoes(w)
				want := []string{"first"}
				if tt.load {
					want = []string{"first", "second", "third"}
				}
				load(want...)
				w.Prompt(s, "sixth")
				echoes(w)
				load(append(want, "sixth")...)
			})
		})
	}
}

func TestCancelledPromptIsNotQueued(t *testing.T) {
	agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
		w.Model.Replies = append(holds(), agenttest.Answers("one", "two")...)
		s := w.Session("")
		ctx, cancel := context.WithCancelCause(context.Background())
		ended := queue(ctx, w, s, "second")
		cancel(transcript.ErrCancelled)
		synctest.Wait()
		s.Cancel("")
		ended()
		w.Prompt(s, "third")
		w.CheckShown([]string{"third"}, []string{"second"})
		s = w.Reopen(s)
		w.Prompt(s, "fourth")
		w.CheckShown([]string{"fourth"}, []string{"second"})
	})
}

func TestForkHasNoQueuedPrompts(t *testing.T) {
	agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
		w.Model.Replies = slices.Concat(agenttest.Answers("zero"), holds(), agenttest.Answers("one", "two"))
		s := w.Session("")
		w.Prompt(s, "zeroth")
		ended := queue(t.Context(), w, s, "second")
		fork, err := w.Agent.Fork(t.Context(), s.ID(), "")
		if err != nil {
			t.Fatal(err)
		}
		w.Prompt(fork, "third")
		w.CheckShown([]string{"zeroth", "third"}, []string{"second"})
		s.Cancel("")
		ended()
		w.CheckShown([]string{"zeroth", "second"}, []string{"third"})
	})
}

func TestPromptThatCannotBeRecordedIsRefused(t *testing.T) {
	for _, how := range []agent.How{agent.Steer, agent.Queue} {
		t.Run(string(how), func(t *testing.T) {
			agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
				w.Model.Replies = append(holds(), agenttest.Answers("one")...)
				s := w.Session("")
				wait := w.Begin(s, "first")
				fix := agent.BreakLog(s)
				if _, err := s.Submit(t.Context(), state.Prompt{Blocks: agenttest.Say("second")}, how); err == nil {
					t.Error("it was taken")
				}
				s.Cancel("")
				if _, err := wait(); err == nil {
					t.Error("the turn was recorded")
				}
				fix()
				w.Prompt(s, "third")
				w.CheckShown([]string{"third"}, []string{"second"})
			})
		})
	}
}

func TestQueuedTurnThatCannotBeginIsReported(t *testing.T) {
	agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
		w.Model.Replies = holds()
		gone := false
		w.Stop()
		w.Options = func(o *state.Options) {
			o.Generator = func(name string) (model.Generator, string, error) {
				if gone {
					return nil, "", &model.Error{Kind: model.Auth, Message: "there is no key"}
				}
				return w.Model, name, nil
			}
		}
		w.Start()
		s := w.Session("")
		ended := queue(t.Context(), w, s, "second")
		gone = true
		s.Cancel("")
		ended()
		if codes, _ := w.Notices(); !slices.Contains(codes, transcript.NoticeError) {
			t.Errorf("the notices are %v", codes)
		}
		if got := echoes(w); !slices.Equal(got, []string{"first", "second"}) {
			t.Errorf("shown are %q", got)
		}
	})
}
