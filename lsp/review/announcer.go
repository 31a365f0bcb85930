package review

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/lsp/question"
)

// updateEvery is the shortest time between two updates of a change set whose hunks
// have only moved, and of a large one to a client that takes it only whole.
const updateEvery = 100 * time.Millisecond

// largeSet is the number of hunks above which whole updates of a change set are
// merged.
const largeSet = 32

// Announcer sends change sets and diagnostics. Whoever has news leaves it here and does
// not wait.
type Announcer struct {
	c         *client.Client
	questions *question.Asker
	review    *Review
	feed      feed
	found     changedFiles // by reviews

	refreshing atomic.Bool // a refresh of the code lenses is under way

	mu   sync.Mutex
	news []news // the newest of each change set, in the order of their first
	gone bool   // change sets have become unknown, so that their diagnostics are to go

	// Owned by the goroutine that calls [Announcer.Announce].
	sentAt    map[string]time.Time  // of change sets that were sent within updateEvery
	published map[ide.URI]published // the diagnostics that the client has, by file
}

// news is a change set that the client was not sent yet.
type news struct {
	cs         ledger.ChangeSet
	rangesOnly bool
}

// NoteChangeSet records a change set that the ledger reports. It replaces what was not sent
// yet of the same one.
func (a *Announcer) NoteChangeSet(cs ledger.ChangeSet, rangesOnly bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	defer a.c.Touch()
	if cs.Gone {
		a.gone = true
		return
	}
	for i, n := range a.news {
		if n.cs.ID == cs.ID {
			a.news[i] = news{cs, n.rangesOnly && rangesOnly}
			return
		}
	}
	a.news = append(a.news, news{cs, rangesOnly})
}

// Announce sends everything that is due and returns the time until more is; zero
// for never.
func (a *Announcer) Announce(now time.Time) (next time.Duration) {
	due, gone, next := a.removeDue(now)
	changed := a.questions.TakeChanged()
	if gone {
		for u, p := range a.published {
			changed[u] = p.uri
		}
	}
	a.found.moveTo(changed)
	for _, cs := range due {
		if a.c.Can.Changes && !a.c.Can.View {
			a.sendChangeSet(changeSetOf(cs))
		}
		for _, f := range cs.Files {
			if a.c.Can.MarksHunks() || a.review.hasFindings(f.Path) {
				changed[f.URI] = spelling(f)
			}
		}
	}
	a.publish(changed)
	if (gone || len(due) > 0) && a.c.Can.MarksHunks() {
		a.refreshLenses()
	}
	return next
}

// sendChangeSet brings the client up to date on a change set.
func (a *Announcer) sendChangeSet(cs changeSet) {
	var params any = oneChangeSet{cs}
	if a.c.Can.ChangesDelta {
		params = a.feed.nextDelta(cs)
	}
	if params != nil {
		a.send("emendo/changes/didChange", params)
	}
}

func (a *Announcer) send(method string, params any) { a.c.Notify(a.c.Life(), method, params) }

// removeDue removes and returns the change sets that are due, and reports whether some have
// become unknown.
func (a *Announcer) removeDue(now time.Time) (due []ledger.ChangeSet, gone bool, next time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	gone, a.gone = a.gone, false
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
	return due, gone, next
}

// waits reports whether an update of a change set that was just sent is merged
// with later ones.
func (a *Announcer) waits(n news) bool {
	if n.rangesOnly {
		return true
	}
	hunks := 0
	for _, f := range n.cs.Files {
		hunks += len(f.Hunks)
	}
	return hunks > largeSet && !a.c.Can.ChangesDelta
}

// refreshLenses asks the client to request the lenses again, unless it is being
// asked already.
func (a *Announcer) refreshLenses() {
	if !a.c.Can.LensRefresh || !a.refreshing.CompareAndSwap(false, true) {
		return
	}
	a.c.Go(func() {
		defer a.refreshing.Store(false)
		if err := a.c.Call(a.c.Life(), "workspace/codeLens/refresh", nil, nil); err != nil {
			a.c.Log.Debug("code lenses not refreshed", "error", err)
		}
	})
}

// maxFed bounds the number of change sets whose last notification is kept. Beyond
// it decided ones are forgotten, and sent whole if they change again.
const maxFed = 256

// feed keeps what a client that takes deltas was last sent of each change set.
// The announcer writes it; requests read the versions.
type feed struct {
	mu   sync.Mutex
	sent map[string]*fed
}

type fed struct {
	version int
	set     changeSet
	hunks   map[string]hunk
}

// setDelta is what changed in a change set since the version before.
type setDelta struct {
	ChangeSetID string       `json:"changeSetId"`
	Version     int          `json:"version"`
	State       ledger.State `json:"state,omitzero"` // absent: as it was
	Hunks       []hunk       `json:"hunks"`
	Removed     []string     `json:"removed,omitzero"`
}

type oneDelta struct {
	Delta setDelta `json:"delta"`
}

// nextDelta returns the notification that brings the client to cs: the whole set
// the first time and when more than hunks has changed, else a delta; nil when
// the client has it all.
func (f *feed) nextDelta(cs changeSet) any {
	f.mu.Lock()
	defer f.mu.Unlock()
	was := f.sent[cs.ChangeSetID]
	now := &fed{set: cs, hunks: map[string]hunk{}}
	d := setDelta{ChangeSetID: cs.ChangeSetID, Hunks: []hunk{}}
	for _, c := range cs.Files {
		for _, h := range c.Hunks {
			now.hunks[h.HunkID] = h
			if was == nil {
				continue
			}
			if old, ok := was.hunks[h.HunkID]; !ok || old != h {
				d.Hunks = append(d.Hunks, h)
			}
		}
	}
	if was == nil || !was.set.sameBut(cs) {
		if was != nil {
			now.version = was.version + 1
		}
		f.remember(now)
		now.set.Version = &now.version
		return oneChangeSet{now.set}
	}
	for id := range was.hunks {
		if _, ok := now.hunks[id]; !ok {
			d.Removed = append(d.Removed, id)
		}
	}
	if cs.State != was.set.State {
		d.State = cs.State
	}
	if len(d.Hunks)+len(d.Removed) == 0 && d.State == "" {
		return nil
	}
	slices.Sort(d.Removed)
	now.version = was.version + 1
	d.Version = now.version
	f.remember(now)
	return oneDelta{d}
}

func (f *feed) remember(now *fed) {
	if f.sent == nil {
		f.sent = map[string]*fed{}
	}
	f.sent[now.set.ChangeSetID] = now
	if len(f.sent) <= maxFed {
		return
	}
	for id, x := range f.sent {
		if x != now && !x.set.State.Waits() {
			delete(f.sent, id)
		}
	}
}

// versions returns the version that the client was sent of each change set. It
// is read before the change sets of an answer are: those may then contain what
// a later delta brings, and never lack what an earlier one brought.
func (f *feed) versions() map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := make(map[string]int, len(f.sent))
	for id, x := range f.sent {
		m[id] = x.version
	}
	return m
}

// sameBut reports whether two values of a change set differ at most in their
// states and hunks.
func (c changeSet) sameBut(o changeSet) bool {
	return c.Title == o.Title && slices.EqualFunc(c.Files, o.Files, func(a, b fileChange) bool {
		sameBase := a.BaseVersion == nil && b.BaseVersion == nil || a.BaseVersion != nil && b.BaseVersion != nil && *a.BaseVersion == *b.BaseVersion
		return a.URI == b.URI && a.Op == b.Op && a.NewURI == b.NewURI && a.Open == b.Open && a.Diff == b.Diff && sameBase
	})
}
