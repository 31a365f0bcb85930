package anthropictest_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model/anthropic/anthropictest"
	"github.com/emendo-dev/emendo/agent/model/servertest"
)

// post sends a body to the server.
func post(t *testing.T, s *anthropictest.Server, body string) (status int, answer string, err error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1/messages", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "X-Api-Key": s.Key, "Anthropic-Version": "2023-06-01"} {
		req.Header.Set(name, value)
	}
	way := &http.Transport{}
	defer way.CloseIdleConnections()
	resp, err := way.RoundTrip(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

func TestRequestsAreChecked(t *testing.T) {
	const (
		hi   = `{"role":"user","content":"hi"}`
		use  = `{"type":"tool_use","id":"a","name":"f","input":{}}`
		done = `{"type":"tool_result","tool_use_id":"a","content":"ok"}`
		mark = `"cache_control":{"type":"ephemeral"}`
	)
	with := func(model, messages, rest string) string {
		return `{"model":"` + model + `","stream":true,"max_tokens":4096,"messages":[` + messages + `]` + rest + `}`
	}
	plain := func(messages string) string { return with("claude-thoughtless", messages, "") }
	budget := func(rest string) string { return with("claude-haiku-4-5", hi, rest) }
	turn := func(assistant, user string) string {
		return plain(hi + `,{"role":"assistant","content":[` + assistant + `]},{"role":"user","content":[` + user + `]}`)
	}
	schema := func(s string) string {
		return with("claude-thoughtless", hi, `,"tools":[{"name":"f","input_schema":`+s+`}]`)
	}
	for _, tt := range []struct{ name, body, want string }{ // want is empty if the request is accepted
		{"one question", plain(hi), ""},
		{"a turn with a call", turn(use, done), ""},
		{"not JSON", `{`, "not valid JSON"},
		{"an unknown field", with("claude-thoughtless", hi, `,"seed":1`), "seed: Extra inputs are not permitted"},
		{"an unknown field in a block", plain(`{"role":"user","content":[{"type":"text","text":"a","given":true}]}`), "messages.0.content.0.text.given: Extra inputs"},
		{"an unknown block", plain(`{"role":"user","content":[{"type":"audio"}]}`), "Input tag 'audio'"},
		{"no max_tokens", `{"model":"claude-thoughtless","messages":[` + hi + `]}`, "max_tokens: Field required"},
		{"too many max_tokens", strings.Replace(plain(hi), "4096", "8193", 1), "8193 > 8192"},
		{"no messages", plain(""), "at least one message is required"},
		{"the model begins", plain(`{"role":"assistant","content":"a"},` + hi), `must use the \"user\" role`},
		{"the model ends", plain(hi + `,{"role":"assistant","content":"a"}`), "assistant message prefill"},
		{"the user speaks twice", plain(hi + "," + hi), "roles must alternate"},
		{"a system message", plain(`{"role":"system","content":"a"}`), "Input should be 'user' or 'assistant'"},
		{"an empty message", plain(`{"role":"user","content":[]}`), "non-empty content"},
		{"an empty text", plain(`{"role":"user","content":[{"type":"text","text":""}]}`), "must be non-empty"},
		{"a blank text", plain(`{"role":"user","content":[{"type":"text","text":" "}]}`), "non-whitespace text"},
		{"a call without a result", turn(use, `{"type":"text","text":"a"}`), "without `tool_result` blocks immediately after: a"},
		{"a result without a call", turn(`{"type":"text","text":"a"}`, done), "unexpected `tool_use_id`"},
		{"a result twice", turn(use, done+","+done), "multiple `tool_result` blocks"},
		{"a result after text", turn(use, `{"type":"text","text":"a"},`+done), "must come before all other content"},
		{"a call twice", turn(use+","+use, done), "ids must be unique"},
		{"a call of the user's", plain(`{"role":"user","content":[` + use + `]}`), "can only be in `assistant` messages"},
		{"an id with a space", turn(strings.Replace(use, `"a"`, `"a b"`, 1), done), "String should match pattern"},
		{"input that is not an object", turn(strings.Replace(use, `{}`, `[]`, 1), done), "Input should be a valid dictionary"},
		{"a picture of a failure", turn(use, `{"type":"tool_result","tool_use_id":"a","is_error":true,"content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}]}`), "all content must be type `text`"},
		{"a picture of another type", plain(`{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/bmp","data":"AA=="}}]}`), "media_type: Input should be"},
		{"five breakpoints", plain(`{"role":"user","content":[` + strings.TrimSuffix(strings.Repeat(`{"type":"text","text":"a",`+mark+`},`, 5), ",") + `]}`), "A maximum of 4 blocks"},
		{"a breakpoint at thinking", turn(`{"type":"thinking","thinking":"","signature":"x",`+mark+`},`+use, done), "Extra inputs"},
		{"an invented signature", turn(`{"type":"thinking","thinking":"a","signature":"x"},`+use, done), "Invalid `signature` in `thinking` block"},
		{"thinking at the end", turn(use+`,{"type":"thinking","thinking":"a","signature":"x"}`, done), "final block in an assistant message cannot be `thinking`"},
		{"a budget", budget(`,"thinking":{"type":"enabled","budget_tokens":1024}`), ""},
		{"a small budget", budget(`,"thinking":{"type":"enabled","budget_tokens":1023}`), "greater than or equal to 1024"},
		{"a budget as large as the answer", budget(`,"thinking":{"type":"enabled","budget_tokens":4096}`), "must be greater than `thinking.budget_tokens`"},
		{"a budget and temperature", budget(`,"temperature":0.5,"thinking":{"type":"enabled","budget_tokens":1024}`), "may only be set to 1 when thinking"},
		{"a budget of a model without any", with("claude-opus-5-5", hi, `,"thinking":{"type":"enabled","budget_tokens":1024}`), "not supported for this model"},
		{"no thinking of a model that always thinks", with("claude-mythos-5-1", hi, `,"thinking":{"type":"disabled"}`), "not supported for this model"},
		{"thinking and a demanded call", budget(`,"tools":[{"name":"f","input_schema":{"type":"object"}}],"tool_choice":{"type":"any"},"thinking":{"type":"enabled","budget_tokens":1024}`), "Thinking may not be enabled when tool_choice forces tool use"},
		{"a call that no thinking precedes", with("claude-haiku-4-5", hi+`,{"role":"assistant","content":[`+use+`]},{"role":"user","content":[`+done+`]}`, `,"thinking":{"type":"enabled","budget_tokens":1024}`), "Expected `thinking` or `redacted_thinking`, but found `tool_use`"},
		{"an effort that the model does not know", with("claude-haiku-5-5", hi, `,"output_config":{"effort":"max"}`), "output_config.effort"},
		{"temperature of a model without sampling", with("claude-opus-5-5", hi, `,"temperature":0.5`), "not supported by this model"},
		{"temperature and top_p", with("claude-thoughtless", hi, `,"temperature":0.5,"top_p":0.5`), "cannot both be specified"},
		{"a bad name of a tool", with("claude-thoughtless", hi, `,"tools":[{"name":"a.b","input_schema":{"type":"object"}}]`), "tools.0.custom.name"},
		{"a tool twice", with("claude-thoughtless", hi, `,"tools":[{"name":"f","input_schema":{"type":"object"}},{"name":"f","input_schema":{"type":"object"}}]`), "Tool names must be unique"},
		{"a choice without tools", with("claude-thoughtless", hi, `,"tool_choice":{"type":"auto"}`), "only be specified while providing tools"},
		{"a schema of a string", schema(`{"type":"string"}`), "Input should be 'object'"},
		{"alternatives at the top", schema(`{"type":"object","anyOf":[{}]}`), "at the top level"},
		{"a boolean limit", schema(`{"type":"object","properties":{"a":{"exclusiveMinimum":true}}}`), "exclusiveMinimum"},
		{"a list of items", schema(`{"type":"object","properties":{"a":{"items":[{}]}}}`), "items"},
		{"an unknown type", schema(`{"type":"object","properties":{"a":{"anyOf":[{"type":"text"}]}}}`), "draft 2020-12"},
		{"a property with a space", schema(`{"type":"object","properties":{"a b":{}}}`), "Property keys should match"},
		{"a reference to nowhere", schema(`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}}}`), "does not resolve"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := anthropictest.New(t, anthropictest.Say("ok"))
			status, got, err := post(t, s, tt.body)
			if err != nil {
				t.Fatal(err)
			}
			if tt.want == "" {
				if status != http.StatusOK || !strings.Contains(got, `"text":"ok"`) {
					t.Errorf("%d %s", status, got)
				}
				return
			}
			var e struct {
				Error struct{ Type, Message string }
			}
			if err := json.Unmarshal([]byte(got), &e); err != nil {
				t.Fatalf("%v in %s", err, got)
			}
			if status != 400 || e.Error.Type != "invalid_request_error" || !strings.Contains(e.Error.Message, strings.ReplaceAll(tt.want, `\"`, `"`)) {
				t.Errorf("%d %+v, want %q", status, e.Error, tt.want)
			}
			if r := s.Requests(); len(r) != 1 || r[0].Refused == "" {
				t.Errorf("recorded as %+v", r)
			}
		})
	}
}

func TestThinkingMustComeBackUnchanged(t *testing.T) {
	const model = `{"model":"claude-haiku-4-5","stream":true,"max_tokens":4096,"thinking":{"type":"enabled","budget_tokens":1024},"messages":[{"role":"user","content":"hi"}`
	s := anthropictest.New(t, anthropictest.Do(anthropictest.Think("hm"), anthropictest.Call("f", `{}`)))
	_, got, err := post(t, s, model+"]}")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(got, `"delta":{"signature":"`)
	signature, _, _ := strings.Cut(rest, `"`)
	for thinking, want := range map[string]string{
		`{"type":"thinking","thinking":"hm","signature":"` + signature + `"},`:  "",
		`{"type":"thinking","thinking":"hm!","signature":"` + signature + `"},`: "cannot be modified",
		``: "are missing or in another order",
	} {
		s.Add(anthropictest.Say("ok"))
		status, got, err := post(t, s, model+`,{"role":"assistant","content":[`+thinking+`{"type":"tool_use","id":"toolu_1_1","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1_1"}]}]}`)
		if err != nil || (status == http.StatusOK) != (want == "") || !strings.Contains(got, want) {
			t.Errorf("with %q: %d %v %s", thinking, status, err, got)
		}
	}
}

func TestMisbehaviour(t *testing.T) {
	half := anthropictest.Say("a", "b")
	half.End = servertest.Truncate
	cut := anthropictest.Say("a")
	cut.End = servertest.Cut
	drip := anthropictest.Say("a")
	drip.Frame = servertest.Frame{Split: 100, Drip: time.Microsecond, CR: true, Comments: true}
	for _, tt := range []struct {
		name   string
		reply  anthropictest.Reply
		status int
		has    string
		err    error
	}{
		{"throttled", anthropictest.Throttle(2 * time.Second), 429, `"rate_limit_error"`, nil},
		{"overloaded", anthropictest.Overload(), 529, `"overloaded_error"`, nil},
		{"truncated", half, 200, `"text":"a"`, nil},
		{"cut", cut, 200, `"text":"a"`, io.ErrUnexpectedEOF},
		{"dripping", drip, 200, "\r: keep-alive\r", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := anthropictest.New(t, tt.reply)
			status, got, err := post(t, s, `{"model":"claude-thoughtless","stream":true,"max_tokens":10,"messages":[{"role":"user","content":"hi"}]}`)
			if status != tt.status || !strings.Contains(got, tt.has) || !errors.Is(err, tt.err) {
				t.Errorf("%d %v %s", status, err, got)
			}
		})
	}
}
