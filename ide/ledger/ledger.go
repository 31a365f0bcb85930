package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/ide"
)

// Errors for bad arguments.
var (
	// ErrUnknown means that a change set or hunk does not exist.
	ErrUnknown = errors.New("no such change set or hunk")
	// ErrNoChange means that a proposal does not change any text.
	ErrNoChange = errors.New("the proposal changes nothing")
	// ErrText means that a decision has a text but does not accept exactly one
	// hunk.
	ErrText = errors.New("a text is only allowed when accepting one hunk")
)

// Options are options of a [Ledger].
type Options struct {
	Workspace *ide.Workspace
	Editor    ide.Editor // nil: no editor
	NewID     func() string
}

// Ledger holds every change set of a process. It is safe for concurrent use.
type Ledger struct {
	o        Options
	encoding ide.Encoding
	files    files
	stored   StoredFiles // set once; nil: none
	applier  *ide.Applier
	group    chan struct{} // a semaphore: one group of decisions is applied at a time

	mu         sync.Mutex
	sets       []*set // in the order they were proposed
	byID       map[string]*set
	places     map[string]*place
	marks      map[string]*mark
	orders     int           // hunks so far
	bump       chan struct{} // closed and replaced after every change
	outbox     []note        // for the watchers, in order
	marksMoved bool          // since their watchers were called
	closed     bool          // stop reading files
	reads      sync.WaitGroup

	closing chan struct{} // closed with the ledger

	notifying    sync.Mutex // held while watchers are called, to keep the order
	watchers     []func(cs ChangeSet, rangesOnly bool)
	markWatchers []func()
}

// StoredFiles has stored versions of files.
type StoredFiles interface {
	// PutBack replaces the bytes of a file that no editor has open with those of a stored
	// version, if it has those of another.
	PutBack(ctx context.Context, sessionID, path string, from, to Version) error
}

// PutBackFrom sets what replaces the bytes of files. Without it, hunks without text
// cannot be undone. Call it before the first decision.
func (l *Ledger) PutBackFrom(f StoredFiles) { l.stored = f }

type note struct {
	cs         ChangeSet
	rangesOnly bool
}

// New returns an empty ledger that watches the workspace.
func New(o Options) *Ledger {
	l := &Ledger{
		o: o, encoding: o.Workspace.Encoding(), files: files{o.Workspace}, group: make(chan struct{}, 1), byID: map[string]*set{}, places: map[string]*place{}, marks: map[string]*mark{},
		bump: make(chan struct{}), closing: make(chan struct{}),
	}
	// l.mu is not held: the workspace holds its own mutex while it calls event, which
	// takes l.mu.
	o.Workspace.Watch(l.event)
	o.Workspace.WatchRenames(l.followRename)
	l.applier = ide.NewApplier(o.Workspace, o.Editor)
	return l
}

// Watch registers f to be called, in order, with every change set whose state
// changes, whose ranges move, or whose documents are opened or closed. f must be
// quick, because the read loop waits for it, and must not decide, propose or
// restore.
func (l *Ledger) Watch(f func(cs ChangeSet, rangesOnly bool)) {
	l.notifying.Lock()
	defer l.notifying.Unlock()
	l.watchers = append(l.watchers, f)
}

// Get returns a change set in its current state.
func (l *Ledger) Get(id string) (ChangeSet, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, err := l.known(id)
	if err != nil {
		return ChangeSet{}, err
	}
	return s.value(l.encoding, false), nil
}

// Hunk returns a hunk of a session, and its file without its hunks.
func (l *Ledger) Hunk(sessionID, hunkID string) (FileChange, Hunk, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.sets {
		if h := s.hunkByID[hunkID]; h != nil && s.session == sessionID {
			return h.file.value(), h.value(l.encoding, false), true
		}
	}
	return FileChange{}, Hunk{}, false
}

// known returns a change set. l.mu is held.
func (l *Ledger) known(id string) (*set, error) {
	if s := l.byID[id]; s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("change set %s: %w", id, ErrUnknown)
}

// List returns change sets in the order of their proposal. Empty arguments match
// all.
func (l *Ledger) List(sessionID string, uri ide.URI, state State) []ChangeSet {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []ChangeSet
	for _, s := range l.sets {
		if sessionID != "" && s.session != sessionID || state != "" && s.state() != state || !s.touches(uri) {
			continue
		}
		out = append(out, s.value(l.encoding, false))
	}
	return out
}

// Decided waits until no hunk of the change set is pending and its decisions are
// applied, and returns it with the comments on the decisions.
func (l *Ledger) Decided(ctx context.Context, id string) (ChangeSet, []string, error) {
	for {
		l.mu.Lock()
		s, bump := l.byID[id], l.bump
		if s == nil || s.state() != Pending && !s.deciding { // the value is of this moment
			cs, comments, err := l.outcome(id)
			l.mu.Unlock()
			return cs, comments, err
		}
		l.mu.Unlock()
		select {
		case <-bump:
		case <-ctx.Done():
			return ChangeSet{}, nil, context.Cause(ctx)
		}
	}
}

// Outcome returns what [Ledger.Decided] does, without waiting: hunks may be pending.
func (l *Ledger) Outcome(id string) (ChangeSet, []string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.outcome(id)
}

// outcome is [Ledger.Outcome]. l.mu is held.
func (l *Ledger) outcome(id string) (ChangeSet, []string, error) {
	s, err := l.known(id)
	if err != nil {
		return ChangeSet{}, nil, err
	}
	return s.value(l.encoding, true), slices.Clone(s.comments), nil
}

// touches reports whether the change set changes a document. The empty URI matches
// every change set.
func (s *set) touches(uri ide.URI) bool {
	return slices.ContainsFunc(s.files, func(f *file) bool { return uri == "" || f.isDocument(uri) })
}

func (f *file) isDocument(uri ide.URI) bool {
	return f.place.uri == uri || f.place.doc != nil && f.place.doc.URI == uri
}

// keyOfDocument returns the key of a document's place.
func keyOfDocument(d *ide.Document) string { return keyOfPlace(d.Path, d.URI) }

func keyOfPlace(path string, uri ide.URI) string {
	if path != "" {
		return path
	}
	return string(uri)
}

// publish queues notifications of changes and wakes waiters. The caller holds l.mu,
// and calls [Ledger.notify] after releasing it.
func (l *Ledger) publish(sets ...*set) {
	for _, s := range sets {
		s.noteEdited()
		if s.changed || s.moved {
			l.outbox = append(l.outbox, note{s.nextVersion(l.encoding), !s.changed})
			s.changed, s.moved = false, false
		}
	}
	close(l.bump)
	l.bump = make(chan struct{})
}

// notify calls the watchers for everything published so far.
func (l *Ledger) notify() {
	l.notifying.Lock()
	defer l.notifying.Unlock()
	l.mu.Lock()
	notes := l.outbox
	l.outbox = nil
	moved := l.marksMoved
	l.marksMoved = false
	l.mu.Unlock()
	for _, f := range l.markWatchers {
		if moved {
			f()
		}
	}
	for _, n := range notes {
		for _, f := range l.watchers {
			f(n.cs, n.rangesOnly)
		}
	}
}

// changeSets returns the change sets with hunks that are followed at a place.
func (p *place) changeSets() []*set {
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
