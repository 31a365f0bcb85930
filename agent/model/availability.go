package model

import (
	"strings"
	"sync"
	"time"
)

// How long a model that could not answer is taken to be unable to. A service
// without room is tried again after the 30 s of Gemini CLI. A quota that does
// not say when it comes back is tried again after an hour: a server runs for
// weeks, in which plans are paid for.
const (
	crowdedFor = 30 * time.Second
	usedUpFor  = time.Hour
)

// Availability remembers which models cannot answer for the time being. It is
// shared by the sessions of a process. Its methods may be called side by side.
type Availability struct {
	now func() time.Time

	mu   sync.Mutex
	down map[string]outage // by the model's name without a path
}

type outage struct {
	until time.Time // zero: for good
	err   *Error
}

// NewAvailability knows of no outage. now is the clock; nil: time.Now.
func NewAvailability(now func() time.Time) *Availability {
	if now == nil {
		now = time.Now
	}
	return &Availability{now: now, down: map[string]outage{}}
}

// Failed notes that a model failed. Only an error that [Error.Elsewhere] holds
// for counts: a used-up quota until it comes back, a service without room for
// half a minute or for as long as it asks to wait, a model that does not exist
// for good.
func (a *Availability) Failed(model string, e *Error) {
	if !e.Elsewhere() {
		return
	}
	now := a.now()
	o := outage{err: e}
	switch {
	case e.Kind == NotFound:
	case e.Kind == Quota && e.ResetAt.After(now):
		o.until = e.ResetAt
	case e.Kind == Quota:
		o.until = now.Add(usedUpFor)
	default:
		o.until = now.Add(max(crowdedFor, e.RetryAfter))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.down[plain(model)] = o
}

// Answered notes that a model works.
func (a *Availability) Answered(model string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.down, plain(model))
}

// Down gives the error for which a model is not worth asking, nil when it is.
func (a *Availability) Down(model string) *Error {
	a.mu.Lock()
	defer a.mu.Unlock()
	o, ok := a.down[plain(model)]
	if ok && !o.until.IsZero() && !a.now().Before(o.until) {
		delete(a.down, plain(model))
		return nil
	}
	return o.err
}

// Elsewhere says whether another model of the same provider may answer what
// failed with e: its quota is used up, it has no room, or there is no such
// model. What is wrong with the request, the credentials or the way to the
// provider is wrong for every model.
func (e *Error) Elsewhere() bool {
	switch e.Kind {
	case Quota, RateLimited, NotFound:
		return true
	case Unavailable:
		return e.Capacity || e.Status != 0
	case Auth, Overflow, Invalid, TLS, Cut, Empty, Blocked:
		return false
	}
	panic("model: unknown error kind " + string(e.Kind))
}

// plain is a model's name without the path before it, as in "models/NAME".
func plain(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }
