package openai_test

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/openai"
	"github.com/emendo-dev/emendo/agent/model/openai/openaitest"
	"github.com/emendo-dev/emendo/agent/model/transport"
)

// badArguments are arguments that models have written and that are no JSON object, with
// what they are told.
var badArguments = []struct{ args, says string }{
	{`{"file_path":"n.txt","content":"a` + "\n" + `b"}`, "invalid character '\\n' in string"},
	{`{"path":"a",}`, "error at byte 12"},
	{`{'path':'a'}`, "error at byte 1"},
	{`{path:"a"}`, "error at byte 1"},
	{`{"path":"a`, "They end before the object does"},
	{`"{\"path\":\"a\"}"`, "They are a string"},
	{`[1]`, "They are a list"},
	{`{"path":"a"}{"path":"b"}`, "There is more after the end"},
	{"```json\n{}\n```", "error at byte 0"},
}

// A call with arguments that are no JSON object is yielded with what is wrong with it, and
// goes back to the provider as one that is valid.
func TestBrokenCallsAreYielded(t *testing.T) {
	for _, api := range apis {
		for _, tt := range badArguments {
			t.Run(api.name+"/"+tt.args, func(t *testing.T) {
				s := start(t, api.server, openaitest.Do(openaitest.Call("f", tt.args)), openaitest.Say("ok"))
				g := client(t, s, api.change)
				req := ask(api.model, "hi")
				req.Tools = []model.Tool{{Name: "f", Schema: []byte(`{"type":"object","properties":{}}`)}}
				a, err := collect(t.Context(), g, req)
				if err != nil || a.Finish != model.Stop {
					t.Fatalf("%+v, %v", a, err)
				}
				var broken model.Call
				for _, p := range a.Parts {
					if c, ok := p.(model.Call); ok {
						broken = c
					}
				}
				if broken.Name != "f" || string(broken.Args) != "{}" || !strings.Contains(broken.Broken, tt.says) {
					t.Errorf("the call is %+v", broken)
				}
				req.Messages = append(req.Messages, said(a.Parts...), user(model.Result{CallID: broken.ID, ProviderID: broken.ProviderID, Name: "f", Output: broken.Broken, Failed: true}))
				if a, err := collect(t.Context(), g, req); err != nil || a.text() != "ok" {
					t.Errorf("after it the model says %q, %v", a.text(), err)
				}
			})
		}
	}
}

// stream returns what a compatible server's events make of.
func stream(t *testing.T, events ...string) (answer, error) {
	t.Helper()
	var body strings.Builder
	for _, e := range events {
		body.WriteString("data: " + e + "\n\n")
	}
	g, err := openai.New(openai.Options{
		API: openai.ChatCompletions, Compatible: true, BaseURL: "http://server.test/v1",
		Way: transport.Options{HTTP: canned{200, "text/event-stream", func(context.Context) io.Reader { return strings.NewReader(body.String()) }}},
	})
	if err != nil {
		t.Fatal(err)
	}
	req := ask("m", "hi")
	req.Tools = []model.Tool{{Name: "read_file", Schema: []byte(`{"type":"object","properties":{"path":{"type":"string"}}}`)}}
	return collect(t.Context(), g, req)
}

func delta(fields string) string {
	return `{"id":"c","choices":[{"index":0,"delta":{` + fields + `},"finish_reason":null}]}`
}

func content(text string) string { return delta(`"content":` + strconv.Quote(text)) }

func finished(word string) string {
	return `{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":` + word + `}]}`
}

// calls returns the calls of an answer as NAME ARGUMENTS.
func (a answer) calls() []string {
	var out []string
	for _, p := range a.Parts {
		if c, ok := p.(model.Call); ok {
			out = append(out, fmt.Sprintf("%s %s", c.Name, c.Args))
		}
	}
	return out
}

// A server that marks only the end of the stream has answered completely.
func TestDoneEndsAnAnswer(t *testing.T) {
	a, err := stream(t, content("Hello"), content(" world"), "[DONE]")
	if err != nil || a.text() != "Hello world" || a.Finish != model.Stop {
		t.Errorf("%+v, %v", a, err)
	}
	a, err = stream(t, delta(`"tool_calls":[{"index":0,"id":"c1","function":{"name":"read_file","arguments":"{}"}}]`), "[DONE]")
	if err != nil || strings.Join(a.calls(), ",") != "read_file {}" || a.Finish != model.Stop {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err = stream(t, content("Hello")); err == nil {
		t.Errorf("a stream without an end is the answer %+v", a)
	}
}

// Some servers send calls whole, with the same index and without IDs.
func TestWholeCallsOfOneIndexAreApart(t *testing.T) {
	call := func(index int, name, args string) string {
		return delta(fmt.Sprintf(`"tool_calls":[{"index":%d,"function":{"name":%q,"arguments":%q}}]`, index, name, args))
	}
	for name, tt := range map[string]struct {
		events []string
		want   string
	}{
		"two of one tool":         {[]string{call(0, "read_file", `{"path":"a"}`), call(0, "read_file", `{"path":"b"}`)}, `read_file {"path":"a"}|read_file {"path":"b"}`},
		"two tools":               {[]string{call(0, "read_file", `{"path":"a"}`), call(0, "ls", `{}`)}, `read_file {"path":"a"}|ls {}`},
		"one in pieces":           {[]string{call(0, "read_file", `{"path":`), call(0, "", `"a"}`)}, `read_file {"path":"a"}`},
		"a name with each piece":  {[]string{call(0, "read_file", `{"path":`), call(0, "read_file", `"a"}`)}, `read_file {"path":"a"}`},
		"a name again at the end": {[]string{call(0, "read_file", `{"path":"a"}`), call(0, "read_file", "")}, `read_file {"path":"a"}`},
		"a name, then arguments":  {[]string{call(0, "read_file", ""), call(0, "", `{"path":"a"}`)}, `read_file {"path":"a"}`},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := stream(t, append(tt.events, finished(`"tool_calls"`), "[DONE]")...)
			if got := strings.Join(a.calls(), "|"); err != nil || got != tt.want {
				t.Errorf("got %s, want %s; %v", got, tt.want, err)
			}
		})
	}
}

// sent returns the body of a request to a server that answers with this API.
func sent(t *testing.T, o openaitest.Options, change func(*openai.Options), req model.Request) string {
	t.Helper()
	s := start(t, o, openaitest.Say("ok"))
	if _, err := collect(t.Context(), client(t, s, change), req); err != nil {
		t.Fatal(err)
	}
	return string(s.Requests()[0].Body)
}

// Servers that enforce a schema make the model write arguments in its order.
func TestParametersKeepTheirOrder(t *testing.T) {
	const properties = `"properties":{"old_string":{"type":"string"},"new_string":{"type":"string"},"a":{"type":"object","properties":{"z":{"type":"integer","minimum":1},"b":{"type":"string"}}}}`
	for _, api := range apis {
		t.Run(api.name, func(t *testing.T) {
			req := ask(api.model, "hi")
			req.Tools = []model.Tool{{Name: "replace", Schema: []byte(`{"type":"object",` + properties + `,"required":["old_string","new_string"]}`)}}
			if body := sent(t, api.server, api.change, req); !strings.Contains(body, properties) {
				t.Errorf("sent %s", body)
			}
		})
	}
}

// Servers of others get their IDs of calls back as they are: Kimi K2 has the tool's name in
// them.
func TestIDsOfCompatibleServersAreKept(t *testing.T) {
	req := ask("local-model", "hi")
	req.Tools = []model.Tool{{Name: "read", Schema: []byte(`{"type":"object","properties":{}}`)}}
	req.Messages = append(req.Messages, said(model.Call{ID: "a", ProviderID: "functions.read:0", Name: "read", Args: []byte("{}")}), user(model.Result{CallID: "a", ProviderID: "functions.read:0", Name: "read", Output: "x"}))
	if body := sent(t, openaitest.Options{Compatible: true}, compatible, req); strings.Count(body, "functions.read:0") != 2 {
		t.Errorf("sent %s", body)
	}
}

// An earlier answer goes back to the Responses API as a whole item, which servers of others
// want.
func TestEarlierAnswersAreWholeItems(t *testing.T) {
	req := ask("gpt-4.1", "hi")
	req.Messages = append(req.Messages, said(model.Text{Text: "hello"}), user(model.Text{Text: "again"}))
	body := sent(t, openaitest.Options{}, nil, req)
	for _, want := range []string{`"type":"message"`, `"type":"output_text"`, `"text":"hello"`} {
		if !strings.Contains(body, want) {
			t.Errorf("sent %s without %s", body, want)
		}
	}
}

// thoughts returns the thoughts of an answer.
func (a answer) thoughts() string {
	var b strings.Builder
	for _, p := range a.Parts {
		if t, ok := p.(model.Thought); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// What servers leave in the content of an answer.
func TestContentOfOtherServers(t *testing.T) {
	for name, tt := range map[string]struct {
		events         []string
		text, thoughts string
	}{
		"a list":                     {[]string{delta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"hmm"}]}]`), delta(`"content":[{"type":"text","text":"Hello"}]`)}, "Hello", "hmm"},
		"thoughts in tags":           {[]string{content("<think>a plan</think>\n\nHello")}, "Hello", "a plan"},
		"tags in pieces":             {[]string{content("<th"), content("ink>\na plan</th"), content("ink>"), content("\n\n"), content("Hello")}, "Hello", "a plan"},
		"a tag in the middle":        {[]string{content("Say <think>so</think>")}, "Say <think>so</think>", ""},
		"what only looks like a tag": {[]string{content("<th"), content("ree>")}, "<three>", ""},
		"a thought without an end":   {[]string{content("<think>Hello</th")}, "", "Hello</th"},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := stream(t, append(tt.events, finished(`"stop"`), "[DONE]")...)
			if err != nil || a.text() != tt.text || a.thoughts() != tt.thoughts {
				t.Errorf("said %q, thought %q, %v", a.text(), a.thoughts(), err)
			}
		})
	}
}

func TestFinishWordsOfOtherServers(t *testing.T) {
	for word, want := range map[string]model.Finish{"STOP": model.Stop, "end_turn": model.Stop, "eos_token": model.Stop, "tool_use": model.Stop, "max_tokens": model.MaxTokens, "odd": model.Other} {
		if a, err := stream(t, content("Hello"), finished(strconv.Quote(word)), "[DONE]"); err != nil || a.Finish != want {
			t.Errorf("%s is %q, %v", word, a.Finish, err)
		}
	}
}
