package gemini_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/gemini"
	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/agent/model/servertest"
	"github.com/emendo-dev/emendo/agent/model/transport"
)

func TestAnyFramingIsRead(t *testing.T) {
	texts := []string{"one ", "two\n\n", "drei: äöü 😀 ", "\u2028end"}
	for name, frame := range map[string]servertest.Frame{
		"CRLF":                   {},
		"LF":                     {LF: true},
		"CR":                     {CR: true},
		"mixed":                  {Mixed: true},
		"byte order mark":        {BOM: true},
		"comments and fields":    {Comments: true},
		"many data lines":        {Lines: true},
		"a last word":            {Done: true, LF: true},
		"byte by byte":           {Split: 1},
		"byte by byte, all odds": {Split: 1, BOM: true, Mixed: true, Comments: true, Lines: true, Done: true},
		"three bytes, slowly":    {Split: 3, Drip: 20 * time.Microsecond, CR: true, Comments: true},
	} {
		t.Run(name, func(t *testing.T) {
			reply := geminitest.Say(texts...)
			reply.Frame = frame
			s := geminitest.New(t, reply)
			got, err := collect(t.Context(), client(t, s, nil), ask("gemini-2.5-pro", "hi"))
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
	broken := func(end servertest.End, events ...geminitest.Event) geminitest.Reply {
		return geminitest.Reply{Events: events, End: end}
	}
	raw := func(data string) geminitest.Event { return geminitest.Event{Raw: data} }
	a, stop := geminitest.Text("a"), geminitest.Say("b").Events[0]
	for _, tt := range []struct {
		name  string
		reply geminitest.Reply
		text  string // what came through before
	}{
		{"nothing at all", geminitest.Reply{}, ""},
		{"no finish reason", broken(servertest.Clean, a), "a"},
		{"the connection breaks", broken(servertest.Cut, a), "a"},
		{"the connection breaks before the first event", broken(servertest.Cut), ""},
		{"half an event, then a clean end", broken(servertest.Truncate, a, stop), "a"},
		{"a damaged event", broken(servertest.Garble, a, stop), "a"},
		{"an event that is a list", broken(servertest.Clean, a, raw(`[1]`), stop), "a"},
		{"an event that is a word", broken(servertest.Clean, a, raw(`hello`), stop), "a"},
		{"candidates that are not a list", broken(servertest.Clean, a, raw(`{"candidates":{}}`), stop), "a"},
		{"a candidate that is a number", broken(servertest.Clean, a, raw(`{"candidates":[1]}`), stop), "a"},
		{"parts that are not a list", broken(servertest.Clean, a, raw(`{"candidates":[{"content":{"parts":7}}]}`), stop), "a"},
		{"a line that is not a field", broken(servertest.Clean, a, geminitest.Event{Bare: true, Raw: "%%% not a stream"}, stop), "a"},
		{"a damaged field name", broken(servertest.Clean, a, geminitest.Event{Bare: true, Raw: `dxta: {"candidates":[]}`}, stop), "a"},
		{"an error without a code", broken(servertest.Clean, a, raw(`{"error":{"message":"?"}}`), stop), "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := geminitest.New(t, tt.reply)
			got, err := collect(t.Context(), client(t, s, nil), ask("gemini-2.5-pro", "hi"))
			wantError(t, err, model.Cut)
			if got.text() != tt.text || got.Finish != "" {
				t.Errorf("got %q, finish %q", got.text(), got.Finish)
			}
		})
	}
}

func TestLargeEvent(t *testing.T) {
	big := strings.Repeat("0123456789abcdef", 10<<20/16)
	s := geminitest.New(t, geminitest.Say("a", big, "b"))
	got, err := collect(t.Context(), client(t, s, nil), ask("gemini-2.5-pro", "hi"))
	if err != nil {
		t.Fatal(err)
	}
	if got.text() != "a"+big+"b" {
		t.Errorf("%d bytes of %d arrived", len(got.text()), len(big)+2)
	}
}

func TestEventsArriveOneByOne(t *testing.T) {
	gate := make(chan struct{})
	second := geminitest.Say("second").Events[0]
	second.Hold = gate
	s := geminitest.New(t, geminitest.Reply{Events: []geminitest.Event{geminitest.Text("first"), second}})
	n := 0
	for c, err := range client(t, s, nil).Stream(t.Context(), ask("gemini-2.5-pro", "hi")) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 1 {
			close(gate) // only now may the server go on
		}
		_ = c
	}
}

func TestNothingIsSentBeforeTheRange(t *testing.T) {
	s := geminitest.New(t, geminitest.Say("x"))
	client(t, s, nil).Stream(t.Context(), ask("gemini-2.5-pro", "hi"))
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// stalling returns a server and a generator whose one stream says a word and stalls.
func stalling(t *testing.T) (*gemini.Generator, func()) {
	t.Helper()
	s := geminitest.Start(geminitest.Options{}, geminitest.Reply{Events: []geminitest.Event{geminitest.Text("a")}, End: servertest.Stall})
	way := http.DefaultTransport.(*http.Transport).Clone()
	g, err := gemini.New(gemini.Options{APIKey: s.Key, BaseURL: s.URL, Way: transport.Options{HTTP: way}})
	if err != nil {
		t.Fatal(err)
	}
	return g, func() { s.Close(); way.CloseIdleConnections() }
}

func TestCancelEndsTheStream(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	g, done := stalling(t)
	defer done()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	why := errors.New("the user pressed escape")
	var last error
	for c, err := range g.Stream(ctx, ask("gemini-2.5-pro", "hi")) {
		last = err
		if len(c.Parts) > 0 {
			cancel(why)
		}
	}
	if !errors.Is(last, why) {
		t.Errorf("the stream ended with %v", last)
	}
}

func TestLeavingTheLoopClosesTheStream(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	g, done := stalling(t)
	defer done()
	for _, err := range g.Stream(t.Context(), ask("gemini-2.5-pro", "hi")) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
}

func TestConsumerPanicPropagates(t *testing.T) {
	s := geminitest.New(t, geminitest.Say("x"))
	g := client(t, s, nil)
	defer func() {
		if p := recover(); p != "mine" {
			t.Errorf("recovered %v", p)
		}
	}()
	for range g.Stream(t.Context(), ask("gemini-2.5-pro", "hi")) {
		panic("mine")
	}
}

func TestStreamsRunSideBySide(t *testing.T) {
	s := geminitest.Start(geminitest.Options{Answer: func(r geminitest.Request) geminitest.Reply {
		var events []geminitest.Event
		for range 50 {
			events = append(events, geminitest.Text(r.Said()), geminitest.Call(r.Said(), fmt.Sprintf(`{"who":%q}`, r.Said())))
		}
		return geminitest.Do(events...)
	}})
	t.Cleanup(s.Close)
	g := client(t, s, nil)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			me := fmt.Sprintf("me_%d", i)
			a, err := collect(t.Context(), g, ask("gemini-2.5-pro", me))
			if err != nil {
				t.Error(err)
			}
			if a.text() != strings.Repeat(me, 50) {
				t.Errorf("%s heard %q", me, a.text())
			}
			for _, p := range a.Parts {
				if c, ok := p.(model.Call); ok && string(c.Args) != fmt.Sprintf(`{"who":%q}`, me) {
					t.Errorf("%s got %s", me, c.Args)
				}
			}
		})
	}
	all.Wait()
}

func TestRetryingOverTheWire(t *testing.T) {
	broken := geminitest.Reply{Events: []geminitest.Event{geminitest.Text("void")}, End: servertest.Cut}
	s := geminitest.New(t, geminitest.Fail(503, "The model is overloaded."), broken, geminitest.Do(geminitest.Think("hm")), geminitest.Say("whole"))
	g := model.FallingBack(client(t, s, nil), model.FallbackOptions{Retry: model.RetryOptions{Rand: func() float64 { return 0 }}})
	var kinds []model.ErrorKind
	text := ""
	for c, err := range g.Stream(t.Context(), ask("gemini-2.5-pro", "hi")) {
		if err != nil {
			t.Fatal(err)
		}
		if c.Retry != nil {
			kinds = append(kinds, c.Retry.Err.Kind)
			text = ""
		}
		for _, p := range c.Parts {
			if p, ok := p.(model.Text); ok {
				text += p.Text
			}
		}
	}
	if got, want := fmt.Sprint(kinds), "[unavailable cut empty]"; got != want || text != "whole" {
		t.Errorf("retried after %s, want %s; heard %q", got, want, text)
	}
}

// The API says of a malformed call what was wrong, and sends nothing else of it.
func TestAMalformedCallHasItsMessage(t *testing.T) {
	s := geminitest.New(t, geminitest.Reply{Events: []geminitest.Event{{Raw: `{"candidates":[{"content":{},"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"Malformed function call: print(default_api.read_file("}]}`}}})
	var last model.Chunk
	for c, err := range client(t, s, nil).Stream(t.Context(), ask("gemini-2.5-pro", "hi")) {
		if err != nil {
			t.Fatal(err)
		}
		last = c
	}
	if last.Finish != model.MalformedCall || last.FinishWhy != "Malformed function call: print(default_api.read_file(" {
		t.Errorf("it ends with %+v", last)
	}
}
