package geminitest

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
	Word    string // the canonical code; empty: that of Status
	Message string
	Details []any
	Header  http.Header
	Body    string // sent instead of Google's JSON unless empty
}

// words maps statuses to canonical codes.
var words = map[int]string{
	400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
	429: "RESOURCE_EXHAUSTED", 499: "CANCELLED", 500: "INTERNAL", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED",
}

// Fail returns a reply with an error status.
func Fail(status int, message string) Reply {
	return Reply{Refusal: refuse(status, "%s", message)}
}

// Throttle returns a 429 that asks for a delay as Google does, by RetryInfo. A delay
// of 0 is left out.
func Throttle(delay time.Duration) Reply {
	r := refuse(http.StatusTooManyRequests, "Resource has been exhausted (e.g. check quota).")
	if delay > 0 {
		r.Details = append(r.Details, retryInfo(delay))
	}
	return Reply{Refusal: r}
}

// ThrottleHeader returns a 429 that asks for a delay in its Retry-After header only,
// in whole seconds.
func ThrottleHeader(delay time.Duration) Reply {
	r := Throttle(0)
	r.Refusal.Header = http.Header{"Retry-After": {strconv.Itoa(int(delay.Seconds()))}}
	return r
}

// Exhausted returns a 429 for a quota with the given ID, such as
// GenerateRequestsPerDayPerProjectPerModel.
func Exhausted(quotaID string, delay time.Duration) Reply {
	r := Throttle(delay)
	r.Refusal.Message = "You exceeded your current quota, please check your plan and billing details."
	r.Refusal.Details = append(r.Refusal.Details, map[string]any{
		"@type":      "type.googleapis.com/google.rpc.QuotaFailure",
		"violations": []any{map[string]any{"quotaMetric": "generativelanguage.googleapis.com/generate_content_requests", "quotaId": quotaID}},
	})
	return r
}

func retryInfo(delay time.Duration) any {
	return map[string]any{
		"@type":      "type.googleapis.com/google.rpc.RetryInfo",
		"retryDelay": strconv.FormatFloat(delay.Seconds(), 'f', -1, 64) + "s",
	}
}

func errorInfo(reason string, metadata map[string]string) any {
	return map[string]any{
		"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason,
		"domain": "googleapis.com", "metadata": metadata,
	}
}

func refuse(status int, format string, args ...any) *Refusal {
	return &Refusal{Status: status, Message: fmt.Sprintf(format, args...)}
}

func invalid(format string, args ...any) *Refusal {
	return refuse(http.StatusBadRequest, format, args...)
}

// object returns the error in the form of bodies and streams.
func (r *Refusal) object() map[string]any {
	word := r.Word
	if word == "" {
		word = words[r.Status]
	}
	e := map[string]any{"code": r.Status, "message": r.Message, "status": word}
	if len(r.Details) > 0 {
		e["details"] = r.Details
	}
	return map[string]any{"error": e}
}

func (r *Refusal) write(w http.ResponseWriter) {
	servertest.Refuse(w, r.Status, r.Header, r.Body, r.object())
}
