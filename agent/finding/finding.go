// Package finding keeps what reviews have found, of all sessions of a process, and follows the
// lines that each finding is about while files change. The log of its session is where a
// finding is stored; the package knows neither logs nor clients.
package finding

import (
	"context"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/tools"
)

// Finding is a problem in the lines of a file.
type Finding struct {
	tools.Finding

	ID, SessionID, TurnID string
	Lines                 ide.Passage
}

// List has the findings that nobody has dismissed.
type List struct {
	workspace *ide.Workspace

	mu      sync.Mutex
	all     []Finding           // in the order in which they were reported
	watches []func(path string) // are called without the mutex
}

// NewList returns a list without findings.
func NewList(w *ide.Workspace) *List {
	l := &List{workspace: w}
	w.Watch(l.event)
	return l
}

// Watch has f called with each file whose findings have changed, or moved. It is also called on
// the read loop, so it must not block.
func (l *List) Watch(f func(path string)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watches = append(l.watches, f)
}

// Add adds a finding, or replaces the one with its ID.
func (l *List) Add(f Finding) {
	l.mu.Lock()
	if d := l.workspace.Snapshot().DocumentAt(f.Path); d != nil {
		f.Lines = f.Lines.FindIn(d.Text)
	}
	l.all = append(l.without(f.ID), f)
	l.mu.Unlock()
	l.notify(f.Path)
}

// Remove removes a finding. It reports false for one that is not in the list.
func (l *List) Remove(id string) bool {
	l.mu.Lock()
	f, ok := l.find(id)
	l.all = l.without(id)
	l.mu.Unlock()
	if ok {
		l.notify(f.Path)
	}
	return ok
}

// without returns the findings but for that with the ID.
func (l *List) without(id string) []Finding {
	return slices.DeleteFunc(slices.Clone(l.all), func(f Finding) bool { return f.ID == id })
}

func (l *List) find(id string) (Finding, bool) {
	if i := slices.IndexFunc(l.all, func(f Finding) bool { return f.ID == id }); i >= 0 {
		return l.all[i], true
	}
	return Finding{}, false
}

// Forget removes the findings of a session.
func (l *List) Forget(sessionID string) {
	for _, f := range l.OfSession(sessionID) {
		l.Remove(f.ID)
	}
}

// Get returns the finding with the ID.
func (l *List) Get(id string) (Finding, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.find(id)
}

// OfSession returns the findings of a session, also those whose lines are gone.
func (l *List) OfSession(sessionID string) []Finding {
	return l.matching(func(f Finding) bool { return f.SessionID == sessionID })
}

// OfPath returns the findings of a file, also those whose lines are gone.
func (l *List) OfPath(path string) []Finding {
	return l.matching(func(f Finding) bool { return f.Path == path })
}

// OfFile returns the findings whose lines are in a file.
func (l *List) OfFile(path string) []Finding {
	return l.matching(func(f Finding) bool { return f.Path == path && !f.Lines.Gone })
}

func (l *List) matching(is func(Finding) bool) (some []Finding) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range l.all {
		if is(f) {
			some = append(some, f)
		}
	}
	return some
}

// event follows a document. It runs on the read loop.
func (l *List) event(e ide.Event) {
	d := e.After
	if d == nil {
		d = e.Before
	}
	if e.Kind == ide.Saved || !l.follow(e, d.Path) {
		return
	}
	l.notify(d.Path)
}

// follow moves the findings of a file. It reports whether there are any.
func (l *List) follow(e ide.Event, path string) (some bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, f := range l.all {
		if f.Path != path {
			continue
		}
		some = true
		switch e.Kind {
		case ide.Opened:
			f.Lines = f.Lines.FindIn(e.After.Text)
		case ide.Changed:
			f.Lines = f.Lines.Follow(e.Splices, e.After.Text)
		case ide.Closed:
			f.Lines = f.Lines.Closed()
		case ide.Saved:
		default:
			panic("finding: unknown kind of event")
		}
		l.all[i] = f
	}
	return some
}

// Reread brings the findings of a file that is not open up to date with its text on disk. It
// calls nobody.
func (l *List) Reread(ctx context.Context, path string) {
	if len(l.OfPath(path)) == 0 {
		return
	}
	f, err := l.workspace.Snapshot().Read(ctx, path)
	if err != nil {
		f.Text = ide.NewText("") // the file is gone
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.workspace.Snapshot().DocumentAt(path) != nil {
		return // its events tell more
	}
	for i, x := range l.all {
		if x.Path == path {
			l.all[i].Lines = x.Lines.FindIn(f.Text).Closed()
		}
	}
}

func (l *List) notify(path string) {
	l.mu.Lock()
	watches := slices.Clone(l.watches)
	l.mu.Unlock()
	for _, f := range watches {
		f(path)
	}
}
