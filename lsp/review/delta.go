package review

import (
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/ide/ledger"
)

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

// next returns the notification that brings the client to cs: the whole set
// the first time and when more than hunks has changed, else a delta; nil when
// the client has it all.
func (f *feed) next(cs changeSet) any {
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
		f.keep(now)
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
	f.keep(now)
	return oneDelta{d}
}

func (f *feed) keep(now *fed) {
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
