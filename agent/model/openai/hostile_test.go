package openai_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/openai"
	"github.com/emendo-dev/emendo/agent/model/openai/openaitest"
	"github.com/emendo-dev/emendo/agent/model/servertest"
	"github.com/emendo-dev/emendo/agent/model/transport"
)

// canned is a network on which every request is answered with the same stream.
type canned struct {
	status int
	kind   string
	body   func(context.Context) io.Reader
}

func (c canned) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: c.status, Request: req, Header: http.Header{"Content-Type": {c.kind}}, Body: io.NopCloser(c.body(req.Context()))}, nil
}

// FuzzStream checks that no answer makes a stream panic or end without either a
// finish or an *Error.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{
		"", "[1]", "data: null\n\n", `data: {"error":{"message":1,"code":[]}}`, `{"error":"x"}`, `data: {"choices":[null]}`, `data: {"choices":[{"delta":null}]}`, `data: {"choices":7}`,
		`data: {"id":"a","choices":[{"index":0,"delta":{"content":"a","tool_calls":[{"index":0,"function":{"name":"f","arguments":"{}"}}]},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n",
		`data: {"choices":[{"index":0,"delta":{"reasoning":{"a":1},"annotations":{}},"finish_reason":"stop"}],"usage":"x"}`,
		`data: {"type":"response.output_item.done","item":{"type":"function_call","arguments":{"a":1},"name":"f"}}`, `data: {"type":"response.output_item.done","item":null}`,
		`data: {"type":"response.output_item.done","item":{"type":"message","id":"m","content":[{"type":"output_text","text":"ä","annotations":[{"type":"url_citation","url":"u","start_index":9,"end_index":-1}]}]}}`,
		`data: {"type":"response.completed","response":{"id":"r","status":"completed"}}`, `data: {"type":"response.failed","response":{}}`, `data: {"type":"error"}`, `data: {"type":"response.incomplete","response":{"incomplete_details":[]}}`,
	} {
		for _, chat := range []bool{false, true} {
			f.Add(uint16(200), chat, []byte(seed))
			f.Add(uint16(429), chat, []byte(seed))
		}
	}
	f.Fuzz(func(t *testing.T, status uint16, chat bool, body []byte) {
		o := openai.Options{APIKey: "a-key-of-mine", Way: transport.Options{HTTP: canned{200 + int(status)%400, "text/event-stream", func(context.Context) io.Reader { return bytes.NewReader(body) }}}}
		if chat {
			o.API = openai.ChatCompletions
		}
		g, err := openai.New(o)
		if err != nil {
			t.Fatal(err)
		}
		req := ask("gpt-5.4", "hi")
		req.Search = !chat
		a, err := collect(t.Context(), g, req)
		var e *model.Error
		if (err == nil) == (a.Finish == "") || err != nil && !errors.As(err, &e) {
			t.Errorf("finish %q, error %T %v", a.Finish, err, err)
		}
	})
}

// endless repeats a text until the request ends.
type endless struct {
	ctx  context.Context
	text string
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.ctx.Err() != nil {
		return 0, e.ctx.Err()
	}
	n := 0
	for n < len(p) {
		m := copy(p[n:], e.text[e.at:])
		n, e.at = n+m, (e.at+m)%len(e.text)
	}
	return n, nil
}

var whole = flag.Bool("whole", false, "read endless streams as far as the program does")

// A stream without an end is read up to the limit of an event or, of all events, up to that of
// a stream, which is reached sooner here. With the race detector that of the program takes a
// minute.
func TestEndlessStreamsEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("reads hundreds of megabytes")
	}
	pad := strings.Repeat("x", 1<<20)
	for _, tt := range []struct {
		name string
		api  openai.API
		most int64
		text string
	}{
		{"an event without an end", openai.Responses, 0, "data: " + pad + "\n"},
		{"a line without an end", openai.ChatCompletions, 0, pad},
		{"events of an unknown type", openai.Responses, 12 << 20, `data: {"type":"x","pad":"` + pad + "\"}\n\n"},
		{"arguments without an end", openai.ChatCompletions, 12 << 20, `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"` + pad + "\"}}]}}]}\n\n"},
		{"calls without an end", openai.ChatCompletions, 0, `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f"}},{"index":0,"id":"b","function":{"name":"f"}}]}}]}` + "\n\n"},
	} {
		if *whole {
			tt.most = 0 // that of the program
		}
		t.Run(tt.name, func(t *testing.T) {
			text := tt.text
			if strings.HasPrefix(tt.name, "calls") {
				var all strings.Builder
				for i := range 300 {
					all.WriteString(strings.ReplaceAll(text, `"index":0,"id":"a"`, `"index":`+string(rune('0'+i%10))+`,"id":"`+strings.Repeat("a", i+1)+`"`))
				}
				text = all.String()
			}
			g, err := openai.New(openai.Options{API: tt.api, APIKey: "a-key-of-mine", Way: transport.Options{MaxStream: tt.most, HTTP: canned{200, "text/event-stream", func(ctx context.Context) io.Reader { return &endless{ctx: ctx, text: text} }}}})
			if err != nil {
				t.Fatal(err)
			}
			_, err = collect(t.Context(), g, ask("gpt-5.4", "hi"))
			if e := (*model.Error)(nil); !errors.As(err, &e) || e.Kind != model.Invalid && e.Kind != model.Cut {
				t.Errorf("ended with %v", err)
			}
		})
	}
}

// A server that falls silent is given up, in the middle too, and one that keeps the
// stream open after the end is not waited for.
func TestSilenceEndsAStream(t *testing.T) {
	stall := func(events ...openaitest.Event) openaitest.Reply {
		return openaitest.Reply{Events: events, End: servertest.Stall}
	}
	for _, tt := range []struct {
		name  string
		reply openaitest.Reply
		took  time.Duration
		says  string // empty: the answer is whole
	}{
		{"no response", openaitest.Reply{}, 300 * time.Second, "no response within 5m0s"},
		{"a stall after a word", stall(openaitest.Text("a")), 120 * time.Second, "the response stalled for 2m0s"},
		{"an open end", stall(openaitest.Say("a").Events...), 5 * time.Second, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if len(tt.reply.Events) == 0 {
					tt.reply.Hold = make(chan struct{}) // of the bubble
				}
				s := openaitest.Unlisted(openaitest.Options{}, tt.reply)
				defer s.Close()
				g, err := openai.New(openai.Options{API: openai.ChatCompletions, APIKey: s.Key, BaseURL: s.URL, Way: transport.Options{HTTP: s}})
				if err != nil {
					t.Fatal(err)
				}
				started := time.Now()
				_, err = collect(t.Context(), g, ask("gpt-4.1", "hi"))
				if took := time.Since(started); took != tt.took {
					t.Errorf("took %v, want %v", took, tt.took)
				}
				if tt.says == "" {
					if err != nil {
						t.Errorf("ended with %v", err)
					}
					return
				}
				if e := wantError(t, err, model.Cut); e.Message != tt.says {
					t.Errorf("says %q, want %q", e.Message, tt.says)
				}
			})
		})
	}
}
