package model

import (
	"fmt"
	"time"
)

// ErrorKind says what a failed request means for whoever made it.
type ErrorKind string

// The kinds of failure.
const (
	Auth        ErrorKind = "auth"         // no credentials, or refused ones
	RateLimited ErrorKind = "rate_limited" // too many requests; may succeed later
	Quota       ErrorKind = "quota"        // used up until ResetAt; not worth retrying
	Overflow    ErrorKind = "overflow"     // the request is larger than the model takes
	Invalid     ErrorKind = "invalid"      // the provider refuses the request as it is
	NotFound    ErrorKind = "not_found"    // no such model, or no longer available
	NoAccess    ErrorKind = "no_access"    // the key may not use this model
	Unavailable ErrorKind = "unavailable"  // the provider or the way to it is down
	TLS         ErrorKind = "tls"          // the server's certificate is not trusted
	Cut         ErrorKind = "cut"          // the stream broke, stalled or was garbled
	Empty       ErrorKind = "empty"        // a complete answer that says nothing
	Blocked     ErrorKind = "blocked"      // the provider refuses the prompt's content
)

// Error is a failed model request.
type Error struct {
	Kind       ErrorKind
	Status     int           // HTTP status, 0 when there was none
	Message    string        // one line for the user; never holds a key
	RetryAfter time.Duration // how long the provider asks to wait; 0: it did not say
	ResetAt    time.Time     // when a used-up quota comes back; zero: unknown
	Capacity   bool          // this model has no room for anyone just now; others may
	Counted    int64         // tokens of the request, with Overflow; 0: not told
	Limit      int64         // tokens that the model takes, with Overflow; 0: not told
	Finish     Finish        // of an answer that is complete and useless; empty otherwise
	Err        error         // the cause, nil when the provider answered
}

// Error says what happened in one line, and when a used-up quota comes back.
func (e *Error) Error() string {
	text := "model request: " + e.Message
	if e.Status != 0 {
		text += fmt.Sprintf(" (HTTP %d)", e.Status)
	}
	if e.Kind == Quota && !e.ResetAt.IsZero() {
		text += "; it comes back on " + e.ResetAt.Format("2 January at 15:04 MST")
	}
	return text
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Temporary says whether the same request may succeed later.
func (e *Error) Temporary() bool {
	switch e.Kind {
	case RateLimited, Unavailable, Cut, Empty:
		return true
	case Auth, Quota, Overflow, Invalid, NotFound, NoAccess, TLS, Blocked:
		return false
	}
	panic("model: unknown error kind " + string(e.Kind))
}

// Retry tells of an attempt that failed and will be repeated after Delay.
type Retry struct {
	Attempt int // the one that failed, from 1
	Of      int // attempts at most
	Delay   time.Duration
	Err     *Error
}
