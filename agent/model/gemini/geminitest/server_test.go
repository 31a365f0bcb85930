package geminitest_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/agent/model/servertest"
)

// post sends a body and returns the status and the body of the answer.
func post(t *testing.T, s *geminitest.Server, model, body string) (int, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1beta/models/"+model+":streamGenerateContent?alt=sse", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Goog-Api-Key", s.Key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(got), err
}

func TestStrictness(t *testing.T) {
	const hi = `{"role":"user","parts":[{"text":"hi"}]}`
	turn := func(parts, answers string) string {
		return `{"contents":[` + hi + `,{"role":"model","parts":[` + parts + `]},{"role":"user","parts":[` + answers + `]}]}`
	}
	tool := func(schema string) string {
		return `{"contents":[` + hi + `],"tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":` + schema + `}]}]}`
	}
	const call, answer = `{"functionCall":{"name":"f","args":{}}}`, `{"functionResponse":{"name":"f","response":{"output":""}}}`
	const signed = `{"functionCall":{"name":"f","args":{}},"thoughtSignature":"skip_thought_signature_validator"}`
	const picture = `{"functionResponse":{"name":"f","response":{},"parts":[{"inlineData":{"mimeType":"image/png","data":"AAEC"}}]}}`
	for _, tt := range []struct {
		name  string
		model string // empty: gemini-2.5-pro
		body  string
		want  string // in the message; empty: accepted
	}{
		{name: "a question", body: `{"contents":[` + hi + `]}`},
		{name: "a call and its answer", body: turn(call, answer)},
		{name: "a signature alone", body: turn(`{"text":"","thoughtSignature":"AAEC"}`, `{"text":"b"}`)},
		{name: "a schema with definitions", body: tool(`{"type":"object","properties":{"a":{"$ref":"#/$defs/n"},"b":{"type":["string","null"]}},"$defs":{"n":{"type":"integer"}},"additionalProperties":false}`)},
		{name: "a stand-in for a signature", model: "gemini-3-pro-preview", body: turn(`{"functionCall":{"name":"f","args":{}},"thoughtSignature":"skip_thought_signature_validator"}`, answer)},
		{name: "no signature", model: "gemini-3-pro-preview", body: turn(call, answer), want: "missing a thought_signature"},
		{name: "a signature of somebody else's", model: "gemini-3-pro-preview", body: turn(`{"functionCall":{"name":"f","args":{}},"thoughtSignature":"AAEC"}`, answer), want: "Corrupted thought signature"},
		{name: "no JSON", body: `{"contents":`, want: "Invalid JSON payload"},
		{name: "no contents", body: `{}`, want: "contents is not specified"},
		{name: "an unknown field", body: `{"contents":[` + hi + `],"temperature":1}`, want: `Unknown name "temperature": Cannot find field`},
		{name: "an unknown field deep down", body: `{"contents":[{"role":"user","parts":[{"txt":"a"}]}]}`, want: `Unknown name "txt" at 'contents[0].parts[0]'`},
		{name: "a field in other letters", body: `{"Contents":[` + hi + `]}`, want: `Unknown name "Contents"`},
		{name: "a value of another type", body: `{"contents":[{"role":"user","parts":[{"text":7}]}]}`, want: "Invalid value at 'contents.parts.text'"},
		{name: "an unknown role", body: `{"contents":[{"role":"assistant","parts":[{"text":"a"}]}]}`, want: "valid role"},
		{name: "no parts", body: `{"contents":[{"role":"user","parts":[]}]}`, want: "parts must not be empty"},
		{name: "an empty part", body: `{"contents":[{"role":"user","parts":[{}]}]}`, want: "one initialized field"},
		{name: "a part of two kinds", body: `{"contents":[{"role":"user","parts":[{"text":"a","inlineData":{"mimeType":"image/png","data":"AA=="}}]}]}`, want: "already set"},
		{name: "a type that is not taken", body: `{"contents":[{"role":"user","parts":[{"inlineData":{"mimeType":"application/zip","data":"AA=="}}]}]}`, want: "Unsupported MIME type: application/zip"},
		{name: "data that is not base64", body: `{"contents":[{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"*"}}]}]}`, want: "Base64 decoding failed"},
		{name: "the model begins", body: `{"contents":[{"role":"model","parts":[{"text":"a"}]},` + hi + `]}`, want: "begins with a user turn"},
		{name: "the model ends", body: `{"contents":[` + hi + `,{"role":"model","parts":[{"text":"a"}]}]}`, want: "end with a user role"},
		{name: "the user speaks twice", body: `{"contents":[` + hi + `,` + hi + `]}`, want: "alternate"},
		{name: "a call of the user's", body: `{"contents":[{"role":"user","parts":[` + call + `]}]}`, want: "calls come from the model"},
		{name: "a call without a name", body: turn(`{"functionCall":{"args":{}}}`, answer), want: "Name cannot be empty"},
		{name: "arguments that are not an object", body: turn(`{"functionCall":{"name":"f","args":[]}}`, answer), want: "protobuf.Struct"},
		{name: "a call without an answer", body: turn(call, `{"text":"a"}`), want: "number of function response parts"},
		{name: "a call answered once of two", body: turn(call+","+call, answer), want: "number of function response parts"},
		{name: "an answer by another name", body: turn(call, `{"functionResponse":{"name":"g","response":{}}}`), want: "names and ids"},
		{name: "an answer with another id", body: turn(call, `{"functionResponse":{"id":"x","name":"f","response":{}}}`), want: "names and ids"},
		{name: "answers by their ids, in any order", body: turn(`{"functionCall":{"id":"1","name":"f"}},{"functionCall":{"id":"2","name":"g"}}`, `{"functionResponse":{"id":"2","name":"g","response":{}}},{"functionResponse":{"id":"1","name":"f","response":{}}}`)},
		{name: "answers without ids in another order", body: turn(call+`,{"functionCall":{"name":"g"}}`, `{"functionResponse":{"name":"g","response":{}}},`+answer), want: "names and ids"},
		{name: "an answer to the other of two calls", body: turn(`{"functionCall":{"id":"1","name":"f"}},{"functionCall":{"id":"2","name":"g"}}`, `{"functionResponse":{"id":"2","name":"f","response":{}}},{"functionResponse":{"id":"1","name":"g","response":{}}}`), want: "names and ids"},
		{name: "a picture in an answer", model: "gemini-3-pro-preview", body: turn(signed, picture)},
		{name: "a picture in an answer to an older model", body: turn(call, picture), want: "Multimodal function responses"},
		{name: "an empty text", body: turn(`{"text":"a"}`, `{"text":""}`), want: "must have a text parameter"},
		{name: "an empty system prompt", body: `{"contents":[` + hi + `],"systemInstruction":{"parts":[]}}`, want: "system_instruction.parts"},
		{name: "JSON beside functions", body: `{"contents":[` + hi + `],"tools":[{"functionDeclarations":[{"name":"f"}]}],"generationConfig":{"responseMimeType":"application/json"}}`, want: "is unsupported"},
		{name: "a choice of functions without a mode for it", body: `{"contents":[` + hi + `],"tools":[{"functionDeclarations":[{"name":"f"}]}],"toolConfig":{"functionCallingConfig":{"allowedFunctionNames":["f"]}}}`, want: "only when function calling mode is ANY"},
		{name: "a thinking level that there is not", model: "gemini-3-pro-preview", body: `{"contents":[` + hi + `],"generationConfig":{"thinkingConfig":{"thinkingLevel":"DEEP"}}}`, want: "thinking_level"},
		{name: "a thinking budget past the end", body: `{"contents":[` + hi + `],"generationConfig":{"thinkingConfig":{"thinkingBudget":32769}}}`, want: "between 128 and 32768"},
		{name: "an answer that is not an object", body: turn(call, `{"functionResponse":{"name":"f","response":"ok"}}`), want: "must be a JSON object"},
		{name: "an answer to nothing", body: turn(`{"text":"a"}`, answer), want: "immediately after a function call turn"},
		{name: "a bad function name", body: `{"contents":[` + hi + `],"tools":[{"functionDeclarations":[{"name":"no spaces"}]}]}`, want: "Invalid function name"},
		{name: "a function twice", body: `{"contents":[` + hi + `],"tools":[{"functionDeclarations":[{"name":"f"},{"name":"f"}]}]}`, want: "Duplicate function"},
		{name: "functions beside search", body: `{"contents":[` + hi + `],"tools":[{"functionDeclarations":[{"name":"f"}]},{"googleSearch":{}}]}`, want: "unsupported"},
		{name: "a schema that is not an object's", body: tool(`{"type":"string"}`), want: "should be of type OBJECT"},
		{name: "a schema of an unknown type", body: tool(`{"type":"object","properties":{"a":{"type":"text"}}}`), want: `"text"`},
		{name: "a list of nothing", body: tool(`{"type":"object","properties":{"a":{"type":"array"}}}`), want: "missing field"},
		{name: "a choice of nothing", body: tool(`{"type":"object","properties":{"a":{"type":"string","enum":[]}}}`), want: "enum"},
		{name: "an unknown required field", body: tool(`{"type":"object","properties":{},"required":["a"]}`), want: "property is not defined"},
		{name: "a reference to nowhere", body: tool(`{"type":"object","properties":{"a":{"$ref":"#/$defs/n"}}}`), want: "does not resolve"},
		{name: "a temperature past the end", body: `{"contents":[` + hi + `],"generationConfig":{"temperature":3}}`, want: "temperature must be"},
		{name: "thoughts of a model without any", model: "gemini-2.0-flash", body: `{"contents":[` + hi + `],"generationConfig":{"thinkingConfig":{"includeThoughts":true}}}`, want: "Thinking is not enabled"},
		{name: "more than the model takes", body: `{"contents":[{"role":"user","parts":[{"text":"` + strings.Repeat("a ", 2<<20+100) + `"}]}]}`, want: "exceeds the maximum number of tokens"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := geminitest.New(t, geminitest.Say("ok"))
			if tt.model == "" {
				tt.model = "gemini-2.5-pro"
			}
			status, got, err := post(t, s, tt.model, tt.body)
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
				Error struct {
					Code            int
					Message, Status string
				}
			}
			if err := json.Unmarshal([]byte(got), &e); err != nil {
				t.Fatalf("%v in %s", err, got)
			}
			if status != 400 || e.Error.Code != 400 || e.Error.Status != "INVALID_ARGUMENT" || !strings.Contains(e.Error.Message, tt.want) {
				t.Errorf("%d %+v, want %q", status, e.Error, tt.want)
			}
			if r := s.Requests(); len(r) != 1 || r[0].Refused == "" {
				t.Errorf("recorded as %+v", r)
			}
		})
	}
}

func TestMisbehaviour(t *testing.T) {
	half := geminitest.Say("a", "b")
	half.End = servertest.Truncate
	cut := geminitest.Say("a")
	cut.End = servertest.Cut
	drip := geminitest.Say("a")
	drip.Frame = servertest.Frame{Split: 100, Drip: time.Microsecond, CR: true, Comments: true, Done: true}
	for _, tt := range []struct {
		name   string
		reply  geminitest.Reply
		status int
		has    string
		err    error
	}{
		{name: "throttled", reply: geminitest.Throttle(1500 * time.Millisecond), status: 429, has: `"retryDelay":"1.5s"`},
		{name: "used up", reply: geminitest.Exhausted("PerDay", 0), status: 429, has: `"quotaId":"PerDay"`},
		{name: "overloaded", reply: geminitest.Fail(503, "later"), status: 503, has: `"status":"UNAVAILABLE"`},
		{name: "truncated", reply: half, status: 200, has: `"text":"a"`},
		{name: "cut", reply: cut, status: 200, has: `"text":"a"`, err: io.ErrUnexpectedEOF},
		{name: "dripping", reply: drip, status: 200, has: "\r: keep-alive\r"[1:]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := geminitest.New(t, tt.reply)
			status, got, err := post(t, s, "gemini-2.5-pro", `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`)
			if status != tt.status || !strings.Contains(got, tt.has) || !errors.Is(err, tt.err) {
				t.Errorf("%d %v %s", status, err, got)
			}
		})
	}
}

func TestHeldReplyIsSentOnRelease(t *testing.T) {
	gate := make(chan struct{})
	reply := geminitest.Say("a")
	reply.Hold = gate
	s := geminitest.Start(geminitest.Options{Answer: func(geminitest.Request) geminitest.Reply {
		time.AfterFunc(0, func() { close(gate) })
		return reply
	}})
	defer s.Close()
	if status, got, err := post(t, s, "gemini-2.5-pro", `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`); status != 200 || err != nil || !strings.Contains(got, `"a"`) {
		t.Errorf("%d %v %s", status, err, got)
	}
}

func TestSignaturesBelongToTheirCall(t *testing.T) {
	const model = "gemini-3-pro-preview"
	hi := `{"role":"user","parts":[{"text":"hi"}]}`
	s := geminitest.New(t, geminitest.Do(geminitest.Call("f", `{}`)), geminitest.Say("ok"), geminitest.Say("ok"))
	_, got, err := post(t, s, model, `{"contents":[`+hi+`]}`)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(got, `"thoughtSignature":"`)
	signature, _, _ := strings.Cut(rest, `"`)
	for name, want := range map[string]int{"f": http.StatusOK, "g": http.StatusBadRequest} {
		body := `{"contents":[` + hi + `,{"role":"model","parts":[{"functionCall":{"name":"` + name + `","args":{}},"thoughtSignature":"` + signature + `"}]},` +
			`{"role":"user","parts":[{"functionResponse":{"name":"` + name + `","response":{"output":""}}}]}]}`
		if status, got, err := post(t, s, model, body); err != nil || status != want {
			t.Errorf("the signature of f on a call of %s: %d %v %s", name, status, err, got)
		}
	}
}
