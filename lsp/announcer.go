package lsp

import (
	"slices"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// updateEvery bounds how often a change set is sent again: one whose hunks have
// only moved, and a large one to a client that takes it only whole.
const updateEvery = 100 * time.Millisecond

// largeSet is the number of hunks from which on whole updates of a change set
// are merged.
const largeSet = 32

// announcer tells the client what becomes of change sets, and how the server
// stands. Whoever has news leaves it here and does not wait.
type announcer struct {
	s    *server
	wake chan struct{} // has room for one

	fed feed

	mu     sync.Mutex
	news   []news             // of each change set the newest, in the order of their first
	marked map[ide.URI]string // documents whose questions have changed, as the client spells them

	// The loop's own.
	sentAt    map[string]time.Time  // of change sets that were sent within updateEvery
	published map[ide.URI]published // the diagnostics that the client has, by file
	status    status                // that it has
	lenses    bool                  // a refresh of the code lenses is on its way
}

// news is a change set as it is now, which the client was not sent yet.
type news struct {
	cs         ledger.ChangeSet
	rangesOnly bool
}

func newAnnouncer(s *server) *announcer {
	return &announcer{s: s, wake: make(chan struct{}, 1), sentAt: map[string]time.Time{}, marked: map[ide.URI]string{}, published: map[ide.URI]published{}}
}

// touch has the announcer look at how things stand.
func (a *announcer) touch() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// note takes what the ledger reports, on the read loop or elsewhere. What was
// not sent yet of the same change set is replaced.
func (a *announcer) note(cs ledger.ChangeSet, rangesOnly bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	defer a.touch()
	for i, n := range a.news {
		if n.cs.ID == cs.ID {
			a.news[i] = news{cs, n.rangesOnly && rangesOnly}
			return
		}
	}
	a.news = append(a.news, news{cs, rangesOnly})
}

// mark has the diagnostics of a document brought up to date.
func (a *announcer) mark(d *ide.Document) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.marked[d.URI] = d.Spelling
	a.touch()
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
	due, touched, next := a.take(now)
	for _, cs := range due {
		if a.s.can.changes {
			a.send(changeSetOf(cs))
		}
		for _, f := range cs.Files {
			if a.s.can.marksHunks() {
				touched[f.URI] = spelling(f)
			}
		}
	}
	a.publish(touched)
	if len(due) > 0 && a.s.can.marksHunks() {
		a.refreshLenses()
	}
	a.tellStatus()
	return next
}

// send brings the client up to date on a change set.
func (a *announcer) send(cs changeSet) {
	var params any = oneChangeSet{cs}
	if a.s.can.changesDelta {
		params = a.fed.next(cs)
	}
	if params != nil {
		a.s.notify(a.s.life, "emendo/changes/didChange", params)
	}
}

// take removes and returns what is due: change sets, and documents with other
// questions.
func (a *announcer) take(now time.Time) (due []ledger.ChangeSet, marked map[ide.URI]string, next time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	marked, a.marked = a.marked, map[ide.URI]string{}
	for id, at := range a.sentAt {
		if now.Sub(at) >= updateEvery {
			delete(a.sentAt, id)
		}
	}
	a.news = slices.DeleteFunc(a.news, func(n news) bool {
		wait := a.sentAt[n.cs.ID].Add(updateEvery).Sub(now)
		if wait > 0 && a.waits(n) {
			if next == 0 || wait < next {
				next = wait
			}
			return false
		}
		due = append(due, n.cs)
		a.sentAt[n.cs.ID] = now
		return true
	})
	return due, marked, next
}

// waits reports whether an update is merged with later ones when the change set
// was just sent.
func (a *announcer) waits(n news) bool {
	if n.rangesOnly {
		return true
	}
	hunks := 0
	for _, f := range n.cs.Files {
		hunks += len(f.Hunks)
	}
	return hunks > largeSet && !a.s.can.changesDelta
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
