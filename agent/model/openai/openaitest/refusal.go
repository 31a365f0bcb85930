package openaitest

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
	Message string
	Type    string
	Code    string
	Param   string
	Header  http.Header
	Body    string // sent instead of OpenAI's JSON unless empty
}

// Fail returns a reply with an error status.
func Fail(status int, message string) Reply {
	r := &Refusal{Status: status, Message: message}
	switch {
	case status == http.StatusBadRequest:
		r.Type = "invalid_request_error"
	case status >= http.StatusInternalServerError:
		r.Type = "server_error"
	}
	return Reply{Refusal: r}
}

// Throttle returns a 429 that asks for a delay in its message, as OpenAI does. A
// delay of 0 is left out.
func Throttle(delay time.Duration) Reply {
	text := "Rate limit reached for requests per min (RPM)."
	if delay > 0 {
		text += " Please try again in " + delay.String() + "."
	}
	return Reply{Refusal: &Refusal{Status: http.StatusTooManyRequests, Message: text, Type: "requests", Code: "rate_limit_exceeded"}}
}

// ThrottleHeader returns a 429 that asks for a delay in its Retry-After header only,
// in whole seconds.
func ThrottleHeader(delay time.Duration) Reply {
	r := Throttle(0)
	r.Refusal.Header = http.Header{"Retry-After": {strconv.Itoa(int(delay.Seconds()))}}
	return r
}

// Exhausted returns a 429 for a used-up quota.
func Exhausted() Reply {
	return Reply{Refusal: &Refusal{
		Status: http.StatusTooManyRequests, Type: "insufficient_quota", Code: "insufficient_quota",
		Message: "You exceeded your current quota, please check your plan and billing details.",
	}}
}

func invalid(param, format string, args ...any) *Refusal {
	return &Refusal{Status: http.StatusBadRequest, Message: fmt.Sprintf(format, args...), Type: "invalid_request_error", Param: param}
}

func coded(code, param, format string, args ...any) *Refusal {
	r := invalid(param, format, args...)
	r.Code = code
	return r
}

func missing(param string) *Refusal {
	return coded("missing_required_parameter", param, "Missing required parameter: '%s'.", param)
}

func unknownURL(h *http.Request) *Refusal {
	return &Refusal{
		Status: http.StatusNotFound, Type: "invalid_request_error", Code: "unknown_url",
		Message: fmt.Sprintf("Unknown request URL: %s %s. Please check the URL for typos.", h.Method, h.URL.Path),
	}
}

// object returns the error in the form of bodies.
func (r *Refusal) object() map[string]any {
	return map[string]any{"message": r.Message, "type": r.Type, "param": orNull(r.Param), "code": orNull(r.Code)}
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func (r *Refusal) write(w http.ResponseWriter) {
	servertest.Refuse(w, r.Status, r.Header, r.Body, map[string]any{"error": r.object()})
}
