package lsp

import (
	"slices"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// rangesEvery bounds how often a change set is told anew whose hunks have only
// moved.
const rangesEvery = 100 * time.Millisecond

// maxStates is how many changes of state may wait for a client that reads
// slowly; then newer ones of a change set replace older ones.
const maxStates = 1024

// announcer tells the client what becomes of change sets, and how the server
// stands. Whoever has news leaves it here and does not wait.
type announcer struct {
	s    *server
	wake chan struct{} // has room for one

	mu     sync.Mutex
	states []ledger.ChangeSet          // whose state has changed, in order
	moved  map[string]ledger.ChangeSet // whose hunks have only moved

	// The loop's own.
	toldAt    map[string]time.Time  // of change sets that were told within rangesEvery
	published map[ide.URI]published // the diagnostics that the client has, by file
	status    status                // that it has
	lenses    bool                  // a refresh of the code lenses is on its way
}

func newAnnouncer(s *server) *announcer {
	return &announcer{s: s, wake: make(chan struct{}, 1), moved: map[string]ledger.ChangeSet{}, toldAt: map[string]time.Time{}, published: map[ide.URI]published{}}
}

// touch has the announcer look at how things stand.
func (a *announcer) touch() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// note is what the ledger calls, on the read loop or elsewhere.
func (a *announcer) note(cs ledger.ChangeSet, rangesOnly bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	defer a.touch()
	if rangesOnly {
		a.moved[cs.ID] = cs
		return
	}
	delete(a.moved, cs.ID)
	if len(a.states) >= maxStates {
		a.states = slices.DeleteFunc(a.states, func(o ledger.ChangeSet) bool { return o.ID == cs.ID })
	}
	a.states = append(a.states, cs)
}

// run tells what is noted until the server ends.
func (a *announcer) run() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-a.wake:
		case <-timer.C:
		case <-a.s.life.Done():
			return
		}
		_ = a.s.contained(func() error {
			if next := a.tell(time.Now()); next > 0 {
				timer.Reset(next)
			}
			return nil
		})
	}
}

// tell tells everything that is due and returns when more will be; zero for
// never.
func (a *announcer) tell(now time.Time) (next time.Duration) {
	due, next := a.take(now)
	touched := map[ide.URI]string{} // as the client spells it
	for _, cs := range due {
		if a.s.can.changes {
			a.s.notify(a.s.life, "emendo/changes/didChange", oneChangeSet{changeSetOf(cs)})
		}
		for _, f := range cs.Files {
			touched[f.URI] = spelling(f)
		}
	}
	if len(due) > 0 && a.s.can.marksHunks() {
		a.publish(touched)
		a.refreshLenses()
	}
	a.tellStatus()
	return next
}

// take takes out what is due.
func (a *announcer) take(now time.Time) (due []ledger.ChangeSet, next time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	due, a.states = a.states, nil
	for id, at := range a.toldAt {
		if now.Sub(at) >= rangesEvery {
			delete(a.toldAt, id)
		}
	}
	for id, cs := range a.moved {
		if wait := a.toldAt[id].Add(rangesEvery).Sub(now); wait > 0 {
			if next == 0 || wait < next {
				next = wait
			}
			continue
		}
		delete(a.moved, id)
		due = append(due, cs)
	}
	for _, cs := range due {
		a.toldAt[cs.ID] = now
	}
	return due, next
}

// refreshLenses asks the client to ask for lenses again; one such request is
// on its way at a time.
func (a *announcer) refreshLenses() {
	if !a.s.can.lensRefresh {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.lenses {
		return
	}
	a.lenses = a.s.spawn(func() {
		err := a.s.conn.Call(a.s.life, "workspace/codeLens/refresh", nil, nil)
		if err != nil {
			a.s.log.Debug("code lenses were not refreshed", "error", err)
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		a.lenses = false
	})
}
