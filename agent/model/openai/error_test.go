package openai_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/openai"
	"github.com/emendo-dev/emendo/agent/model/openai/openaitest"
	"github.com/emendo-dev/emendo/agent/model/servertest"
)

func wantError(t *testing.T, err error, kind model.ErrorKind) *model.Error {
	t.Helper()
	var e *model.Error
	if !errors.As(err, &e) {
		t.Fatalf("%T %v is not a model error", err, err)
	}
	if e.Kind != kind {
		t.Fatalf("%v is of the kind %s, want %s", e, e.Kind, kind)
	}
	return e
}

func TestRefusalsAreClassified(t *testing.T) {
	refuse := func(status int, kind, code, message string) openaitest.Reply {
		return openaitest.Reply{Refusal: &openaitest.Refusal{Status: status, Type: kind, Code: code, Message: message}}
	}
	headers := func(r openaitest.Reply, h http.Header) openaitest.Reply {
		r.Refusal.Header = h
		return r
	}
	raw := func(status int, body string) openaitest.Reply {
		return openaitest.Reply{Refusal: &openaitest.Refusal{Status: status, Body: body}}
	}
	for _, tt := range []struct {
		name  string
		reply openaitest.Reply
		want  model.Error // Message is a part of it
	}{
		{"a key that is not accepted", refuse(401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided: sk-abcde**********wxyz."), model.Error{Kind: model.Auth, Status: 401, Message: "the provider rejected the credentials: Incorrect API key provided: [key]"}},
		{"a gateway that refuses in a text", raw(400, "the team has no budget\n"), model.Error{Kind: model.Invalid, Status: 400, Message: "the provider rejected the request: the team has no budget"}},
		{"no credit", raw(402, `{"error": {"message": "Insufficient credits"}}`), model.Error{Kind: model.Quota, Status: 402, Message: "the quota is used up: Insufficient credits"}},
		{"a country that is not served", refuse(403, "request_forbidden", "unsupported_country_region_territory", "Country, region, or territory not supported"), model.Error{Kind: model.Auth, Status: 403, Message: "not supported"}},
		{"a scope that is missing", refuse(403, "", "", "You have insufficient permissions for this operation. Missing scopes: model.request."), model.Error{Kind: model.Auth, Status: 403, Message: "insufficient permissions"}},
		{"a model of others", refuse(403, "invalid_request_error", "model_not_found", "Project `p` does not have access to model `gpt-9`"), model.Error{Kind: model.NoAccess, Status: 403, Message: "; choose another with --model"}},
		{"no access", refuse(403, "", "", "no"), model.Error{Kind: model.NoAccess, Status: 403}},
		{"an unknown model", refuse(404, "invalid_request_error", "model_not_found", "The model `gpt-9` does not exist or you do not have access to it."), model.Error{Kind: model.NotFound, Status: 404, Message: "gpt-9"}},
		{"a model that was not pulled", raw(404, `{"error":{"message":"model \"x\" not found, try pulling it first","type":"api_error","param":null,"code":null}}`), model.Error{Kind: model.NotFound, Status: 404, Message: "try pulling it first"}},
		{"no such API", raw(404, `404 page not found`), model.Error{Kind: model.Invalid, Status: 404, Message: "check the base URL, which usually ends in /v1"}},
		{"a URL that OpenAI does not know", refuse(404, "invalid_request_error", "unknown_url", "Unknown request URL"), model.Error{Kind: model.Invalid, Status: 404, Message: "check the base URL"}},
		{"too many requests", openaitest.Throttle(1500 * time.Millisecond), model.Error{Kind: model.RateLimited, Status: 429, RetryAfter: 1500 * time.Millisecond}},
		{"too many requests, by header", openaitest.ThrottleHeader(20 * time.Second), model.Error{Kind: model.RateLimited, Status: 429, RetryAfter: 20 * time.Second}},
		{"too many tokens, by the reset", headers(openaitest.Throttle(0), http.Header{"X-Ratelimit-Remaining-Tokens": {"0"}, "X-Ratelimit-Reset-Tokens": {"1m30s"}, "X-Ratelimit-Remaining-Requests": {"9"}, "X-Ratelimit-Reset-Requests": {"8h"}}), model.Error{Kind: model.RateLimited, Status: 429, RetryAfter: 90 * time.Second}},
		{"a reset that is longer than the wait", headers(openaitest.ThrottleHeader(7*time.Second), http.Header{"Retry-After": {"7"}, "X-Ratelimit-Remaining-Tokens": {"0"}, "X-Ratelimit-Reset-Tokens": {"6m0s"}}), model.Error{Kind: model.RateLimited, Status: 429, RetryAfter: 7 * time.Second}},
		{"the requests of a day", refuse(429, "requests", "rate_limit_exceeded", "Rate limit reached for gpt-9 on requests per day (RPD): Limit 200, Used 200, Requested 1."), model.Error{Kind: model.Quota, Status: 429}},
		{"no money", openaitest.Exhausted(), model.Error{Kind: model.Quota, Status: 429, Message: "the quota is used up: You exceeded your current quota"}},
		{"a request that will never fit", refuse(429, "tokens", "rate_limit_exceeded", "Request too large for gpt-9 on tokens per min (TPM): Limit 30000, Requested 45000."), model.Error{Kind: model.Overflow, Status: 429, Limit: 30000, Counted: 45000}},
		{"too long", refuse(400, "invalid_request_error", "context_length_exceeded", "This model's maximum context length is 128000 tokens. However, your messages resulted in 130100 tokens."), model.Error{Kind: model.Overflow, Status: 400, Limit: 128000, Counted: 130100}},
		{"too long for the Responses API", refuse(400, "invalid_request_error", "context_length_exceeded", "Your input exceeds the context window of this model. Please adjust your input and try again."), model.Error{Kind: model.Overflow, Status: 400}},
		{"too long for llama.cpp", raw(400, `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":4096}}`), model.Error{Kind: model.Overflow, Status: 400, Limit: 4096, Counted: 5000}},
		{"too long for vLLM", raw(400, `{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5096 tokens (4996 in the messages, 100 in the completion).","type":"BadRequestError","param":null,"code":400}`), model.Error{Kind: model.Overflow, Status: 400, Limit: 4096, Counted: 5096}},
		{"too large", raw(413, ``), model.Error{Kind: model.Overflow, Status: 413}},
		{"flagged", refuse(400, "invalid_request_error", "invalid_prompt", "Invalid prompt: your prompt was flagged as potentially violating our usage policy."), model.Error{Kind: model.Blocked, Status: 400}},
		{"filtered by a cloud", refuse(400, "", "content_filter", "The response was filtered"), model.Error{Kind: model.Blocked, Status: 400}},
		{"not a valid request", refuse(400, "invalid_request_error", "unsupported_parameter", "Unsupported parameter: 'x'."), model.Error{Kind: model.Invalid, Status: 400, Message: "Unsupported parameter: 'x'"}},
		{"an error of FastAPI", raw(422, `{"detail":[{"message":"field required"}]}`), model.Error{Kind: model.Invalid, Status: 422}},
		{"an error that is a text", raw(400, `{"error":"model is required"}`), model.Error{Kind: model.Invalid, Status: 400, Message: "model is required"}},
		{"a list of errors", raw(400, `[{"error":{"code":400,"message":"bad","status":"INVALID_ARGUMENT"}}]`), model.Error{Kind: model.Invalid, Status: 400, Message: "bad"}},
		{"a crash", openaitest.Fail(500, "The server had an error while processing your request."), model.Error{Kind: model.Unavailable, Status: 500}},
		{"a crash of llama.cpp about a picture", raw(500, `{"error":{"code":500,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj","type":"server_error"}}`), model.Error{Kind: model.Invalid, Status: 500, Message: "image input is not supported"}},
		{"no room", refuse(503, "service_unavailable_error", "", "The engine is currently overloaded, please try again later"), model.Error{Kind: model.Unavailable, Status: 503, Capacity: true}},
		{"too fast", refuse(503, "", "slow_down", "Slow down"), model.Error{Kind: model.Unavailable, Status: 503, Capacity: true}},
		{"a model that is being loaded", raw(503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`), model.Error{Kind: model.Unavailable, Status: 503, Capacity: true, Loading: true}},
		{"a gateway", raw(502, `<html>Bad gateway</html>`), model.Error{Kind: model.Unavailable, Status: 502, Message: "Bad Gateway"}},
		{"a redirect", raw(302, ``), model.Error{Kind: model.Invalid, Status: 302, Message: "redirects; check the base URL"}},
		{"a web page", openaitest.Reply{Refusal: &openaitest.Refusal{Status: 200, Body: "<html>", Header: http.Header{"Content-Type": {"text/html"}}}}, model.Error{Kind: model.Invalid, Status: 200, Message: "web page"}},
	} {
		for _, api := range apis {
			t.Run(tt.name+"/"+api.name, func(t *testing.T) {
				s := start(t, api.server, tt.reply)
				_, err := collect(t.Context(), client(t, s, api.change), ask(api.model, "hi"))
				e := wantError(t, err, tt.want.Kind)
				if !strings.Contains(e.Message, tt.want.Message) || strings.Contains(e.Error(), "sk-") {
					t.Errorf("says %q, want %q", e.Message, tt.want.Message)
				}
				got := *e
				got.Message, got.Err = tt.want.Message, nil
				if got != tt.want {
					t.Errorf("got %+v, want %+v", got, tt.want)
				}
				if n := len(s.Requests()); n != 1 {
					t.Errorf("it was sent %d times", n)
				}
			})
		}
	}
}

// A long delay means that the quota is used up.
func TestLongDelayIsAQuota(t *testing.T) {
	s := openaitest.New(t, openaitest.Throttle(7*time.Hour+12*time.Minute))
	_, err := collect(t.Context(), client(t, s, nil), ask("gpt-5.4", "hi"))
	e := wantError(t, err, model.Quota)
	if left := time.Until(e.ResetAt); left < 7*time.Hour || left > 8*time.Hour || e.RetryAfter != 0 {
		t.Errorf("it resets in %v, and is to be tried in %v", left, e.RetryAfter)
	}
}

func TestKeysAreNotShown(t *testing.T) {
	const key = "a-key-of-mine-0123456789"
	for _, api := range apis {
		t.Run(api.name, func(t *testing.T) {
			s := start(t, api.server, openaitest.Fail(500, "Bearer "+key+" and "+key))
			g := client(t, s, func(o *openai.Options) {
				if api.change != nil {
					api.change(o)
				}
				o.APIKey = key + "\n"
			})
			_, err := collect(t.Context(), g, ask(api.model, "hi"))
			if e := wantError(t, err, model.Auth); strings.Contains(e.Error(), key) || strings.Contains(e.Error(), "a-key-of") {
				t.Errorf("%v", e)
			}
			if got := s.Requests()[0].Header.Get("Authorization"); got != "Bearer "+key {
				t.Errorf("sent %q", got)
			}
		})
	}
}

func TestBrokenStreams(t *testing.T) {
	unfinished := []openaitest.Event{openaitest.Text("half"), openaitest.Text(" an answer")}
	fail := func(code, message string) *openaitest.Refusal {
		return &openaitest.Refusal{Code: code, Message: message}
	}
	for _, tt := range []struct {
		name  string
		reply openaitest.Reply
		kind  model.ErrorKind
		says  string
	}{
		{"cut", openaitest.Reply{Events: unfinished, End: servertest.Cut}, model.Cut, "broke off"},
		{"an end without a finish", openaitest.Reply{Events: unfinished}, model.Cut, "ended before it was complete"},
		{"no events", openaitest.Reply{}, model.Cut, "ended before it was complete"},
		{"half an event", openaitest.Reply{Events: unfinished, End: servertest.Truncate}, model.Cut, "garbled"},
		{"a garbled event", openaitest.Reply{Events: unfinished, End: servertest.Garble}, model.Cut, "garbled"},
		{"an event that is no object", openaitest.Reply{Events: append(unfinished, openaitest.Event{Raw: `[1]`})}, model.Cut, ""},
		{"a bare text", openaitest.Reply{Events: append(unfinished, openaitest.Event{Raw: `upstream died`, Bare: true})}, model.Cut, "garbled"},
		{"an error of the server", openaitest.Reply{Events: append(unfinished, openaitest.Event{Error: fail("server_error", "The server had an error")})}, model.Unavailable, "The server had an error"},
		{"a limit in the middle", openaitest.Reply{Events: append(unfinished, openaitest.Event{Failed: fail("rate_limit_exceeded", "Rate limit reached. Please try again in 2s.")})}, model.RateLimited, "Rate limit"},
		{"no money in the middle", openaitest.Reply{Events: append(unfinished, openaitest.Event{Error: fail("insufficient_quota", "no")})}, model.Quota, ""},
		{"too long, seen late", openaitest.Reply{Events: append(unfinished, openaitest.Event{Failed: fail("context_length_exceeded", "Your input exceeds the context window of this model.")})}, model.Overflow, ""},
		{"flagged in the middle", openaitest.Reply{Events: append(unfinished, openaitest.Event{Failed: fail("invalid_prompt", "flagged")})}, model.Blocked, "flagged"},
		{"flagged by another policy", openaitest.Reply{Events: append(unfinished, openaitest.Event{Failed: fail("misalignment_policy_violation", "flagged")})}, model.Blocked, "flagged"},
		{"a picture that cannot be read, seen late", openaitest.Reply{Events: []openaitest.Event{{Failed: fail("image_parse_error", "The image data you provided does not represent a valid image.")}}}, model.Invalid, "rejected the request: The image data"},
		{"a failure without a reason", openaitest.Reply{Events: append(unfinished, openaitest.Event{Failed: fail("", "")})}, model.Cut, "broke off"},
		{"an error of unknown meaning", openaitest.Reply{Events: append(unfinished, openaitest.Event{Error: fail("odd", "strange")})}, model.Cut, "broke off: strange"},
		{"an error object of another server", openaitest.Reply{Events: append(unfinished, openaitest.Event{Raw: `{"error":{"message":"CUDA out of memory","type":"server_error","code":500}}`})}, model.Unavailable, "CUDA"},
		{"an error of vLLM", openaitest.Reply{Events: append(unfinished, openaitest.Event{Raw: `{"object":"error","message":"EngineCore died","type":"InternalServerError","param":null,"code":500}`})}, model.Unavailable, "EngineCore died"},
		{"a bare error object", openaitest.Reply{Events: append(unfinished, openaitest.Event{Raw: `{"error":{"message":"busy","code":429}}`, Bare: true})}, model.RateLimited, "busy"},
	} {
		for _, api := range apis {
			t.Run(tt.name+"/"+api.name, func(t *testing.T) {
				s := start(t, api.server, tt.reply)
				a, err := collect(t.Context(), client(t, s, api.change), ask(api.model, "hi"))
				e := wantError(t, err, tt.kind)
				if !strings.Contains(e.Message, tt.says) {
					t.Errorf("says %q, want %q", e.Message, tt.says)
				}
				if a.Finish != "" {
					t.Errorf("it finished with %q", a.Finish)
				}
				if strings.Contains(e.Error(), "half") || strings.Contains(e.Error(), "upstream") {
					t.Errorf("quotes the stream: %v", e)
				}
			})
		}
	}
}

// An answer that ran out of tokens in a call has the rest of it as a broken call.
func TestHalfACallIsBroken(t *testing.T) {
	for _, api := range apis {
		t.Run(api.name, func(t *testing.T) {
			reply := openaitest.Reply{Events: []openaitest.Event{openaitest.Text("a"), openaitest.Call("f", `{}`), openaitest.Call("f", `{"a":`)}}.Stop(openaitest.Length)
			s := start(t, api.server, reply)
			a, err := collect(t.Context(), client(t, s, api.change), ask(api.model, "hi"))
			if err != nil || a.Finish != model.MaxTokens || len(a.calls()) != 2 {
				t.Fatalf("%+v %v", a, err)
			}
			if c, ok := a.Parts[len(a.Parts)-1].(model.Call); !ok || !strings.Contains(c.Broken, "They end before the object does") || string(c.Args) != "{}" {
				t.Errorf("%+v", a.Parts[2])
			}
		})
	}
}

func TestCancelAndBreakEndAStream(t *testing.T) {
	for _, api := range apis {
		t.Run(api.name, func(t *testing.T) {
			for range 20 {
				stalled := openaitest.Reply{Events: []openaitest.Event{openaitest.Text("a")}, End: servertest.Stall}
				s := start(t, api.server, stalled, stalled)
				g := client(t, s, api.change)
				for c, err := range g.Stream(t.Context(), ask(api.model, "hi")) {
					if err != nil {
						t.Fatal(err)
					}
					if len(c.Parts) > 0 {
						break
					}
				}
				ctx, cancel := context.WithCancelCause(t.Context())
				why := errors.New("the user wants it")
				var last error
				for c, err := range g.Stream(ctx, ask(api.model, "hi")) {
					if last = err; len(c.Parts) > 0 {
						cancel(why)
					}
				}
				if !errors.Is(last, why) {
					t.Errorf("ended with %v", last)
				}
				cancel(nil)
			}
		})
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    openai.Options
		kind model.ErrorKind
	}{
		{"no key", openai.Options{}, model.Auth},
		{"a key of spaces", openai.Options{APIKey: " \n"}, model.Auth},
		{"no URL", openai.Options{BaseURL: "localhost:11434"}, model.Invalid},
		{"an unknown API", openai.Options{APIKey: "k", API: "assistants"}, model.Invalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := openai.New(tt.o)
			wantError(t, err, tt.kind)
		})
	}
	if _, err := openai.New(openai.Options{BaseURL: "http://localhost:1/v1"}); err != nil {
		t.Errorf("a server that needs no key: %v", err)
	}
}

// The client library has an environment of its own, and describes the machine.
func TestNothingElseIsSent(t *testing.T) {
	for name, value := range map[string]string{
		"OPENAI_API_KEY": "sk-of-the-environment", "OPENAI_ADMIN_KEY": "sk-of-an-admin", "OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "OPENAI_ORG_ID": "their-org",
		"OPENAI_PROJECT_ID": "their-project", "OPENAI_CUSTOM_HEADERS": "X-Theirs: yes",
	} {
		t.Setenv(name, value)
	}
	for _, api := range apis {
		t.Run(api.name, func(t *testing.T) {
			o := api.server
			o.Open = true
			s := start(t, o, openaitest.Say("ok"), openaitest.Say("ok"))
			g := client(t, s, func(o *openai.Options) {
				if api.change != nil {
					api.change(o)
				}
				o.APIKey, o.Way.UserAgent = "", "emendo/1"
			})
			if _, err := collect(t.Context(), g, ask(api.model, "hi")); err != nil {
				t.Fatal(err)
			}
			got := s.Requests()[0].Header
			for name := range got {
				switch name {
				case "Accept", "Accept-Encoding", "Content-Length", "Content-Type":
				case "User-Agent":
					if got.Get(name) != "emendo/1" {
						t.Errorf("it is %q", got.Get(name))
					}
				default:
					t.Errorf("%s: %s was sent", name, got.Get(name))
				}
			}
			g = client(t, s, func(o *openai.Options) {
				if api.change != nil {
					api.change(o)
				}
				o.Organization, o.Project, o.Way.Headers = "our-org", "our-project", http.Header{"x-ours": {"yes"}}
			})
			if _, err := collect(t.Context(), g, ask(api.model, "hi")); err != nil {
				t.Fatal(err)
			}
			got = s.Requests()[1].Header
			if got.Get("Openai-Organization") != "our-org" || got.Get("Openai-Project") != "our-project" || got.Get("X-Ours") != "yes" {
				t.Errorf("sent %v", got)
			}
		})
	}
}
