package transcript

import (
	"fmt"
	"testing"
)

// merged returns events as merged in a queue.
func merged(es []Event) []Event {
	var queue []Event
	for _, e := range es {
		if n := len(queue); n > 0 {
			if both, ok := Merge(queue[n-1], e); ok {
				queue[n-1] = both
				continue
			}
		}
		queue = append(queue, e)
	}
	var out []Event
	for _, e := range queue {
		r := Record{Event: e}
		b, err := r.line()
		if err != nil {
			panic(err)
		}
		if r, err = parseRecord(b); err != nil {
			panic(err)
		}
		out = append(out, r.Event)
	}
	return out
}

func TestQueuedUpdatesAreMerged(t *testing.T) {
	live := func(s string) ToolUpdate { return ToolUpdate{CallID: "c", State: Executing, Live: s} }
	for _, c := range []struct {
		name string
		in   []Event
		want []Event
	}{
		{name: "pieces of a text", in: []Event{Text{"m", 0, "a", nil, "", false}, Text{"m", 0, "b", nil, "", false}}, want: []Event{Text{"m", 0, "ab", nil, "", false}}},
		{name: "not of two messages", in: []Event{Text{"m", 0, "a", nil, "", false}, Text{"n", 0, "b", nil, "", false}}, want: []Event{Text{"m", 0, "a", nil, "", false}, Text{"n", 0, "b", nil, "", false}}},
		{name: "pieces of a thought", in: []Event{Thought{"m", "s", "a"}, Thought{"m", "", "b"}}, want: []Event{Thought{"m", "s", "ab"}}},
		{name: "not of two thoughts", in: []Event{Thought{"m", "s", "a"}, Thought{"m", "t", "b"}}, want: []Event{Thought{"m", "s", "a"}, Thought{"m", "t", "b"}}},
		{name: "the newest output of a call", in: []Event{live("a"), live("ab")}, want: []Event{live("ab")}},
		{name: "never the beginning of a call", in: []Event{ToolUpdate{CallID: "c", State: Executing}, live("a")}, want: []Event{ToolUpdate{CallID: "c", State: Executing}, live("a")}},
		{name: "nothing across another update", in: []Event{Text{"m", 0, "a", nil, "", false}, Notice{}, Text{"m", 0, "b", nil, "", false}}, want: []Event{Text{"m", 0, "a", nil, "", false}, Notice{}, Text{"m", 0, "b", nil, "", false}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := fmt.Sprintf("%+v", merged(c.in)); got != fmt.Sprintf("%+v", c.want) {
				t.Errorf("%s, want %+v", got, c.want)
			}
		})
	}
}
