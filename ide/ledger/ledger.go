package ledger

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/emendo-dev/emendo/ide"
)

// What a [Ledger] says of bad arguments.
var (
	// ErrUnknown names a change set or hunk that does not exist.
	ErrUnknown = errors.New("no such change set or hunk")
	// ErrNoChange is a proposal whose new texts are the old ones.
	ErrNoChange = errors.New("the proposal changes nothing")
	// ErrText is a decision with a text that is not about exactly one hunk.
	ErrText = errors.New("a text can be given for accepting one hunk only")
)

// Options of a [Ledger].
type Options struct {
	Workspace *ide.Workspace
	Editor    ide.Editor // nil: no file is open anywhere
	NewID     func() string
}

// Ledger holds every change set of a process. Its methods may be called by
// several goroutines at once.
type Ledger struct {
	o       Options
	applier *ide.Applier
	group   chan struct{} // holds the token of the one group that is carried out

	mu     sync.Mutex
	sets   []*set // in the order they were proposed
	byID   map[string]*set
	places map[string]*place
	orders int           // hunks so far
	bump   chan struct{} // closed and replaced after every change
	outbox []note        // for the watchers, in order
	closed bool          // no file is read any more
	reads  sync.WaitGroup

	telling  sync.Mutex // held while watchers are called, so that order is kept
	watchers []func(cs ChangeSet, rangesOnly bool)
}

type note struct {
	cs         ChangeSet
	rangesOnly bool
}

// New makes an empty ledger that watches the workspace.
func New(o Options) *Ledger {
	l := &Ledger{
		o: o, group: make(chan struct{}, 1), byID: map[string]*set{}, places: map[string]*place{},
		bump: make(chan struct{}),
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	o.Workspace.Watch(l.event) // what happens from here on waits for the mutex
	l.applier = ide.NewApplier(o.Workspace, o.Editor)
	return l
}

// Watch has f called with every change set whose state changes, in order;
// ranges alone are told too, and so is that a document was opened or closed. f
// has to be quick, for the read loop waits for it, and may not decide, propose
// or restore.
func (l *Ledger) Watch(f func(cs ChangeSet, rangesOnly bool)) {
	l.telling.Lock()
	defer l.telling.Unlock()
	l.watchers = append(l.watchers, f)
}

// Get gives a change set as it stands.
func (l *Ledger) Get(id string) (ChangeSet, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.byID[id]
	if s == nil {
		return ChangeSet{}, fmt.Errorf("change set %s: %w", id, ErrUnknown)
	}
	return s.value(l.encoding(), false), nil
}

// List gives change sets in the order they were proposed; empty arguments
// match all.
func (l *Ledger) List(sessionID string, uri ide.URI, state State) []ChangeSet {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []ChangeSet
	for _, s := range l.sets {
		if sessionID != "" && s.session != sessionID || state != "" && s.state() != state || !s.has(uri) {
			continue
		}
		out = append(out, s.value(l.encoding(), false))
	}
	return out
}

// Decided waits until no hunk of the change set is pending and gives it as it
// stands then, with the comments that came with the decisions.
func (l *Ledger) Decided(ctx context.Context, id string) (ChangeSet, []string, error) {
	for {
		l.mu.Lock()
		s, bump := l.byID[id], l.bump
		if s == nil {
			l.mu.Unlock()
			return ChangeSet{}, nil, fmt.Errorf("change set %s: %w", id, ErrUnknown)
		}
		if s.state() != Pending {
			cs, comments := s.value(l.encoding(), true), append([]string(nil), s.comments...)
			l.mu.Unlock()
			return cs, comments, nil
		}
		l.mu.Unlock()
		select {
		case <-bump:
		case <-ctx.Done():
			return ChangeSet{}, nil, context.Cause(ctx)
		}
	}
}

func (l *Ledger) encoding() ide.Encoding { return l.o.Workspace.Encoding() }

// has says whether the change set touches a document; every one does the
// empty URI.
func (s *set) has(uri ide.URI) bool {
	for _, f := range s.files {
		if uri == "" || f.is(uri) {
			return true
		}
	}
	return false
}

func (f *file) is(uri ide.URI) bool {
	return f.place.uri == uri || f.place.doc != nil && f.place.doc.URI == uri
}

// keyOfDocument is the key of a document's place.
func keyOfDocument(d *ide.Document) string { return keyOfPlace(d.Path, d.URI) }

func keyOfPlace(path string, uri ide.URI) string {
	if path != "" {
		return path
	}
	return string(uri)
}

// publish notes for the watchers what has changed and wakes who waits; l.mu is
// held. [Ledger.tell] has to follow when it is not any more.
func (l *Ledger) publish(sets ...*set) {
	for _, s := range sets {
		s.retold()
		if s.changed || s.moved {
			l.outbox = append(l.outbox, note{s.next(l.encoding()), !s.changed})
			s.changed, s.moved = false, false
		}
	}
	close(l.bump)
	l.bump = make(chan struct{})
}

// tell calls the watchers for all that was published before.
func (l *Ledger) tell() {
	l.telling.Lock()
	defer l.telling.Unlock()
	l.mu.Lock()
	notes := l.outbox
	l.outbox = nil
	l.mu.Unlock()
	for _, n := range notes {
		for _, f := range l.watchers {
			f(n.cs, n.rangesOnly)
		}
	}
}

// sets are the change sets with hunks that are followed at a place.
func (p *place) sets() []*set {
	var l []*set
	seen := map[*set]bool{}
	for _, h := range p.hunks {
		if s := h.file.set; !seen[s] {
			seen[s] = true
			l = append(l, s)
		}
	}
	return l
}
