package gemini_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/gemini"
	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

func TestRefusalsAreClassified(t *testing.T) {
	key := geminitest.Key
	raw := func(status int, body string) geminitest.Reply {
		return geminitest.Reply{Refusal: &geminitest.Refusal{Status: status, Body: body}}
	}
	because := func(status int, reason string) geminitest.Reply {
		return raw(status, fmt.Sprintf(`{"error":{"code":%d,"message":"no","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":%q}]}}`, status, reason))
	}
	both := geminitest.Throttle(2 * time.Second)
	both.Refusal.Header = http.Header{"Retry-After": {"7"}}
	dated := geminitest.Throttle(0)
	dated.Refusal.Header = http.Header{"Retry-After": {time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)}}

	for _, tt := range []struct {
		name  string
		reply geminitest.Reply
		kind  model.ErrorKind
		after time.Duration
		reset bool
		full  bool // the model is overloaded
		says  string
	}{
		{name: "unknown caller", reply: geminitest.Fail(401, "who are you?"), kind: model.Auth, says: "the provider rejected the credentials: who are you?; check the key, or sign in again with `emendo auth login`"},
		{name: "a model that the key may not use", reply: geminitest.Fail(403, "The caller does not have permission"), kind: model.NoAccess, says: "the key has no access to this model: The caller does not have permission; choose another with --model or the setting model.name"},
		{name: "a server without the API", reply: raw(404, "<html>Not found</html>"), kind: model.Invalid, says: "the provider rejected the request: Not Found; check the base URL"},
		{name: "a gateway that refuses in a text", reply: raw(400, "the team has no budget\n"), kind: model.Invalid, says: "the provider rejected the request: the team has no budget"},
		{name: "no credit", reply: geminitest.Fail(402, "Pay."), kind: model.Quota, says: "the quota is used up: Pay"},
		{name: "a key that is refused for every model", reply: geminitest.Fail(403, "API key is blocked"), kind: model.Auth},
		{name: "a project without the service", reply: raw(403, `{"error":{"code":403,"message":"no","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"SERVICE_DISABLED"}]}}`), kind: model.Auth},
		{name: "a model that is closed to new keys", reply: geminitest.Fail(400, "This model is no longer available to new users."), kind: model.NotFound},
		{name: "a model that was retired", reply: geminitest.Fail(403, "gemini-1.0-pro has been retired."), kind: model.NotFound},
		{name: "expired key", reply: geminitest.Fail(400, "API key expired. Please renew the API key."), kind: model.Auth},
		{name: "no such model", reply: geminitest.Fail(404, "no."), kind: model.NotFound, says: "the model is not available: no; choose another with --model or the setting model.name"},
		{name: "a suspended account", reply: raw(403, `{"error":{"code":403,"message":"no","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TOS_VIOLATION","metadata":{"appeal_url":"https://example.test/appeal"}}]}}`), kind: model.Auth, says: "the provider rejected the credentials: no; see https://example.test/appeal"},
		{name: "an account that has to be confirmed", reply: raw(403, `{"error":{"code":403,"message":"no","details":[{"@type":"type.googleapis.com/google.rpc.Help","links":[{"description":"confirm","url":"https://example.test/confirm"}]}]}}`), kind: model.Auth, says: "the provider rejected the credentials: no; see https://example.test/confirm"},
		{name: "bad argument", reply: geminitest.Fail(400, "bad\n  thing\x1b[31m."), kind: model.Invalid, says: "the provider rejected the request: bad thing[31m"},
		{name: "too many tokens", reply: geminitest.Fail(400, "The input token count (2000000) exceeds the maximum number of tokens allowed (1048576)."), kind: model.Overflow},
		{name: "too many tokens for a server behind a gateway", reply: raw(400, `{"error":{"message":"litellm.ContextWindowExceededError: OpenAIException - This model's maximum context length is 4096 tokens. However, your messages resulted in 5000 tokens.","type":"None","param":null,"code":"400"}}`), kind: model.Overflow},
		{name: "too many bytes", reply: raw(413, "<html>nginx</html>"), kind: model.Overflow},
		{name: "throttled", reply: geminitest.Throttle(0), kind: model.RateLimited},
		{name: "throttled with RetryInfo", reply: geminitest.Throttle(12500 * time.Millisecond), kind: model.RateLimited, after: 12500 * time.Millisecond},
		{name: "throttled with Retry-After", reply: geminitest.ThrottleHeader(9 * time.Second), kind: model.RateLimited, after: 9 * time.Second},
		{name: "the longest delay wins", reply: both, kind: model.RateLimited, after: 7 * time.Second},
		{name: "a delay in the message", reply: geminitest.Fail(429, "Please retry in 3.5s."), kind: model.RateLimited, after: 3500 * time.Millisecond},
		{name: "a quota by the minute", reply: geminitest.Exhausted("GenerateRequestsPerMinutePerProject", 0), kind: model.RateLimited, after: time.Minute},
		{name: "a quota by the day", reply: geminitest.Exhausted("GenerateRequestsPerDayPerProject", 0), kind: model.Quota, reset: true},
		{name: "a quota by the day that asks for a short delay", reply: geminitest.Exhausted("DailyRequests", 30*time.Second), kind: model.Quota, reset: true},
		{name: "a quota that says in words when it comes back", reply: geminitest.Fail(429, "You have exhausted your capacity on this model. Your quota will reset after 3h2m1s."), kind: model.Quota, after: 3*time.Hour + 2*time.Minute + time.Second, reset: true},
		{name: "a quota that is used up by its reason", reply: because(429, "QUOTA_EXHAUSTED"), kind: model.Quota},
		{name: "a delay past patience", reply: geminitest.Throttle(301 * time.Second), kind: model.Quota, after: 301 * time.Second, reset: true},
		{name: "a date past patience", reply: dated, kind: model.Quota, reset: true},
		{name: "no quota at all", reply: geminitest.Fail(429, "Quota exceeded for metric x, limit: 0, model: y"), kind: model.Quota},
		{name: "no quota at all, of a service that says it is down", reply: geminitest.Fail(503, "limit: 0"), kind: model.Quota},
		{name: "a limit that begins with nought", reply: geminitest.Fail(429, "limit: 0.5"), kind: model.RateLimited},
		{name: "a model without capacity, by its reason", reply: because(429, "MODEL_CAPACITY_EXHAUSTED"), kind: model.RateLimited, full: true},
		{name: "a model without capacity, in words", reply: geminitest.Fail(503, "No capacity available for model x"), kind: model.Unavailable, full: true},
		{name: "internal", reply: geminitest.Fail(500, "oops"), kind: model.Unavailable},
		{name: "overloaded", reply: geminitest.Fail(503, "The model is overloaded."), kind: model.Unavailable, full: true, says: "the service is unavailable: The model is overloaded"},
		{name: "no answer in time", reply: geminitest.Fail(504, "Deadline expired before operation could complete."), kind: model.Unavailable},
		{name: "no request in time", reply: raw(408, ""), kind: model.Unavailable},
		{name: "a delay of milliseconds in the message", reply: geminitest.Fail(429, "Please retry in 900ms."), kind: model.RateLimited, after: 900 * time.Millisecond},
		{name: "a delay past patience in the message", reply: geminitest.Fail(429, "Please retry in 301s."), kind: model.Quota, after: 301 * time.Second, reset: true},
		{name: "a quota by the minute, by its limit's name", reply: raw(429, `{"error":{"code":429,"message":"no","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED","metadata":{"quota_limit":"RequestsPerMinutePerProject"}}]}}`), kind: model.RateLimited, after: time.Minute},
		{name: "a quota by the minute that says how long", reply: geminitest.Exhausted("GenerateRequestsPerMinutePerProject", 7*time.Second), kind: model.RateLimited, after: 7 * time.Second},
		{name: "two quotas, one of them by the day", reply: raw(429, `{"error":{"code":429,"message":"no","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"RequestsPerMinute"},{"quotaId":"RequestsPerDay"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"5s"}]}}`), kind: model.Quota, reset: true},
		{name: "a model without capacity that says how long", reply: raw(429, `{"error":{"code":429,"message":"no","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"MODEL_CAPACITY_EXCEEDED"},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"9s"}]}}`), kind: model.RateLimited, after: 9 * time.Second, full: true},
		{name: "cancelled by the server", reply: geminitest.Fail(499, "cancelled"), kind: model.Unavailable},
		{name: "a gateway's page", reply: raw(502, "<html><body>Bad Gateway</body></html>"), kind: model.Unavailable, says: "the service is unavailable: Bad Gateway"},
		{name: "an error in a list", reply: raw(429, `[{"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED"}}]`), kind: model.RateLimited, says: "too many requests: slow down"},
		{name: "an error that is a text", reply: raw(500, `{"error":"sorry"}`), kind: model.Unavailable, says: "the service is unavailable: sorry"},
		{name: "an error in a message", reply: raw(500, `{"error":{"code":500,"message":"{\"error\":{\"code\":429,\"message\":\"inner\",\"details\":[7,{\"@type\":\" type.googleapis.com/google.rpc.RetryInfo\",\"retryDelay\":\"4s\"}]}}"}}`), kind: model.RateLimited, after: 4 * time.Second, says: "too many requests: inner"},
		{name: "an empty body", reply: raw(500, " "), kind: model.Unavailable, says: "the service is unavailable: Internal Server Error"},
		{name: "a redirect is not followed", reply: geminitest.Reply{Refusal: &geminitest.Refusal{Status: 307, Header: http.Header{"Location": {"http://192.0.2.1/"}}, Body: " "}}, kind: model.Invalid, says: "the provider rejected the request: the server redirects; check the base URL"},
		{name: "an error in mid-stream", reply: geminitest.Reply{Events: []geminitest.Event{geminitest.Text("a"), {Error: &geminitest.Refusal{Status: 503, Message: "overloaded"}}}}, kind: model.Unavailable},
		{name: "a throttle in mid-stream", reply: geminitest.Reply{Events: []geminitest.Event{geminitest.Text("a"), {Error: geminitest.Throttle(5 * time.Second).Refusal}}}, kind: model.RateLimited, after: 5 * time.Second},
		{name: "a bare error in mid-stream", reply: geminitest.Reply{Events: []geminitest.Event{geminitest.Text("a"), {Bare: true, Raw: "{\n \"error\": {\n  \"code\": 500,\n  \"message\": \"late\"\n }\n}"}}}, kind: model.Unavailable, says: "the service is unavailable: late"},
		{name: "a blocked prompt", reply: geminitest.Reply{Events: []geminitest.Event{{Block: "PROHIBITED_CONTENT"}}}, kind: model.Blocked, says: "the provider rejected the prompt: PROHIBITED_CONTENT"},
		{name: "a log-in page", reply: geminitest.Reply{Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}}, kind: model.Invalid},
		{name: "the key echoed in a message", reply: geminitest.Fail(400, "bad key "+key+" in ?key="+key+" or AIzaSyAnotherKey0123456789"), kind: model.Invalid, says: "the provider rejected the request: bad key [key] in ?key=[key] or [key]"},
		{name: "the key echoed in a page", reply: raw(500, key), kind: model.Unavailable},
		{name: "the key echoed in garbage", reply: geminitest.Reply{Events: []geminitest.Event{{Raw: `{"x":` + key}}}, kind: model.Cut},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := geminitest.New(t, tt.reply)
			_, err := collect(t.Context(), client(t, s, nil), ask("gemini-2.5-pro", "hi"))
			e := wantError(t, err, tt.kind)
			if tt.after != 0 && e.RetryAfter != tt.after {
				t.Errorf("retry after %v, want %v", e.RetryAfter, tt.after)
			}
			if tt.after == 0 && !tt.reset && e.RetryAfter != 0 {
				t.Errorf("retry after %v, want none", e.RetryAfter)
			}
			if e.ResetAt.IsZero() == tt.reset {
				t.Errorf("reset at %v, want one: %v", e.ResetAt, tt.reset)
			}
			if e.Capacity != tt.full {
				t.Errorf("without capacity: %v", e.Capacity)
			}
			if tt.says != "" && e.Message != tt.says {
				t.Errorf("says %q, want %q", e.Message, tt.says)
			}
			if n := len(s.Requests()); n != 1 {
				t.Errorf("%d requests for one stream", n)
			}
		})
	}
}

// wantError checks what every error of this package must be: of the kind, one
// line, and without the key in any form of printing.
func wantError(t *testing.T, err error, kind model.ErrorKind) *model.Error {
	t.Helper()
	var e *model.Error
	if !errors.As(err, &e) {
		t.Fatalf("%T %v is not a *model.Error", err, err)
	}
	if e.Kind != kind {
		t.Errorf("kind %s (%v), want %s", e.Kind, e, kind)
	}
	if e.Message == "" || strings.ContainsAny(e.Message, "\n\r\x1b") {
		t.Errorf("message %q is not one line", e.Message)
	}
	for ; err != nil; err = errors.Unwrap(err) {
		for _, text := range []string{err.Error(), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err)} {
			if strings.Contains(text, geminitest.Key) {
				t.Errorf("the key is in %q", text)
			}
		}
	}
	return e
}

func TestServerItselfRefuses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*gemini.Options)
		model  string
		kind   model.ErrorKind
		status int
	}{
		{name: "a wrong key", change: func(o *gemini.Options) { o.APIKey = "wrong" }, kind: model.Auth, status: 400},
		{name: "no key, as for a gateway", change: func(o *gemini.Options) { o.APIKey = "" }, kind: model.Auth, status: 403},
		{name: "an unknown model", model: "gemini-9", kind: model.NotFound, status: 404},
		{name: "a wrong path", change: func(o *gemini.Options) { o.APIVersion = "v9" }, kind: model.NotFound, status: 404},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := geminitest.New(t)
			if tt.model == "" {
				tt.model = "gemini-2.5-pro"
			}
			_, err := collect(t.Context(), client(t, s, tt.change), ask(tt.model, "hi"))
			if e := wantError(t, err, tt.kind); e.Status != tt.status {
				t.Errorf("status %d, want %d", e.Status, tt.status)
			}
		})
	}
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    gemini.Options
		kind model.ErrorKind
		says string
	}{
		{"no key", gemini.Options{}, model.Auth, "GEMINI_API_KEY"},
		{"a blank key", gemini.Options{APIKey: " \n"}, model.Auth, "GOOGLE_API_KEY"},
		{"Vertex without a place", gemini.Options{Vertex: true, Project: "p"}, model.Auth, "GOOGLE_CLOUD_LOCATION"},
		{"an invalid base URL", gemini.Options{APIKey: geminitest.Key, BaseURL: "localhost:80"}, model.Invalid, "base URL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := gemini.New(tt.o)
			if e := wantError(t, err, tt.kind); !strings.Contains(e.Message, tt.says) {
				t.Errorf("%q does not say %q", e.Message, tt.says)
			}
		})
	}
}

func TestInvalidRequestIsNotSent(t *testing.T) {
	bad := ask("gemini-2.5-pro", "hi")
	bad.Tools = []model.Tool{{Name: "f", Schema: []byte(`{`)}}
	s := geminitest.New(t)
	g := client(t, s, nil)
	for name, req := range map[string]model.Request{"no model": ask("", "hi"), "no words": ask("gemini-2.5-pro", ""), "a schema that is not JSON": bad} {
		t.Run(name, func(t *testing.T) {
			_, err := collect(t.Context(), g, req)
			wantError(t, err, model.Invalid)
		})
	}
	if len(s.Requests()) != 0 {
		t.Error("something was sent")
	}
}

func TestConnectionFailures(t *testing.T) {
	gone := geminitest.New(t)
	tls := httptest.NewUnstartedServer(http.NotFoundHandler())
	tls.Config.ErrorLog = log.New(io.Discard, "", 0)
	tls.StartTLS()
	t.Cleanup(tls.Close)

	dead := httptest.NewServer(http.NotFoundHandler())
	dead.Close()
	for _, tt := range []struct {
		name string
		url  string
		kind model.ErrorKind
	}{
		{"connection refused", dead.URL, model.Unavailable},
		{"an untrusted certificate", tls.URL, model.TLS},
		{"a key in the address", dead.URL + "/?key=" + geminitest.Key, model.Unavailable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := client(t, gone, func(o *gemini.Options) { o.BaseURL = tt.url })
			_, err := collect(t.Context(), g, ask("gemini-2.5-pro", "hi"))
			wantError(t, err, tt.kind)
		})
	}
}

func TestCancelledContextReturnsItsCause(t *testing.T) {
	s := geminitest.New(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the user pressed escape")
	cancel(why)
	if _, err := collect(ctx, client(t, s, nil), ask("gemini-2.5-pro", "hi")); !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
}
