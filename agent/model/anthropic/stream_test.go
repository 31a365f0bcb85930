package anthropic_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/anthropic"
	"github.com/emendo-dev/emendo/agent/model/anthropic/anthropictest"
	"github.com/emendo-dev/emendo/agent/model/servertest"
)

func TestAnyFramingIsRead(t *testing.T) {
	texts := []string{"one ", "two\n\n", "drei: äöü 😀 ", "\u2028end"}
	for name, frame := range map[string]servertest.Frame{
		"LF":                     {},
		"CRLF":                   {CRLF: true},
		"CR":                     {CR: true},
		"mixed":                  {Mixed: true},
		"byte order mark":        {BOM: true},
		"comments and fields":    {Comments: true},
		"many data lines":        {Lines: true},
		"byte by byte":           {Split: 1},
		"byte by byte, all odds": {Split: 1, BOM: true, Mixed: true, Comments: true, Lines: true},
		"three bytes, slowly":    {Split: 3, Drip: 20 * time.Microsecond, CR: true, Comments: true},
	} {
		t.Run(name, func(t *testing.T) {
			reply := anthropictest.Say(texts...)
			reply.Frame = frame
			s := anthropictest.New(t, reply)
			got, err := collect(t.Context(), client(t, s, nil), ask(adaptive, "hi"))
			if err != nil {
				t.Fatal(err)
			}
			if got.text() != strings.Join(texts, "") || got.Finish != model.Stop {
				t.Errorf("got %q, finish %q", got.text(), got.Finish)
			}
		})
	}
}

func TestBrokenStreamsAreCut(t *testing.T) {
	broken := func(end servertest.End, events ...anthropictest.Event) anthropictest.Reply {
		return anthropictest.Reply{Events: events, End: end}
	}
	raw := func(name, data string) anthropictest.Event { return anthropictest.Event{Name: name, Raw: data} }
	a, stop := anthropictest.Text("a"), anthropictest.Say("b").Events[0]
	for _, tt := range []struct {
		name  string
		reply anthropictest.Reply
		text  string // what came through before
	}{
		{"nothing at all", anthropictest.Reply{}, ""},
		{"no end", broken(servertest.Clean, a), "a"},
		{"a reason to stop without an end", broken(servertest.Clean, a, raw("message_delta", `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}`)), "a"},
		{"the connection breaks", broken(servertest.Cut, a), "a"},
		{"the connection breaks before the first event", broken(servertest.Cut), ""},
		{"half an event, then a clean end", broken(servertest.Truncate, a, anthropictest.Text("b")), "a"},
		{"a damaged event", broken(servertest.Garble, a, anthropictest.Text("b")), "a"},
		{"an event that is a list", broken(servertest.Clean, a, raw("content_block_delta", `[1]`), stop), "a"},
		{"an event that is a word", broken(servertest.Clean, a, raw("content_block_delta", `hello`), stop), "a"},
		{"a piece of no block", broken(servertest.Clean, a, raw("content_block_delta", `{"type":"content_block_delta","index":7,"delta":{"type":"text_delta","text":"x"}}`), stop), "a"},
		{"a piece that does not fit", broken(servertest.Clean, a, raw("content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"x"}}`), stop), "a"},
		{"a block that begins twice", broken(servertest.Clean, a, raw("content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`), stop), "a"},
		{"the end of no block", broken(servertest.Clean, a, raw("content_block_stop", `{"type":"content_block_stop","index":3}`), stop), "a"},
		{"an error without a type", broken(servertest.Clean, a, raw("error", `{"error":{"message":"?"}}`)), "a"},
		{"an error that is not JSON", broken(servertest.Clean, a, raw("error", `sk-ant-api03-secretsecret`)), "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := anthropictest.New(t, tt.reply)
			got, err := collect(t.Context(), client(t, s, nil), ask(adaptive, "hi"))
			if e := wantError(t, err, model.Cut); strings.Contains(e.Error(), "secretsecret") {
				t.Errorf("the message has a key: %v", e)
			}
			if got.text() != tt.text || got.Finish != "" {
				t.Errorf("got %q, finish %q", got.text(), got.Finish)
			}
		})
	}
}

// What gateways leave out at the end of a complete answer.
func TestEndsThatLackSomething(t *testing.T) {
	raw := func(name, data string) anthropictest.Event { return anthropictest.Event{Name: name, Raw: data} }
	a := anthropictest.Text("a")
	for name, reply := range map[string]anthropictest.Reply{
		"no reason":                    {Events: []anthropictest.Event{a, raw("message_stop", `{"type":"message_stop"}`)}},
		"half of the event at the end": {Events: []anthropictest.Event{a, anthropictest.Say("b").Events[0]}, End: servertest.Truncate},
	} {
		t.Run(name, func(t *testing.T) {
			s := anthropictest.New(t, reply)
			got, err := collect(t.Context(), client(t, s, nil), ask(adaptive, "hi"))
			if err != nil || !strings.HasPrefix(got.text(), "a") || got.Finish != model.Stop {
				t.Errorf("got %q, finish %q, %v", got.text(), got.Finish, err)
			}
		})
	}
}

func TestACallWithoutANameIsBroken(t *testing.T) {
	raw := func(name, data string) anthropictest.Event { return anthropictest.Event{Name: name, Raw: data} }
	s := anthropictest.New(t, anthropictest.Reply{Events: []anthropictest.Event{
		raw("content_block_start", `{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","input":{}}}`),
		raw("message_stop", `{"type":"message_stop"}`),
	}})
	got, err := collect(t.Context(), client(t, s, nil), ask(adaptive, "hi"))
	if err != nil || len(got.Parts) != 1 {
		t.Fatalf("%+v %v", got, err)
	}
	if c, ok := got.Parts[0].(model.Call); !ok || !strings.Contains(c.Broken, "names no tool") {
		t.Errorf("%+v", got.Parts)
	}
}

func TestUnknownEventsAreIgnored(t *testing.T) {
	s := anthropictest.New(t, anthropictest.Do(
		anthropictest.Event{Name: "news", Raw: `{"type":"news","index":9}`},
		anthropictest.Event{Name: "content_block_start", Raw: `{"type":"content_block_start","index":50,"content_block":{"type":"hologram","x":1}}`},
		anthropictest.Event{Name: "content_block_delta", Raw: `{"type":"content_block_delta","index":50,"delta":{"type":"hologram_delta","x":1}}`},
		anthropictest.Event{Name: "content_block_stop", Raw: `{"type":"content_block_stop","index":50}`},
		anthropictest.Event{Ping: true}, anthropictest.Text("a"),
	))
	if got, err := collect(t.Context(), client(t, s, nil), ask(adaptive, "hi")); err != nil || got.text() != "a" {
		t.Errorf("%q, %v", got.text(), err)
	}
}

func TestSilentStreamsAreCut(t *testing.T) {
	for _, tt := range []struct {
		name string
		hold bool
		says string
	}{
		{"no first byte", true, "no response within 5m0s"},
		{"a stall", false, "the response stalled for 2m0s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				reply := anthropictest.Reply{Events: []anthropictest.Event{anthropictest.Text("a")}, End: servertest.Stall}
				if tt.hold {
					reply.Hold = make(chan struct{}) // of the bubble
				}
				s := anthropictest.Unlisted(anthropictest.Options{}, reply)
				defer s.Close()
				g := client(t, s, func(o *anthropic.Options) { o.Way.HTTP = s })
				_, err := collect(t.Context(), g, ask(adaptive, "hi"))
				if e := wantError(t, err, model.Cut); e.Message != tt.says {
					t.Errorf("it says %q", e.Message)
				}
			})
		})
	}
}

func TestCancellingAndLeavingEndTheStream(t *testing.T) {
	why := errors.New("the user stopped it")
	for name, leave := range map[string]bool{"cancel": false, "leave": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // which fails if a goroutine is left
				s := anthropictest.Unlisted(anthropictest.Options{}, anthropictest.Reply{Events: []anthropictest.Event{anthropictest.Text("a")}, End: servertest.Stall})
				defer s.Close()
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				g := client(t, s, func(o *anthropic.Options) { o.Way.HTTP = s })
				var last error
				for c, err := range g.Stream(ctx, ask(adaptive, "hi")) {
					last = err
					if len(c.Parts) == 0 {
						continue
					}
					if leave {
						break
					}
					cancel(why)
				}
				if want := map[bool]error{false: why, true: nil}[leave]; !errors.Is(last, want) {
					t.Errorf("got %v, want %v", last, want)
				}
			})
		})
	}
}

func TestNothingIsSentBeforeTheRange(t *testing.T) {
	s := anthropictest.New(t, anthropictest.Say("x"))
	client(t, s, nil).Stream(t.Context(), ask(adaptive, "hi"))
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestTheEndOfTheMessageIsEnough(t *testing.T) {
	reply := anthropictest.Say("a")
	reply.End = servertest.Stall
	s := anthropictest.New(t, reply)
	if got, err := collect(t.Context(), client(t, s, nil), ask(adaptive, "hi")); err != nil || got.Finish != model.Stop {
		t.Errorf("finish %q, %v", got.Finish, err)
	}
}

// TestMemoryIsBounded answers with more than a generator may keep.
func TestMemoryIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("sends hundreds of megabytes")
	}
	piece := strings.Repeat("x", 1<<20)
	delta := func(kind, field string) anthropictest.Event {
		return anthropictest.Event{Name: "content_block_delta", Raw: fmt.Sprintf(`{"type":"content_block_delta","index":0,"delta":{"type":%q,%q:%q}}`, kind, field, piece)}
	}
	start := func(block string) anthropictest.Event {
		return anthropictest.Event{Name: "content_block_start", Raw: `{"type":"content_block_start","index":0,"content_block":` + block + `}`}
	}
	repeat := func(first, e anthropictest.Event, n int) anthropictest.Reply {
		r := anthropictest.Reply{Events: []anthropictest.Event{first}}
		for range n {
			r.Events = append(r.Events, e)
		}
		return r
	}
	var blocks []anthropictest.Event
	for i := range 100 {
		blocks = append(blocks, anthropictest.Event{Name: "content_block_start", Raw: fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":"text","text":""}}`, i)})
	}
	for name, reply := range map[string]anthropictest.Reply{
		"arguments":  repeat(start(`{"type":"tool_use","id":"toolu_1","name":"f","input":{}}`), delta("input_json_delta", "partial_json"), 40),
		"signatures": repeat(start(`{"type":"thinking","thinking":"","signature":""}`), delta("signature_delta", "signature"), 40),
		"thinking":   repeat(start(`{"type":"thinking","thinking":"","signature":""}`), delta("thinking_delta", "thinking"), 40),
		"blocks":     {Events: blocks},
		"one event":  {Events: []anthropictest.Event{{Name: "x", Raw: strings.Repeat("x", 65<<20)}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := anthropictest.New(t, reply)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			for _, err := range client(t, s, nil).Stream(t.Context(), ask(adaptive, "hi")) {
				if err != nil {
					wantError(t, err, model.Cut)
					runtime.GC()
					runtime.ReadMemStats(&after)
					if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 200<<20 {
						t.Errorf("%d MB are in use", grown>>20)
					}
					return
				}
			}
			t.Error("the answer was read to its end")
		})
	}
}
