package transcript

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model"
)

// outline formats messages, one per line, with a word for each part.
func outline(ms []model.Message) string {
	var b strings.Builder
	for _, m := range ms {
		b.WriteString(string(m.Role) + ":")
		for _, p := range m.Parts {
			switch p := p.(type) {
			case model.Text:
				fmt.Fprintf(&b, " %q", p.Text)
				if p.Signature != nil {
					fmt.Fprintf(&b, "!%s", p.Signature)
				}
			case model.Thought:
				fmt.Fprintf(&b, " thought %q!%s", p.Text, p.Signature)
			case model.Call:
				fmt.Fprintf(&b, " call %s", p.ID)
			case model.Result:
				fmt.Fprintf(&b, " result %s", p.CallID)
				if p.Failed {
					b.WriteString(" failed")
				}
			case model.Blob:
				fmt.Fprintf(&b, " %s", p.MIME)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestHistory(t *testing.T) {
	asked := UserChunk{MessageID: "u", Block: Block{Type: TextBlock, Text: "go"}}
	for _, c := range []struct {
		name   string
		events []Event
		want   string
	}{
		{
			name:   "pieces of one text are one part",
			events: []Event{asked, Text{"m", 0, "a", nil, "", false}, Thought{"m", "", "hm"}, Text{"m", 0, "b", nil, "", false}},
			want:   "user: \"go\"\nmodel: \"ab\"\n",
		},
		{
			name:   "what is signed is joined with nothing",
			events: []Event{asked, Text{"m", 0, "a", nil, "", false}, Text{"m", 1, "b", []byte("s"), "", false}, Text{"m", 2, "", []byte("t"), "", false}, Text{"m", 3, "c", nil, "", false}},
			want:   "user: \"go\"\nmodel: \"a\" \"b\"!s \"\"!t \"c\"\n",
		},
		{
			name: "a signed thought goes back before what followed it",
			events: []Event{
				asked,
				Thought{"m", "", "hm"},
				Reasoning{MessageID: "m", Text: "hm", Signature: []byte("s"), Issuer: "a"},
				ToolCall{MessageID: "m", Part: 1, CallID: "x"},
				ToolUpdate{CallID: "x", State: Success},
			},
			want: "user: \"go\"\nmodel: thought \"hm\"!s call x\nuser: result x\n",
		},
		{
			name:   "text around a call keeps its place",
			events: []Event{asked, Text{"m", 0, "a", nil, "", false}, Text{"m", 2, "b", nil, "", false}, ToolCall{MessageID: "m", Part: 1, CallID: "x"}, ToolUpdate{CallID: "x", State: Success}},
			want:   "user: \"go\"\nmodel: \"a\" call x \"b\"\nuser: result x\n",
		},
		{
			name:   "a call without an end is answered",
			events: []Event{asked, ToolCall{MessageID: "m", CallID: "x"}, ToolUpdate{CallID: "x", State: Executing}},
			want:   "user: \"go\"\nmodel: call x\nuser: result x failed\n",
		},
		{
			name: "of calls side by side those that ended keep their results",
			events: []Event{
				asked,
				Text{"m", 0, "a", nil, "", false},
				ToolCall{MessageID: "m", Part: 1, CallID: "x", Name: "f"},
				ToolCall{MessageID: "m", Part: 2, CallID: "y", Name: "f"},
				ToolCall{MessageID: "m", Part: 3, CallID: "z", Name: "f"},
				ToolUpdate{CallID: "z", State: Success},
				ToolUpdate{CallID: "y", State: Cancelled},
				Given{MessageID: "m", Kind: "cancelled", Text: "stopped"},
			},
			want: "user: \"go\"\nmodel: \"a\" call x call y call z\nuser: result x failed result y failed result z \"stopped\"\n",
		},
		{
			name:   "an end that nobody called for is none",
			events: []Event{asked, ToolUpdate{CallID: "x", State: Success}},
			want:   "user: \"go\"\n",
		},
		{
			name:   "what is retracted is gone, calls and answers too",
			events: []Event{asked, Text{"m", 0, "a", nil, "", false}, ToolCall{MessageID: "m", Part: 1, CallID: "x"}, Retract{"m"}, Text{"n", 0, "b", nil, "", false}},
			want:   "user: \"go\"\nmodel: \"b\"\n",
		},
		{
			name:   "two prompts of which nothing came between are one message",
			events: []Event{asked, Text{"m", 0, "a", nil, "", false}, Retract{"m"}, UserChunk{MessageID: "v", Block: Block{Type: TextBlock, Text: "next"}}},
			want:   "user: \"go\" \"next\"\n",
		},
		{
			name:   "what is said in mid-turn goes with the results",
			events: []Event{asked, ToolCall{MessageID: "m", CallID: "x"}, ToolUpdate{CallID: "x", State: Success}, UserChunk{MessageID: "v", Block: Block{Type: TextBlock, Text: "wait"}, Steer: true}},
			want:   "user: \"go\"\nmodel: call x\nuser: result x \"wait\"\n",
		},
		{
			name:   "an answer of thoughts alone is none",
			events: []Event{asked, Thought{"m", "s", "hm"}, UserChunk{MessageID: "v", Block: Block{Type: TextBlock, Text: "next"}}},
			want:   "user: \"go\" \"next\"\n",
		},
		{
			name:   "what is said after results is no part of them",
			events: []Event{asked, ToolCall{MessageID: "m", CallID: "x"}, ToolUpdate{CallID: "x", State: Success}, UserChunk{MessageID: "v", Block: Block{Type: TextBlock, Text: "next"}}},
			want:   "user: \"go\"\nmodel: call x\nuser: result x\nmodel: \"(The answer was interrupted.)\"\nuser: \"next\"\n",
		},
		{
			name:   "the environment of a withdrawn prompt stays",
			events: []Event{Given{MessageID: "u", Kind: "environment", Text: "here"}, Given{MessageID: "u", Kind: GivenLinked, Text: "linked"}, asked, Withdrawn{"u"}, UserChunk{MessageID: "v", Block: Block{Type: TextBlock, Text: "next"}}},
			want:   "user: \"here\" \"next\"\n",
		},
		{
			name:   "a signature alone goes with the withdrawn prompt",
			events: []Event{asked, Text{"m", 0, "a", nil, "", false}, UserChunk{MessageID: "v", Block: Block{Type: TextBlock, Text: "next"}}, Text{"n", 0, "", []byte("s"), "", false}, Withdrawn{"v"}, UserChunk{MessageID: "w", Block: Block{Type: TextBlock, Text: "last"}}},
			want:   "user: \"go\"\nmodel: \"a\"\nuser: \"last\"\n",
		},
		{
			name:   "blocks that say nothing are left out",
			events: []Event{UserChunk{MessageID: "u", Block: Block{Type: TextBlock}}, UserChunk{MessageID: "u", Block: Block{Type: ImageBlock, MIME: "image/png", Data: []byte{1}}}, UserChunk{MessageID: "u", Block: Block{Type: ResourceBlock, Data: []byte{1}}}},
			want:   "user: image/png application/octet-stream\n",
		},
		{
			name:   "an answer whose prompt was lost is left out",
			events: []Event{Text{"m", 0, "a", nil, "", false}, asked},
			want:   "user: \"go\"\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, again := NewHistory(), NewHistory()
			for _, e := range c.events {
				h.Add(e)
			}
			if got := outline(h.Request()); got != c.want {
				t.Errorf("got\n%s, want\n%s", got, c.want)
			}
			for _, e := range merged(c.events) { // as in the log
				again.Add(e)
			}
			if got := outline(again.Request()); got != c.want {
				t.Errorf("merged and read again\n%s, want\n%s", got, c.want)
			}
		})
	}
}

// A request is made for every step, so it must not copy the conversation.
func BenchmarkRequest(b *testing.B) {
	for _, rounds := range []int{10, 200} {
		b.Run(fmt.Sprintf("%d rounds", rounds), func(b *testing.B) {
			h := NewHistory()
			h.Add(UserChunk{MessageID: "u", Block: Block{Type: TextBlock, Text: "go"}})
			for i := range rounds {
				m, c := fmt.Sprint("m", i), fmt.Sprint("c", i)
				for range 20 {
					h.Add(Text{m, 0, "a piece of the answer ", nil, "", false})
				}
				h.Add(ToolCall{MessageID: m, Part: 1, CallID: c, Name: "read_file", Args: json.RawMessage(`{}`)})
				h.Add(ToolUpdate{CallID: c, State: Success, Output: strings.Repeat("x", 10<<10)})
			}
			b.ReportAllocs()
			for b.Loop() {
				h.Request()
			}
		})
	}
}
