package anthropictest

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/emendo-dev/emendo/agent/model/servertest"
)

// Refusal is an error response.
type Refusal struct {
	Status  int
	Type    string // the API's word; empty: that of Status
	Message string
	Header  http.Header
	Body    string // sent instead of the API's JSON unless empty
}

// words maps statuses to the API's words.
var words = map[int]string{
	400: "invalid_request_error", 401: "authentication_error", 402: "billing_error", 403: "permission_error", 404: "not_found_error",
	413: "request_too_large", 429: "rate_limit_error", 500: "api_error", 504: "timeout_error", 529: "overloaded_error",
}

// Fail returns a reply with an error status.
func Fail(status int, message string) Reply {
	return Reply{Refusal: refuse(status, "%s", message)}
}

// Overload returns a 529, which says that the model is overloaded.
func Overload() Reply { return Fail(529, "Overloaded") }

// Throttle returns a 429 that asks for a delay as Anthropic does: by Retry-After, in
// whole seconds, and the headers of the limit that was reached. A delay of 0 is left
// out.
func Throttle(delay time.Duration) Reply {
	r := refuse(http.StatusTooManyRequests, "This request would exceed your organization's rate limit of 50 requests per minute.")
	if delay > 0 {
		r.Header = http.Header{"Retry-After": {strconv.Itoa(int(delay.Seconds()))}}
		r.limit("requests", delay)
	}
	return Reply{Refusal: r}
}

// Exhausted returns a 429 for a limit with the given name, such as input-tokens, that
// is used up for a time, without Retry-After.
func Exhausted(limit string, delay time.Duration) Reply {
	r := refuse(http.StatusTooManyRequests, "This request would exceed your organization's rate limit.")
	r.Header = http.Header{}
	r.limit(limit, delay)
	return Reply{Refusal: r}
}

// limit adds the headers of a limit that is used up.
func (r *Refusal) limit(name string, delay time.Duration) {
	r.Header.Set("Anthropic-Ratelimit-"+name+"-Limit", "50")
	r.Header.Set("Anthropic-Ratelimit-"+name+"-Remaining", "0")
	r.Header.Set("Anthropic-Ratelimit-"+name+"-Reset", time.Now().Add(delay).UTC().Format(time.RFC3339))
}

func refuse(status int, format string, args ...any) *Refusal {
	return &Refusal{Status: status, Message: fmt.Sprintf(format, args...)}
}

func invalid(format string, args ...any) *Refusal {
	return refuse(http.StatusBadRequest, format, args...)
}

// object returns the error in the form of bodies and streams.
func (r *Refusal) object() map[string]any {
	word := r.Type
	if word == "" {
		word = words[r.Status]
	}
	return map[string]any{"type": "error", "error": map[string]any{"type": word, "message": r.Message}, "request_id": "req_test"}
}

func (r *Refusal) write(w http.ResponseWriter) {
	servertest.Refuse(w, r.Status, r.Header, r.Body, r.object())
}
