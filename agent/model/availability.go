package model

import (
	"strings"
	"sync"
	"time"
)

// How long a model that could not answer is left alone. A service without
// capacity is tried again after 30 s, as in Gemini CLI. A quota that does not say
// when it comes back is tried again after an hour: a server runs for weeks, in
// which users upgrade their plans.
const (
	crowdedFor = 30 * time.Second
	usedUpFor  = time.Hour
)

// Availability remembers which models cannot answer for the time being. It is
// shared by the sessions of a process. Its methods may be called side by side.
type Availability struct {
	now func() time.Time

	mu    sync.Mutex
	down  map[string]outage // by the model's name without a path
	watch func()            // nil: nobody watches
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

// Failed notes that a model failed. Only an error for which [Error.Elsewhere] or
// [Error.Gone] reports true counts: a used-up quota until it comes back, a
// service without capacity for half a minute or for as long as it asks to wait,
// and for good a model that the key may not use.
func (a *Availability) Failed(model string, e *Error) {
	if !e.Elsewhere() && !e.Gone() {
		return
	}
	now := a.now()
	o := outage{err: e}
	switch {
	case e.Gone():
	case e.Kind == Quota && e.ResetAt.After(now):
		o.until = e.ResetAt
	case e.Kind == Quota:
		o.until = now.Add(usedUpFor)
	default:
		o.until = now.Add(max(crowdedFor, e.RetryAfter))
	}
	a.mu.Lock()
	before, known := a.down[plain(model)]
	a.down[plain(model)] = o
	watch := a.watch
	a.mu.Unlock()
	if watch != nil && e.Gone() && (!known || !before.err.Gone()) {
		watch()
	}
}

// Watch has f called when the key turns out not to be allowed to use a model. It
// replaces the function of an earlier call. f must not block.
func (a *Availability) Watch(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.watch = f
}

// Answered notes that a model works.
func (a *Availability) Answered(model string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.down, plain(model))
}

// Down returns the error for which a model is not worth asking, nil when it is.
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

// Usable returns the first of the models that the key may use, as far as is
// known; the first one when none is left.
func (a *Availability) Usable(models []string) string {
	for _, name := range models {
		if e := a.Down(name); e == nil || !e.Gone() {
			return name
		}
	}
	if len(models) == 0 {
		return ""
	}
	return models[0]
}

// Elsewhere reports whether another model of the same provider may answer what
// failed with e: its quota is used up, or it has no capacity. What is wrong with
// the request, the credentials or the network is wrong for every model.
func (e *Error) Elsewhere() bool {
	switch e.Kind {
	case Quota, RateLimited:
		return true
	case Unavailable:
		return e.Capacity || e.Status != 0
	case Auth, NotFound, NoAccess, Overflow, Invalid, TLS, Cut, Empty, Blocked:
		return false
	}
	panic("model: unknown error kind " + string(e.Kind))
}

// Gone reports whether the model does not exist for this key: it was never
// there, is no longer available, or the key has no access to it.
func (e *Error) Gone() bool { return e.Kind == NotFound || e.Kind == NoAccess }

// plain is a model's name without the path before it, as in "models/NAME".
func plain(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }
