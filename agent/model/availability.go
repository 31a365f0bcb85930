package model

import (
	"strings"
	"sync"
	"time"
)

// How long a model that failed is not asked again. A service without capacity is
// tried after 30 s, as in Gemini CLI. A used-up quota without a reset time is
// tried after an hour: a server runs for weeks, and users upgrade their plans.
const (
	crowdedFor = 30 * time.Second
	usedUpFor  = time.Hour
)

// Availability remembers which models currently cannot answer. The sessions of a
// process share it. It is safe for concurrent use.
type Availability struct {
	provider string
	*outages
}

// outages are shared by the availabilities of all providers.
type outages struct {
	now func() time.Time

	mu    sync.Mutex
	down  map[[2]string]outage // by the provider and the model's name without a path
	watch func()               // nil: nobody watches
}

type outage struct {
	until time.Time // zero: permanent
	err   *Error
}

// NewAvailability returns an Availability without outages. now is the clock; nil
// means time.Now.
func NewAvailability(now func() time.Time) *Availability {
	if now == nil {
		now = time.Now
	}
	return &Availability{outages: &outages{now: now, down: map[[2]string]outage{}}}
}

// Of returns the availability of a provider's models, which shares everything else
// with a. Different providers may serve models of one name.
func (a *Availability) Of(provider string) *Availability { return &Availability{provider, a.outages} }

// key returns what a model's outage is kept under.
func (a *Availability) key(model string) [2]string { return [2]string{a.provider, PlainName(model)} }

// Failed notes that a model failed. Only errors for which [Error.Elsewhere] or
// [Error.Gone] reports true count. A used-up quota counts until it resets, a
// service without capacity for half a minute or for as long as it asks to wait,
// and a model that the key may not use for ever.
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
	before, known := a.down[a.key(model)]
	a.down[a.key(model)] = o
	watch := a.watch
	a.mu.Unlock()
	if watch != nil && e.Gone() && (!known || !before.err.Gone()) {
		watch()
	}
}

// Watch has f called when the key turns out to have no access to a model. It
// replaces the function of an earlier call. f must not block.
func (a *Availability) Watch(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.watch = f
}

// Answered notes that a model has answered.
func (a *Availability) Answered(model string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.down, a.key(model))
}

// Down returns the error that makes a model not worth asking, or nil.
func (a *Availability) Down(model string) *Error {
	a.mu.Lock()
	defer a.mu.Unlock()
	o, ok := a.down[a.key(model)]
	if ok && !o.until.IsZero() && !a.now().Before(o.until) {
		delete(a.down, a.key(model))
		return nil
	}
	return o.err
}

// Usable returns the first model that the key may use, as far as is known, or the
// first model when all are known to be out of reach.
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

// Elsewhere reports whether another model of the same provider may succeed where
// this one failed with e, because its quota is used up or it has no capacity. A
// bad request, bad credentials and a broken network fail with every model.
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

// Gone reports whether the model does not exist for this key: it never existed, is
// no longer available, or the key has no access to it.
func (e *Error) Gone() bool { return e.Kind == NotFound || e.Kind == NoAccess }

// PlainName returns a model's name without a path, as in "models/NAME".
func PlainName(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }
