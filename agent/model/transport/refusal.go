package transport

import (
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/agent/model"
)

// MaxPatience is the longest delay that counts as a rate limit. A longer one means
// that the quota is used up.
const MaxPatience = 300 * time.Second

// Refusal is a response whose status is not a success.
type Refusal struct {
	Status int
	Header http.Header
	Body   []byte // at most 1 MB of it
	Time   time.Time
}

// Error classifies the refusal by its status, with the provider's message in it.
func (r Refusal) Error(said string) *model.Error {
	e := &model.Error{Kind: KindOf(r.Status), Status: r.Status, RetryAfter: r.RetryAfter()}
	if e.Kind == model.RateLimited && e.RetryAfter > MaxPatience {
		e.Kind, e.ResetAt = model.Quota, r.Time.Add(e.RetryAfter)
	}
	if said == "" {
		said = PlainText(r.Body)
	}
	e.Loading = Loading(r.Status, said+string(r.Body))
	e.Message = Message(e.Kind, MessageOr(r.Status, said), "")
	return e
}

const loads = `(?i)\bloading (the )?model|model .{0,80}\bis (currently )?(being )?load(ing|ed)\b`

// Loading reports whether a response means that the server is loading the model.
func Loading(status int, said string) bool {
	return status == http.StatusServiceUnavailable && Matches(loads, said)
}

// RetryAfter returns the delay that the headers ask for, or 0.
func (r Refusal) RetryAfter() time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(r.Header.Get("Retry-After-Ms")), 64); err == nil && ms > 0 && ms < 1e12 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	header := strings.TrimSpace(r.Header.Get("Retry-After"))
	if s, err := strconv.ParseFloat(header, 64); err == nil && s > 0 && s < 1e9 {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(header); err == nil && at.Sub(r.Time) < 1e9*time.Second {
		return max(at.Sub(r.Time), 0)
	}
	return 0
}

// KindOf returns the kind that a status means where the provider's message does not
// tell more.
func KindOf(status int) model.ErrorKind {
	switch {
	case status == http.StatusUnauthorized:
		return model.Auth
	case status == http.StatusPaymentRequired:
		return model.Quota
	case status == http.StatusForbidden:
		return model.NoAccess
	case status == http.StatusNotFound:
		return model.NotFound
	case status == http.StatusRequestEntityTooLarge:
		return model.Overflow
	case status == http.StatusTooManyRequests:
		return model.RateLimited
	case status == http.StatusRequestTimeout, status == 499, status >= 500:
		return model.Unavailable
	}
	return model.Invalid
}

// meaning is the beginning of each kind's message.
var meaning = map[model.ErrorKind]string{
	model.Auth:        "the provider rejected the credentials",
	model.NotFound:    "the model is not available",
	model.NoAccess:    "the key has no access to this model",
	model.Overflow:    "the request exceeds the model's limit",
	model.RateLimited: "too many requests",
	model.Quota:       "the quota is used up",
	model.Unavailable: "the service is unavailable",
	model.Invalid:     "the provider rejected the request",
	model.Blocked:     "the provider rejected the prompt",
}

// Message returns the message of an error: what its kind means, the provider's own
// words, and what the user can do, which by default follows from the kind. Of long words
// it has the beginning, so that there is space for the rest.
func Message(kind model.ErrorKind, said, fix string) string {
	switch {
	case fix != "":
	case kind == model.NotFound, kind == model.NoAccess:
		fix = "choose another with --model or the setting model.name"
	case kind == model.Auth:
		fix = "check the key, or sign in again with `emendo auth login`"
	}
	if fix != "" {
		fix = "; " + fix
	}
	if said != "" {
		said = ": " + strings.TrimRight(shortened(said, maxMessage-len(meaning[kind])-len(": …")-len(fix)), ". ")
	}
	return meaning[kind] + said + fix
}

// maxPlain bounds the text of an error response that is not JSON, in runes.
const maxPlain = 200

// PlainText returns the body of an error response that is a short text, as gateways and
// web servers send it; "" if it is anything else, such as JSON or a web page.
func PlainText(body []byte) string {
	text := strings.TrimSpace(string(body))
	if text == "" || strings.ContainsAny(text[:1], `<{["`) || !utf8.ValidString(text) || len(text) > 10*maxPlain {
		return ""
	}
	return shortened(OneLine(text), maxPlain)
}

// MessageOr returns the provider's message or, if it sent none, what the status means.
func MessageOr(status int, message string) string {
	switch {
	case message != "":
		return message
	case status >= 300 && status < 400:
		return "the server redirects; check the base URL"
	}
	return http.StatusText(status)
}
