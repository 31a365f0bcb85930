package model

import (
	"fmt"
	"time"
)

// ErrorKind classifies failed requests by what the caller can do about them.
type ErrorKind string

// The kinds of failure.
const (
	Auth        ErrorKind = "auth"         // credentials are missing or were rejected
	RateLimited ErrorKind = "rate_limited" // too many requests; may succeed later
	Quota       ErrorKind = "quota"        // used up until ResetAt; not worth retrying
	Overflow    ErrorKind = "overflow"     // the request exceeds the model's limit
	Invalid     ErrorKind = "invalid"      // the provider rejects the request
	NotFound    ErrorKind = "not_found"    // no such model, or no longer available
	NoAccess    ErrorKind = "no_access"    // the key may not use this model
	Unavailable ErrorKind = "unavailable"  // the provider or the network is down
	TLS         ErrorKind = "tls"          // the server's certificate is not trusted
	Cut         ErrorKind = "cut"          // the stream broke, stalled or was garbled
	Empty       ErrorKind = "empty"        // the answer is complete and has no content
	Blocked     ErrorKind = "blocked"      // the provider rejects the prompt's content
)

// Error is a failed model request.
type Error struct {
	Kind       ErrorKind
	Status     int           // HTTP status, 0 when there was none
	Message    string        // one line for the user; never contains a key
	RetryAfter time.Duration // how long the provider asks to wait; 0: it did not say
	ResetAt    time.Time     // when a used-up quota resets; zero: unknown
	Capacity   bool          // this model is overloaded; others may not be
	Loading    bool          // the server is loading this model, and will answer then
	Counted    int64         // tokens of the request, with Overflow; 0: unknown
	Limit      int64         // tokens that the model accepts, with Overflow; 0: unknown
	Finish     Finish        // of an answer that is complete and useless; empty otherwise
	Garbled    bool          // the answer cannot be read, as opposed to one that broke off
	Err        error         // the cause, nil when the provider answered
}

// Error describes the failure in one line, and when a used-up quota resets.
func (e *Error) Error() string {
	text := "model request: " + e.Message
	if e.Status != 0 {
		text += fmt.Sprintf(" (HTTP %d)", e.Status)
	}
	if e.Kind == Quota && !e.ResetAt.IsZero() {
		layout := "2 January at 15:04 MST"
		if time.Until(e.ResetAt) > 300*24*time.Hour { // the date needs its year
			layout = "2 January 2006 at 15:04 MST"
		}
		text += "; it resets on " + e.ResetAt.Format(layout)
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Temporary reports whether the same request may succeed later.
func (e *Error) Temporary() bool {
	switch e.Kind {
	case RateLimited, Unavailable, Cut, Empty:
		return true
	case Auth, Quota, Overflow, Invalid, NotFound, NoAccess, TLS, Blocked:
		return false
	}
	panic("model: unknown error kind " + string(e.Kind))
}

// OfRequest reports whether what was sent is the reason, so that it fails again with every
// later request that contains it.
func (e *Error) OfRequest() bool {
	return e.Kind == Overflow || e.Kind == Blocked || e.Kind == Invalid
}

// lasting reports whether the model has answered, and most likely would answer as
// uselessly again.
func (e *Error) lasting() bool { return e.Kind == Empty || e.Garbled || e.Finish != "" }

// Retry describes a failed attempt that will be repeated after Delay.
type Retry struct {
	Attempt int // the one that failed, from 1
	Of      int // the maximum number of attempts
	Delay   time.Duration
	Err     *Error
	Loading bool // nothing failed: the server is loading the model, however long it takes
}
