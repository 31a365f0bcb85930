package openaitest_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model/openai/openaitest"
	"github.com/emendo-dev/emendo/agent/model/servertest"
)

// post sends a body and returns the status and the body of the answer.
func post(t *testing.T, s *openaitest.Server, path, body string) (int, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+s.Key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(got), err
}

func TestStrictness(t *testing.T) {
	const (
		hi       = `{"role":"user","content":"hi"}`
		call     = `{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}`
		out      = `{"type":"function_call_output","call_id":"c","output":"ok"}`
		called   = `{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}`
		answered = `{"role":"tool","tool_call_id":"c","content":"ok"}`
	)
	responses := func(input, more string) string {
		return `{"model":"gpt-4.1","stream":true,"store":false,"input":[` + input + `]` + more + `}`
	}
	thinking := func(input, more string) string {
		return `{"model":"gpt-5.4","stream":true,"store":false,"input":[` + input + `]` + more + `}`
	}
	chat := func(messages, more string) string {
		return `{"model":"gpt-4.1","stream":true,"messages":[` + messages + `]` + more + `}`
	}
	tool := func(schema string) string {
		return responses(hi, `,"tools":[{"type":"function","name":"f","strict":false,"parameters":`+schema+`}]`)
	}
	compatible := openaitest.Options{Compatible: true}
	for _, tt := range []struct {
		name string
		path string // empty: responses
		o    openaitest.Options
		body string
		want string // in the message; empty: accepted
	}{
		{name: "a question", body: responses(hi, ``)},
		{name: "a call and its output", body: responses(hi+","+call+","+out, ``)},
		{name: "no JSON", body: `{"model":`, want: "could not parse"},
		{name: "an unknown field", body: responses(hi, `,"max_tokens":5`), want: "Unknown parameter: 'max_tokens'"},
		{name: "an unknown field deep down", body: responses(`{"role":"user","content":[{"type":"input_text","txt":"a"}]}`, ``), want: "Unknown parameter: 'input[0].content[0].txt'"},
		{name: "a field of the wrong type", body: responses(hi, `,"temperature":"hot"`), want: "Invalid type for 'temperature'"},
		{name: "no model", body: `{"stream":true}`, want: "Missing required parameter: 'model'"},
		{name: "no input", body: responses(``, ``), want: "Missing required parameter: 'input'"},
		{name: "no stream", body: `{"model":"gpt-4.1","store":false,"input":[` + hi + `]}`, want: "streams events only"},
		{name: "an item of an unknown type", body: responses(`{"type":"hologram"}`, ``), want: "Invalid value: 'hologram'"},
		{name: "an unknown role", body: responses(`{"role":"model","content":"a"}`, ``), want: "Invalid value: 'model'"},
		{name: "an empty text", body: responses(`{"role":"user","content":""}`, ``), want: "empty string"},
		{name: "an empty part", body: responses(`{"role":"user","content":[{"type":"input_text","text":""}]}`, ``), want: "empty string"},
		{name: "no parts", body: responses(`{"role":"user","content":[]}`, ``), want: "empty array"},
		{name: "the user's text as the model's", body: responses(`{"role":"user","content":[{"type":"output_text","text":"a"}]}`, ``), want: "Invalid value: 'output_text'"},
		{name: "a picture that is not one", body: responses(`{"role":"user","content":[{"type":"input_image","image_url":"data:image/tiff;base64,AAAA"}]}`, ``), want: "image MIME type"},
		{name: "a file without a name", body: responses(`{"role":"user","content":[{"type":"input_file","file_data":"data:application/pdf;base64,AAAA"}]}`, ``), want: "filename"},
		{name: "a call without an output", body: responses(hi+","+call+","+hi, ``), want: "No tool output found for function call c"},
		{name: "a call at the end", body: responses(hi+","+call, ``), want: "No tool output found"},
		{name: "an output without a call", body: responses(hi+","+out, ``), want: "No tool call found"},
		{name: "an output before its call", body: responses(out+","+call, ``), want: "No tool call found"},
		{name: "two outputs", body: responses(hi+","+call+","+out+","+out, ``), want: "No tool call found"},
		{name: "two calls of one id", body: responses(hi+","+call+","+out+","+call+","+out, ``), want: "Duplicate call_id"},
		{name: "a call without an id", body: responses(`{"type":"function_call","name":"f","arguments":"{}"}`, ``), want: "call_id"},
		{name: "a call with a bad name", body: responses(`{"type":"function_call","call_id":"c","name":"a.b","arguments":"{}"}`, ``), want: "does not match pattern"},
		{name: "arguments that are not an object", body: responses(`{"type":"function_call","call_id":"c","name":"f","arguments":"[]"}`, ``), want: "expected a JSON object"},
		{name: "reasoning that is not encrypted", body: thinking(hi+`,{"type":"reasoning","id":"rs_1","summary":[]}`, ``), want: "not persisted"},
		{name: "reasoning without a summary", body: thinking(hi+`,{"type":"reasoning","id":"rs_1","encrypted_content":"x"}`, ``), want: "summary"},
		{name: "reasoning of others", body: thinking(hi+`,{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAAAA"},`+call+","+out, ``), want: "could not be verified"},
		{name: "an effort of a model without", body: responses(hi, `,"reasoning":{"effort":"low"}`), want: "'reasoning.effort' is not supported"},
		{name: "an effort that there is not", body: thinking(hi, `,"reasoning":{"effort":"huge"}`), want: "Invalid value: 'huge'"},
		{name: "encryption of a model without reasoning", body: responses(hi, `,"include":["reasoning.encrypted_content"]`), want: "Encrypted content is not supported"},
		{name: "a temperature of a model that reasons", body: thinking(hi, `,"temperature":1`), want: "'temperature' is not supported"},
		{name: "a temperature past the end", body: responses(hi, `,"temperature":3`), want: "between 0 and 2"},
		{name: "a small answer", body: responses(hi, `,"max_output_tokens":1`), want: ">= 16"},
		{name: "a choice without tools", body: responses(hi, `,"tool_choice":"required"`), want: "only allowed when 'tools'"},
		{name: "a schema that is not an object's", body: tool(`{"type":"string"}`), want: "schema must be a JSON Schema of 'type: \"object\"'"},
		{name: "a schema without properties", body: tool(`{"type":"object"}`), want: "missing properties"},
		{name: "alternatives at the top", body: tool(`{"type":"object","properties":{},"anyOf":[]}`), want: "at the top level"},
		{name: "a list of nothing", body: tool(`{"type":"object","properties":{"a":{"type":"array"}}}`), want: "array schema missing items"},
		{name: "an unknown type", body: tool(`{"type":"object","properties":{"a":{"type":"text"}}}`), want: "'text' is not valid"},
		{name: "OpenAPI's null", body: tool(`{"type":"object","properties":{"a":{"type":"string","nullable":true}}}`), want: "nullable"},
		{name: "a reference to nowhere", body: tool(`{"type":"object","properties":{"a":{"$ref":"#/x"}}}`), want: "reference can only point"},
		{name: "a function twice", body: responses(hi, `,"tools":[{"type":"function","name":"f","strict":false,"parameters":{"type":"object","properties":{}}},{"type":"function","name":"f","strict":false,"parameters":{"type":"object","properties":{}}}]`), want: "Duplicate function"},
		{name: "more than the model takes", body: responses(`{"role":"user","content":"`+strings.Repeat("a ", 2<<20+100)+`"}`, ``), want: "maximum context length"},

		{name: "a chat", path: "chat/completions", body: chat(`{"role":"developer","content":"s"},`+hi, `,"max_completion_tokens":5`)},
		{name: "a chat with a call", path: "chat/completions", body: chat(hi+","+called+","+answered, ``)},
		{name: "an unknown field of a chat", path: "chat/completions", body: chat(hi, `,"input":1`), want: "Unknown parameter: 'input'"},
		{name: "no messages", path: "chat/completions", body: chat(``, ``), want: "empty array"},
		{name: "the old limit of a model that reasons", path: "chat/completions", body: `{"model":"gpt-5.4","stream":true,"max_tokens":5,"messages":[` + hi + `]}`, want: "Use 'max_completion_tokens' instead"},
		{name: "the new limit of a compatible server", path: "chat/completions", o: compatible, body: chat(hi, `,"max_completion_tokens":5`), want: "Unknown parameter: 'max_completion_tokens'"},
		{name: "the new role of a compatible server", path: "chat/completions", o: compatible, body: chat(`{"role":"developer","content":"s"},`+hi, ``), want: "Invalid value: 'developer'"},
		{name: "top_k", path: "chat/completions", body: chat(hi, `,"top_k":5`), want: "Unknown parameter: 'top_k'"},
		{name: "a call that nothing answers", path: "chat/completions", body: chat(hi+","+called+","+hi, ``), want: "did not have response messages: c"},
		{name: "a call of which one in two is answered", path: "chat/completions", body: chat(hi+`,{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"d","type":"function","function":{"name":"f","arguments":"{}"}}]},`+answered, ``), want: "did not have response messages: d"},
		{name: "an answer to nothing", path: "chat/completions", body: chat(hi+","+answered, ``), want: "must be a response to a preceding message"},
		{name: "an answer too late", path: "chat/completions", body: chat(hi+","+called+","+hi+","+answered, ``), want: "did not have response messages"},
		{name: "a call without a type", path: "chat/completions", body: chat(hi+`,{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]},`+answered, ``), want: "Supported values are: 'function'"},
		{name: "nothing said", path: "chat/completions", body: chat(hi+`,{"role":"assistant"},`+hi, ``), want: "expected a string, got null"},
		{name: "an empty message", path: "chat/completions", body: chat(hi+`,{"role":"assistant","content":""},`+hi, ``), want: "empty string"},
		{name: "no calls", path: "chat/completions", body: chat(hi+`,{"role":"assistant","content":"a","tool_calls":[]},`+hi, ``), want: "empty array"},
		{name: "a picture in an answer", path: "chat/completions", body: chat(hi+","+called+`,{"role":"tool","tool_call_id":"c","content":[{"type":"image_url","image_url":{"url":"https://x"}}]}`, ``), want: "Invalid value: 'image_url'"},
		{name: "the model ends", path: "chat/completions", body: chat(hi+`,{"role":"assistant","content":"a"}`, ``), want: "end with one of the role 'assistant'"},
		{name: "a late system message", path: "chat/completions", body: chat(hi+`,{"role":"system","content":"a"},`+hi, ``), want: "at the beginning"},
		{name: "reasoning in a chat", path: "chat/completions", body: chat(hi+`,{"role":"assistant","content":"a","reasoning_content":"b"},`+hi, ``), want: "reasoning_content"},
		{name: "no reasoning before a call", path: "chat/completions", o: openaitest.Options{Compatible: true, WantsReasoning: true}, body: chat(hi+","+called+","+answered, ``), want: "must be passed back"},
		{name: "a function without its wrapping", path: "chat/completions", body: chat(hi, `,"tools":[{"type":"function","name":"f"}]`), want: "Unknown parameter: 'tools[0].name'"},
		{name: "five stops", path: "chat/completions", body: chat(hi, `,"stop":["a","b","c","d","e"]`), want: "1 to 4 strings"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := openaitest.Start(tt.o, openaitest.Say("fine"))
			t.Cleanup(s.Close)
			path := tt.path
			if path == "" {
				path = "responses"
			}
			status, got, err := post(t, s, path, tt.body)
			if err != nil {
				t.Fatal(err)
			}
			if tt.want == "" {
				if status != http.StatusOK || !strings.Contains(got, `"fine"`) {
					t.Errorf("%d %s", status, got)
				}
				return
			}
			var e struct {
				Error struct{ Message, Type string }
			}
			if err := json.Unmarshal([]byte(got), &e); err != nil {
				t.Fatalf("%v in %s", err, got)
			}
			if status < 400 || status > 404 || e.Error.Type != "invalid_request_error" || !strings.Contains(e.Error.Message, tt.want) {
				t.Errorf("%d %+v, want %q", status, e.Error, tt.want)
			}
			if r := s.Requests(); len(r) != 1 || r[0].Refused == "" {
				t.Errorf("recorded as %+v", r)
			}
		})
	}
}

func TestReasoningBelongsToItsCall(t *testing.T) {
	const begin = `{"model":"gpt-5.4","stream":true,"store":false,"include":["reasoning.encrypted_content"],"input":[{"role":"user","content":"hi"}`
	s := openaitest.New(t, openaitest.Do(openaitest.Call("f", `{}`)), openaitest.Say("a"), openaitest.Say("b"))
	_, got, err := post(t, s, "responses", begin+`]}`)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(got, `"encrypted_content":"`)
	encrypted, _, _ := strings.Cut(rest, `"`)
	_, rest, _ = strings.Cut(got, `"call_id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	reasoning := func(item, text string) string {
		return `,{"type":"reasoning","id":"` + item + `","summary":[],"encrypted_content":"` + text + `"}`
	}
	called := `,{"type":"function_call","call_id":"` + id + `","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"` + id + `","output":"ok"}]}`
	for _, tt := range []struct{ name, item, says string }{
		{"with it", reasoning("rs_1_0", encrypted), ""},
		{"without it", "", "without its required 'reasoning' item: 'rs_1_0'"},
		{"with another id", reasoning("rs_1_9", encrypted), "could not be verified"},
		{"with another content", reasoning("rs_1_0", encrypted+"A"), "could not be verified"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, got, err := post(t, s, "responses", begin+tt.item+called)
			if err != nil || (status == http.StatusOK) != (tt.says == "") || !strings.Contains(got, tt.says) {
				t.Errorf("%d %v %s", status, err, got)
			}
		})
	}
	status, got, err := post(t, s, "responses", begin+reasoning("rs_1_0", encrypted)+`,{"role":"user","content":"a"}]}`)
	if err != nil || status != http.StatusBadRequest || !strings.Contains(got, "without its required following item") {
		t.Errorf("reasoning alone: %d %v %s", status, err, got)
	}
}

func TestMisbehaviour(t *testing.T) {
	half := openaitest.Say("a", "b")
	half.End = servertest.Truncate
	cut := openaitest.Reply{Events: []openaitest.Event{openaitest.Text("a")}, End: servertest.Cut}
	garbled := openaitest.Reply{Events: []openaitest.Event{openaitest.Text("a")}, End: servertest.Garble}
	drip := openaitest.Say("a")
	drip.Frame = servertest.Frame{Split: 100, Drip: time.Microsecond, CR: true, Comments: true}
	for _, tt := range []struct {
		name   string
		reply  openaitest.Reply
		status int
		has    string
		err    error
	}{
		{name: "throttled", reply: openaitest.Throttle(1500 * time.Millisecond), status: 429, has: `try again in 1.5s`},
		{name: "used up", reply: openaitest.Exhausted(), status: 429, has: `"code":"insufficient_quota"`},
		{name: "overloaded", reply: openaitest.Fail(503, "later"), status: 503, has: `"type":"server_error"`},
		{name: "truncated", reply: half, status: 200, has: `"a"`},
		{name: "garbled", reply: garbled, status: 200, has: `"#:`},
		{name: "cut", reply: cut, status: 200, has: `"a"`, err: io.ErrUnexpectedEOF},
		{name: "dripping", reply: drip, status: 200, has: ": keep-alive\r"},
	} {
		for _, path := range []string{"responses", "chat/completions"} {
			t.Run(tt.name+"/"+path, func(t *testing.T) {
				s := openaitest.New(t, tt.reply)
				status, got, err := post(t, s, path, `{"model":"gpt-4.1","stream":true,"store":false,"`+map[string]string{"responses": "input", "chat/completions": "messages"}[path]+`":[{"role":"user","content":"hi"}]}`)
				if status != tt.status || !strings.Contains(got, tt.has) || !errors.Is(err, tt.err) {
					t.Errorf("%d %v %s", status, err, got)
				}
			})
		}
	}
}

// Without a network it answers as it does over one.
func TestServerInMemory(t *testing.T) {
	gate := make(chan struct{})
	reply := openaitest.Say("a")
	reply.Hold = gate
	s := openaitest.Unlisted(openaitest.Options{Answer: func(r openaitest.Request) openaitest.Reply {
		if r.Said() != "hi" {
			t.Errorf("it hears %q", r.Said())
		}
		time.AfterFunc(0, func() { close(gate) })
		return reply
	}})
	defer s.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/chat/completions", strings.NewReader(`{"model":"gpt-4.1","stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + s.Key}}
	resp, err := s.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, err := io.ReadAll(resp.Body); err != nil || !strings.HasSuffix(string(got), "data: [DONE]\n\n") {
		t.Errorf("%v %s", err, got)
	}
}
