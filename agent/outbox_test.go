package agent

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
)

func TestAFullOutboxHoldsUpATurnAndNotItsCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		o := &outbox{session: &Session{agent: New(testOptions())}, ctx: ctx} // nothing is carried out
		o.moved.L = &o.mu
		for i := range outboxLimit {
			o.put(Text{MessageID: fmt.Sprint(i), Text: "x"})
		}
		through := false
		go func() {
			o.put(Text{MessageID: "late", Text: "x"})
			through = true
		}()
		synctest.Wait()
		if through {
			t.Error("a full outbox takes more")
		}
		o.slip(Notice{})
		cancel()
		synctest.Wait()
		if !through {
			t.Error("a cancelled turn is held up")
		}
	})
}

func TestWaitingUpdatesAreMerged(t *testing.T) {
	live := func(s string) ToolUpdate { return ToolUpdate{CallID: "c", State: Executing, Live: s} }
	for _, c := range []struct {
		name string
		in   []Event
		want []Event
	}{
		{name: "pieces of a text", in: []Event{Text{"m", 0, "a", nil, false}, Text{"m", 0, "b", nil, false}}, want: []Event{Text{"m", 0, "ab", nil, false}}},
		{name: "not of two messages", in: []Event{Text{"m", 0, "a", nil, false}, Text{"n", 0, "b", nil, false}}, want: []Event{Text{"m", 0, "a", nil, false}, Text{"n", 0, "b", nil, false}}},
		{name: "pieces of a thought", in: []Event{Thought{"m", "s", "a"}, Thought{"m", "", "b"}}, want: []Event{Thought{"m", "s", "ab"}}},
		{name: "not of two thoughts", in: []Event{Thought{"m", "s", "a"}, Thought{"m", "t", "b"}}, want: []Event{Thought{"m", "s", "a"}, Thought{"m", "t", "b"}}},
		{name: "the newest output of a call", in: []Event{live("a"), live("ab")}, want: []Event{live("ab")}},
		{name: "never the beginning of a call", in: []Event{ToolUpdate{CallID: "c", State: Executing}, live("a")}, want: []Event{ToolUpdate{CallID: "c", State: Executing}, live("a")}},
		{name: "nothing across another update", in: []Event{Text{"m", 0, "a", nil, false}, Notice{}, Text{"m", 0, "b", nil, false}}, want: []Event{Text{"m", 0, "a", nil, false}, Notice{}, Text{"m", 0, "b", nil, false}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := fmt.Sprintf("%+v", merged(c.in)); got != fmt.Sprintf("%+v", c.want) {
				t.Errorf("%s, want %+v", got, c.want)
			}
		})
	}
}
