package agent_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// echoes returns the user's texts shown since the last call.
func (w *world) echoes() (l []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, u := range w.updates {
		if e, ok := u.Event.(transcript.UserChunk); ok {
			l = append(l, e.Block.Text)
		}
	}
	w.updates = nil
	return l
}

// queue queues prompts behind a turn that does not end on its own, and returns a
// function that waits until the queue is empty.
func (w *world) queue(ctx context.Context, s *agent.Session, texts ...string) (ended func()) {
	w.t.Helper()
	waits := []func(){}
	wait := w.begin(s, "first")
	waits = append(waits, func() { _, _ = wait() })
	for _, text := range texts {
		turn, err := s.Submit(ctx, state.Prompt{Blocks: say(text)}, agent.Queue)
		if err != nil {
			w.t.Fatal(err)
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
			inWorld(t, nil, nil, func(t *testing.T, w *world) {
				w.model.Replies = append(holds(), answers("one", "two", "three")...)
				s := w.session("")
				ended := w.queue(t.Context(), s, "second", "third")
				w.stop()
				ended()
				w.echoes()
				open := func() {
					t.Helper()
					w.start()
					var err error
					if s, err = w.agent.Session(t.Context(), s.ID()); err != nil {
						t.Fatal(err)
					}
				}
				open()
				load := func(want ...string) {
					t.Helper()
					if err := s.Load(t.Context()); err != nil {
						t.Fatal(err)
					}
					if got := w.echoes(); !slices.Equal(got, want) {
						t.Errorf("shown are %q, want %q", got, want)
					}
				}
				if tt.load {
					load("first", "second", "third")
					load("first", "second", "third")
				}
				end := w.prompt(s, "fourth")
				w.check([]string{"second\nthird\nfourth"}, nil)
				w.echoes()
				load("first", "second", "third", "fourth")
				w.stop()
				open()
				load("first", "second", "third", "fourth")
				w.prompt(s, "fifth")
				if n := strings.Count(all(w.last()), "second"); n != 1 {
					t.Errorf("the model got it %d times", n)
				}
				if _, err := s.Rewind(t.Context(), end.TurnID, rewind.Conversation, false); err != nil {
					t.Fatal(err)
				}
				w.echoes()
				want := []string{"first"}
				if tt.load {
					want = []string{"first", "second", "third"}
				}
				load(want...)
				w.prompt(s, "sixth")
				w.echoes()
				load(append(want, "sixth")...)
			})
		})
	}
}

func TestCancelledPromptIsNotQueued(t *testing.T) {
	inWorld(t, nil, nil, func(t *testing.T, w *world) {
		w.model.Replies = append(holds(), answers("one", "two")...)
		s := w.session("")
		ctx, cancel := context.WithCancelCause(context.Background())
		ended := w.queue(ctx, s, "second")
		cancel(transcript.ErrCancelled)
		synctest.Wait()
		s.Cancel("")
		ended()
		w.prompt(s, "third")
		w.check([]string{"third"}, []string{"second"})
		s = w.reopen(s)
		w.prompt(s, "fourth")
		w.check([]string{"fourth"}, []string{"second"})
	})
}

func TestForkHasNoQueuedPrompts(t *testing.T) {
	inWorld(t, nil, nil, func(t *testing.T, w *world) {
		w.model.Replies = slices.Concat(answers("zero"), holds(), answers("one", "two"))
		s := w.session("")
		w.prompt(s, "zeroth")
		ended := w.queue(t.Context(), s, "second")
		fork, err := w.agent.Fork(t.Context(), s.ID(), "")
		if err != nil {
			t.Fatal(err)
		}
		w.prompt(fork, "third")
		w.check([]string{"zeroth", "third"}, []string{"second"})
		s.Cancel("")
		ended()
		w.check([]string{"zeroth", "second"}, []string{"third"})
	})
}

func TestPromptThatCannotBeRecordedIsRefused(t *testing.T) {
	for _, how := range []agent.How{agent.Steer, agent.Queue} {
		t.Run(string(how), func(t *testing.T) {
			inWorld(t, nil, nil, func(t *testing.T, w *world) {
				w.model.Replies = append(holds(), answers("one")...)
				s := w.session("")
				wait := w.begin(s, "first")
				fix := agent.BreakLog(s)
				if _, err := s.Submit(t.Context(), state.Prompt{Blocks: say("second")}, how); err == nil {
					t.Error("it was taken")
				}
				s.Cancel("")
				if _, err := wait(); err == nil {
					t.Error("the turn was recorded")
				}
				fix()
				w.prompt(s, "third")
				w.check([]string{"third"}, []string{"second"})
			})
		})
	}
}

func TestQueuedTurnThatCannotBeginIsReported(t *testing.T) {
	inWorld(t, nil, nil, func(t *testing.T, w *world) {
		w.model.Replies = holds()
		gone := false
		w.stop()
		w.options = func(o *state.Options) {
			o.Generator = func(name string) (model.Generator, string, error) {
				if gone {
					return nil, "", &model.Error{Kind: model.Auth, Message: "there is no key"}
				}
				return w.model, name, nil
			}
		}
		w.start()
		s := w.session("")
		ended := w.queue(t.Context(), s, "second")
		gone = true
		s.Cancel("")
		ended()
		if codes, _ := w.notices(); !slices.Contains(codes, transcript.NoticeError) {
			t.Errorf("the notices are %v", codes)
		}
		if got := w.echoes(); !slices.Equal(got, []string{"first", "second"}) {
			t.Errorf("shown are %q", got)
		}
	})
}
