package textcall_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/model/textcall"
)

var reading = []model.Tool{{Name: "read", Description: "Read <a> file.", Schema: []byte(`{"type":"object","properties":{"path":{"type":"string"}}}`)}}

// answer holds the parts that a consumer receives.
type answer struct {
	Text   string
	Calls  []string
	Finish model.Finish
	Word   string
}

// collect asks g, and joins the answer.
func collect(t *testing.T, g model.Generator, req model.Request) answer {
	t.Helper()
	var a answer
	for c, err := range g.Stream(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range c.Parts {
			switch p := p.(type) { //nolint:gochecksumtype // there are no others
			case model.Text:
				a.Text += p.Text
			case model.Call:
				if p.ID == "" {
					t.Errorf("the call %s has no ID", p.Name)
				}
				a.Calls = append(a.Calls, p.Name+string(p.Args))
			}
		}
		if c.Finish != "" {
			a.Finish, a.Word = c.Finish, c.FinishWord
		}
	}
	return a
}

func TestAnswers(t *testing.T) {
	call := func(body string) string { return "<tool_call>\n" + body + "\n</tool_call>" }
	read := call(`{"name": "read", "arguments": {"path": "a.go"}}`)
	for _, tt := range []struct {
		name, text string
		finish     model.Finish
		want       answer
	}{
		{name: "no call", text: "It is <b>four</b>.\n<too", want: answer{Text: "It is <b>four</b>.\n<too", Finish: model.Stop}},
		{name: "a call", text: read, want: answer{Calls: []string{`read{"path": "a.go"}`}, Finish: model.Stop}},
		{name: "a call after text", text: "I look.\n\n" + read + "\n", want: answer{Text: "I look.\n\n", Calls: []string{`read{"path": "a.go"}`}, Finish: model.Stop}},
		{name: "two calls", text: read + "\n\n" + read, want: answer{Calls: []string{`read{"path": "a.go"}`, `read{"path": "a.go"}`}, Finish: model.Stop}},
		{name: "two calls side by side", text: read + read, want: answer{Calls: []string{`read{"path": "a.go"}`, `read{"path": "a.go"}`}, Finish: model.Stop}},
		{name: "large numbers keep their digits", text: call(`{"arguments":{"n":9007199254740993},"name":"read"}`), want: answer{Calls: []string{`read{"n":9007199254740993}`}, Finish: model.Stop}},
		{name: "a marker in the middle of a line", text: "Write <tool_call> to call.", want: answer{Text: "Write <tool_call> to call.", Finish: model.Stop}},
		{name: "markers in an argument", text: call(`{"name":"read","arguments":{"path":"\n</tool_call>\n\"<tool_call>"}}`), want: answer{Calls: []string{`read{"path":"\n</tool_call>\n\"<tool_call>"}`}, Finish: model.Stop}},
		{name: "a call in a code fence", text: "```\n" + read + "\n```", want: answer{Text: "```\n", Finish: model.MalformedCall, Word: "there is text after a call"}},
		{name: "text after a call", text: read + "\nDone.", want: answer{Finish: model.MalformedCall, Word: "there is text after a call"}},
		{name: "a call that does not end", text: "<tool_call>\n{", want: answer{Finish: model.MalformedCall, Word: "a call does not end"}},
		{name: "an answer that was cut off in a call", text: "So:\n<tool_call>\n{", finish: model.MaxTokens, want: answer{Text: "So:\n", Finish: model.MalformedCall, Word: "a call does not end; the answer reached its limit of tokens in it: write less at once"}},
		{name: "an end without a beginning", text: "</tool_call>", want: answer{Finish: model.MalformedCall, Word: "a call ends that did not begin"}},
		{name: "a result of its own", text: read + "\n<tool_result name=\"read\">", want: answer{Finish: model.MalformedCall, Word: "the model wrote the result of a tool"}},
		{name: "not JSON", text: call(`{name: "read"}`), want: answer{Finish: model.MalformedCall, Word: "a call is not valid JSON"}},
		{name: "two objects", text: call(`{"name":"read","arguments":{}}{}`), want: answer{Finish: model.MalformedCall, Word: "a call is not valid JSON"}},
		{name: "a name twice", text: call(`{"name":"read","name":"write","arguments":{}}`), want: answer{Finish: model.MalformedCall, Word: "a call is not valid JSON"}},
		{name: "a list", text: call(`[]`), want: answer{Finish: model.MalformedCall, Word: "a call is not a JSON object"}},
		{name: "another field", text: call(`{"name":"read","arguments":{},"id":1}`), want: answer{Finish: model.MalformedCall, Word: "a call has other fields than name and arguments"}},
		{name: "a name in another case", text: call(`{"Name":"read","arguments":{}}`), want: answer{Finish: model.MalformedCall, Word: "a call has other fields than name and arguments"}},
		{name: "no arguments", text: call(`{"name":"read"}`), want: answer{Finish: model.MalformedCall, Word: "a call lacks its name or its arguments"}},
		{name: "arguments in a text", text: call(`{"name":"read","arguments":"{}"}`), want: answer{Finish: model.MalformedCall, Word: "a call lacks its name or its arguments"}},
		{name: "one good and one bad call", text: read + "\n" + call(`{}`), want: answer{Finish: model.MalformedCall, Word: "a call lacks its name or its arguments"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, n := range []int{1, 2, 7, len(tt.text)} { // however it is cut into pieces
				var reply modeltest.Reply
				for rest := tt.text; rest != ""; {
					at := min(n, len(rest))
					reply = append(reply, modeltest.Say(rest[:at]))
					rest = rest[at:]
				}
				if tt.finish != "" {
					reply = append(reply, modeltest.Finish(tt.finish))
				}
				s := &modeltest.Script{Lenient: true, Replies: []modeltest.Reply{reply}}
				got := collect(t, textcall.New(s), model.Request{Tools: reading})
				if got.Word == "STOP" || got.Word == "stop" {
					got.Word = ""
				}
				if d := cmp.Diff(tt.want, got); d != "" {
					t.Errorf("in pieces of %d (-want +got):\n%s", n, d)
				}
			}
		})
	}
}

func TestTextIsStreamedAsItArrives(t *testing.T) {
	s := &modeltest.Script{Lenient: true, Replies: []modeltest.Reply{{modeltest.Say("one "), modeltest.Say("two\n"), modeltest.Say("<b"), modeltest.Say(">")}}}
	var got []string
	for c, err := range textcall.New(s).Stream(t.Context(), model.Request{Tools: reading}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range c.Parts {
			got = append(got, p.(model.Text).Text)
		}
	}
	if d := cmp.Diff([]string{"one ", "two\n", "<b", ">"}, got); d != "" {
		t.Error(d)
	}
}

func TestRequests(t *testing.T) {
	s := &modeltest.Script{Lenient: true, Replies: []modeltest.Reply{{modeltest.Say("ok")}}}
	req := model.Request{System: "Be good.", Tools: reading, Choice: model.MustCall, Messages: []model.Message{
		{Role: model.User, Parts: []model.Part{model.Text{Text: "go"}}},
		{Role: model.Model, Parts: []model.Part{model.Text{Text: "I look."}, model.Call{ID: "1", Name: "read", Args: []byte(`{"path":"a"}`)}}},
		{Role: model.User, Parts: []model.Part{model.Result{CallID: "1", Name: "read", Output: "x\n</tool_result>\ny", Failed: true, Blobs: []model.Blob{{MIME: "image/png", Data: []byte{1}}}}}},
	}}
	collect(t, textcall.New(s), req)
	got := s.Requests()[0]
	if got.Tools != nil || got.Choice != model.MayCall || !cmp.Equal(got.Config.StopSequences, []string{"\n<tool_result"}) {
		t.Errorf("tools %v, choice %v, stop %q", got.Tools, got.Choice, got.Config.StopSequences)
	}
	for _, want := range []string{"Be good.\n\n# Calling tools\n", "must call a tool", `{"name":"read","description":"Read `, `"parameters":{"type":"object"`} {
		if !strings.Contains(got.System, want) {
			t.Errorf("the system prompt lacks %q:\n%s", want, got.System)
		}
	}
	want := []model.Message{
		{Role: model.User, Parts: []model.Part{model.Text{Text: "go"}}},
		{Role: model.Model, Parts: []model.Part{model.Text{Text: "I look."}, model.Text{Text: "\n<tool_call>\n{\"name\": \"read\", \"arguments\": {\"path\":\"a\"}}\n</tool_call>\n"}}},
		{Role: model.User, Parts: []model.Part{
			model.Text{Text: "\n<tool_result name=\"read\" failed=\"true\">\nx\n</tool-result>\ny\n</tool_result>\n"},
			model.Blob{MIME: "image/png", Data: []byte{1}},
		}},
	}
	if d := cmp.Diff(want, got.Messages); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// FuzzAnswer checks that it does not matter how an answer is cut into pieces, that
// text is only lost to calls, and that calls are what the format says.
func FuzzAnswer(f *testing.F) {
	f.Add("I look.\n<tool_call>\n{\"name\":\"a\",\"arguments\":{\"b\":\"</tool_call>\"}}\n</tool_call>\n", uint8(1))
	f.Add("<tool_call></tool_call>", uint8(3))
	f.Add("<tool\n<tool_result", uint8(2))
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		ask := func(n int) answer {
			var reply modeltest.Reply
			for rest := text; rest != ""; {
				at := min(n, len(rest))
				reply = append(reply, modeltest.Say(rest[:at]))
				rest = rest[at:]
			}
			return collect(t, textcall.New(&modeltest.Script{Lenient: true, Replies: []modeltest.Reply{reply}}), model.Request{Tools: reading})
		}
		whole, pieces := ask(len(text)+1), ask(int(size)+1)
		if whole.Finish != pieces.Finish || whole.Finish == model.Stop && !cmp.Equal(whole, pieces) {
			t.Errorf("at once %+v, in pieces %+v", whole, pieces)
		}
		if !strings.HasPrefix(text, whole.Text) || whole.Finish == model.Stop && len(whole.Calls) == 0 && whole.Text != text {
			t.Errorf("of %q, %q was said", text, whole.Text)
		}
	})
}
