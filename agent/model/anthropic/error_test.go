package anthropic_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/anthropic"
	"github.com/emendo-dev/emendo/agent/model/anthropic/anthropictest"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/model/transport"
)

// wantError returns err as an error of a kind.
func wantError(t *testing.T, err error, kind model.ErrorKind) *model.Error {
	t.Helper()
	var e *model.Error
	if !errors.As(err, &e) || e.Kind != kind {
		t.Fatalf("got the error %v, want one of kind %s", err, kind)
	}
	if strings.Contains(e.Error(), anthropictest.Key) || strings.ContainsAny(e.Message, "\n\r") {
		t.Errorf("the message has a key or several lines: %q", e.Message)
	}
	return e
}

func TestErrorsAreClassified(t *testing.T) {
	fail := func(status int, message string) anthropictest.Reply { return anthropictest.Fail(status, message) }
	event := func(status int, message string) anthropictest.Reply {
		return anthropictest.Reply{Events: []anthropictest.Event{anthropictest.Text("a"), {Error: fail(status, message).Refusal}}}
	}
	page := anthropictest.Reply{Refusal: &anthropictest.Refusal{Status: 502, Body: "<html>Bad gateway</html>"}}
	for _, tt := range []struct {
		name  string
		reply anthropictest.Reply
		want  model.Error // Message is a part of it
	}{
		{"a rejected key", fail(401, "invalid x-api-key: "+anthropictest.Key), model.Error{Kind: model.Auth, Status: 401, Message: "the provider rejected the credentials: invalid x-api-key: [key]; check the key, or sign in again with `emendo auth login`"}},
		{"a key without rights", fail(403, "Your API key does not have permission to use the specified resource."), model.Error{Kind: model.Auth, Status: 403}},
		{"a model without access", fail(403, "You may not use this model."), model.Error{Kind: model.NoAccess, Status: 403, Message: "choose another with --model"}},
		{"no such model", fail(404, "model: claude-x"), model.Error{Kind: model.NotFound, Status: 404, Message: "the model is not available: model: claude-x; choose another"}},
		{"a server without the API", anthropictest.Reply{Refusal: &anthropictest.Refusal{Status: 404, Body: "<html>Not found</html>"}}, model.Error{Kind: model.Invalid, Status: 404, Message: "Not Found; check the base URL, which usually does not end in /v1"}},
		{"a gateway that refuses in a text", anthropictest.Reply{Refusal: &anthropictest.Refusal{Status: 400, Body: "the team has no budget\n"}}, model.Error{Kind: model.Invalid, Status: 400, Message: "the provider rejected the request: the team has no budget"}},
		{"throttled", anthropictest.Throttle(7 * time.Second), model.Error{Kind: model.RateLimited, Status: 429, RetryAfter: 7 * time.Second, Message: "too many requests: This request would exceed"}},
		{"throttled for a long time", anthropictest.Throttle(time.Hour), model.Error{Kind: model.Quota, Status: 429, RetryAfter: time.Hour}},
		{"overloaded", anthropictest.Overload(), model.Error{Kind: model.Unavailable, Status: 529, Capacity: true, Message: "the service is unavailable: Overloaded"}},
		{"overloaded in the middle", event(529, "Overloaded"), model.Error{Kind: model.Unavailable, Capacity: true, Message: "the service is unavailable: Overloaded"}},
		{"an internal error", fail(500, "Internal server error"), model.Error{Kind: model.Unavailable, Status: 500}},
		{"an internal error in the middle", event(500, "Internal server error"), model.Error{Kind: model.Unavailable}},
		{"too slow", fail(504, "The request timed out"), model.Error{Kind: model.Unavailable, Status: 504}},
		{"unpaid", fail(402, "Pay."), model.Error{Kind: model.Quota, Status: 402}},
		{"no credit", fail(400, "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."), model.Error{Kind: model.Quota, Status: 400}},
		{
			"a limit that the user set", fail(400, "You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."),
			model.Error{Kind: model.Quota, Status: 400, ResetAt: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)},
		},
		{"too many tokens", fail(400, "prompt is too long: 215000 tokens > 200000 maximum"), model.Error{Kind: model.Overflow, Status: 400, Counted: 215000, Limit: 200000}},
		{"too many tokens with the answer", fail(400, "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again"), model.Error{Kind: model.Overflow, Status: 400, Counted: 190000, Limit: 180000}},
		{
			"too many tokens for a server behind a gateway",
			anthropictest.Reply{Refusal: &anthropictest.Refusal{Status: 400, Body: `{"error":{"message":"litellm.ContextWindowExceededError: OpenAIException - This model's maximum context length is 4096 tokens. However, your messages resulted in 5000 tokens.","type":"None","code":"400"}}`}},
			model.Error{Kind: model.Overflow, Status: 400, Counted: 5000, Limit: 4096},
		},
		{
			"too many tokens for llama.cpp",
			anthropictest.Reply{Refusal: &anthropictest.Refusal{Status: 400, Body: `{"error":{"code":400,"message":"request (5063 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5063,"n_ctx":4096}}`}},
			model.Error{Kind: model.Overflow, Status: 400, Counted: 5063, Limit: 4096},
		},
		{"too many bytes", fail(413, "Request exceeds the maximum size"), model.Error{Kind: model.Overflow, Status: 413}},
		{"filtered", fail(400, "Output blocked by content filtering policy"), model.Error{Kind: model.Blocked, Status: 400}},
		{"a bad request", fail(400, "messages: no"), model.Error{Kind: model.Invalid, Status: 400, Message: "the provider rejected the request: messages: no"}},
		{"a page of a proxy", page, model.Error{Kind: model.Unavailable, Status: 502, Message: "the service is unavailable: Bad Gateway"}},
		{"an error of an unknown type in the middle", event(418, "teapot"), model.Error{Kind: model.Cut, Status: 200, Message: "the response broke off: teapot"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := anthropictest.New(t, tt.reply)
			_, err := collect(t.Context(), client(t, s, nil), ask(adaptive, "hi"))
			e := *wantError(t, err, tt.want.Kind)
			if !strings.Contains(e.Message, tt.want.Message) {
				t.Errorf("the message is %q, want %q in it", e.Message, tt.want.Message)
			}
			if tt.want.RetryAfter > 0 && e.Kind == model.Quota {
				if in := time.Until(e.ResetAt); in < tt.want.RetryAfter-time.Minute || in > tt.want.RetryAfter {
					t.Errorf("it resets in %v", in)
				}
				e.ResetAt, e.RetryAfter = tt.want.ResetAt, tt.want.RetryAfter
			}
			e.Message, e.Err, tt.want.Message = "", nil, ""
			if e != tt.want {
				t.Errorf("got %+v, want %+v", e, tt.want)
			}
			if n := len(s.Requests()); n != 1 {
				t.Errorf("%d requests were sent", n)
			}
		})
	}
}

func TestExhaustedLimitsSayWhenTheyReset(t *testing.T) {
	s := anthropictest.New(t, anthropictest.Exhausted("input-tokens", 40*time.Second), anthropictest.Exhausted("output-tokens", time.Hour))
	g := client(t, s, nil)
	_, err := collect(t.Context(), g, ask(adaptive, "hi"))
	if e := wantError(t, err, model.RateLimited); e.RetryAfter < 30*time.Second || e.RetryAfter > 40*time.Second {
		t.Errorf("the delay is %v", e.RetryAfter)
	}
	_, err = collect(t.Context(), g, ask(adaptive, "hi"))
	if in := time.Until(wantError(t, err, model.Quota).ResetAt); in < 58*time.Minute || in > time.Hour {
		t.Errorf("it resets in %v", in)
	}
}

func TestUnreachableServer(t *testing.T) {
	s := anthropictest.Start(anthropictest.Options{})
	url := s.URL
	s.Close()
	g, err := anthropic.New(anthropic.Options{APIKey: anthropictest.Key, BaseURL: url, Traits: func(string) (catalogue.Model, bool) { return traits[adaptive], true }, Way: transport.Options{HTTP: &http.Transport{}}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = collect(t.Context(), g, ask(adaptive, "hi"))
	wantError(t, err, model.Unavailable)
}
