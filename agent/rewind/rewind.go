package rewind

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// Scope selects what to rewind.
type Scope string

// The scopes.
const (
	Files        Scope = "files"
	Conversation Scope = "conversation"
	Both         Scope = "both"
)

// ParseScope parses the name of a scope.
func ParseScope(s string) (Scope, error) {
	switch sc := Scope(s); sc {
	case Files, Conversation, Both:
		return sc, nil
	}
	return "", fmt.Errorf("invalid rewind scope %q: want files, conversation or both", s)
}

// Result lists the changes of a rewind to files, made or planned. Paths are absolute; a
// document that is not a file has its URI.
type Result struct {
	Restored  []string
	Deleted   []string  // the turns made them, and they were not changed since
	Kept      []Skipped // not covered by checkpoints, or the only files that may hold what is not
	Conflicts []Skipped // changed again since, in a way that cannot be separated
	Changes   []Change  // of a dry run: what would happen to each file
}

// Skipped is a file that a rewind leaves as it is.
type Skipped struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Options of a [Rewinder].
type Options struct {
	SessionID string
	Dir       string // the session's folder, absolute
	Workspace *ide.Workspace
	Ledger    *ledger.Ledger
	Journal   *Journal
	Place     Place
	Log       *slog.Logger
	Meanwhile *Meanwhile // what is not the commands' doing
}

// A Place is where a session works.
type Place interface {
	// Tree returns the session's folders.
	Tree() *disk.Tree
	// IsPlan reports whether a file is one of the session's own plans, which are not part of
	// the workspace.
	IsPlan(path string) bool
}

// A Rewinder records what the turns of a session change and reverts it.
type Rewinder struct {
	o          Options
	background background
}

// New returns the Rewinder of a session.
func New(o Options) *Rewinder { return &Rewinder{o: o} }

// Request is a rewind to before a turn.
type Request struct {
	Turn   string
	Turns  []string // Turn and all after it
	Scope  Scope
	DryRun bool
}

// maxTries is how often a rewind is planned again because the user typed.
const maxTries = 3

// Rewind reverts the files, unless the scope is the conversation alone. Unless it is the files
// alone, forget makes the session forget the turns; an error of it reverts the rewind. After an
// error everything is as it was.
func (r *Rewinder) Rewind(ctx context.Context, req Request, forget func() error) (Result, error) {
	if req.Scope == Files {
		forget = func() error { return nil }
	}
	var p *plan
	var b back
	var err error
	for range maxTries {
		if p, err = r.planFor(ctx, req); err != nil || req.DryRun {
			break
		}
		b = back{attempt: attempt{Turn: req.Turn, Conversation: req.Scope != Files}}
		if req.Scope != Conversation {
			b.Applied, b.Waited = r.hunksOf(req.Turns, ledger.State.Applied), r.hunksOf(req.Turns, ledger.State.Waits)
		}
		if err = r.perform(ctx, p, &b.attempt, forget); err == nil || !p.outdated(r.o.Workspace.Snapshot(), err) {
			break
		}
	}
	if err != nil {
		return Result{}, err
	}
	if req.DryRun {
		p.result.Changes = p.changes
	} else {
		r.finish(ctx, p, req, b)
	}
	return p.result, nil
}

// planFor plans what a rewind does with files.
func (r *Rewinder) planFor(ctx context.Context, req Request) (*plan, error) {
	if req.Scope == Conversation {
		return &plan{}, nil
	}
	return r.plan(ctx, req.Turns)
}

// perform carries out the plan, or leaves everything as it was: it restores the closed files,
// then the open ones, and then makes the session forget, or know again. The journal holds the
// attempt meanwhile, in case the process is killed; its files are added to it.
func (r *Rewinder) perform(ctx context.Context, p *plan, a *attempt, forget func() error) error {
	if err := r.readDeleted(ctx, p); err != nil {
		return fmt.Errorf("rewinding files: %w", err)
	}
	if err := r.begin(p, a); err != nil {
		return fmt.Errorf("rewinding files: %w", err)
	}
	_, err := restore(ctx, r.o.Place.Tree(), p.steps)
	if err == nil {
		err = r.o.Ledger.Apply(ctx, p.edit)
	}
	if err != nil {
		err = fmt.Errorf("rewinding files: %w", err)
	} else if err = forget(); err != nil {
		err = fmt.Errorf("rewinding the conversation: %w", err)
	}
	if err != nil { // a cancelled rewind is undone completely too
		return errors.Join(err, r.undo(context.WithoutCancel(ctx), *a))
	}
	if err := r.o.Journal.end(); err != nil {
		r.o.Log.Warn("recording the end of a rewind", "session", r.o.SessionID, "err", err)
	}
	return nil
}

// readDeleted notes what the files hold on disk that the editor is to delete, or else the
// editor's text.
func (r *Rewinder) readDeleted(ctx context.Context, p *plan) error {
	for i, c := range p.changes {
		if !c.Open || c.After.Exists {
			continue
		}
		now, err := r.onDisk(ctx, c.Name)
		if err != nil {
			return err
		}
		if now.content.Exists {
			p.changes[i].Before = now.content
		} else {
			p.changes[i].Before = Decode([]byte(c.Before.Text))
		}
	}
	return nil
}

// finish records what was reverted and how it can be redone, and rejects the edits that the turns
// have still pending.
func (r *Rewinder) finish(ctx context.Context, p *plan, req Request, b back) {
	if req.Scope != Conversation && len(p.result.Conflicts) == 0 { // else the user may resolve them and rewind again
		if err := r.o.Journal.Add(Entry{Undone: req.Turns}); err != nil {
			r.o.Log.Warn("recording a rewind of files", "session", r.o.SessionID, "err", err)
		} else {
			b.Undone = req.Turns
		}
	}
	r.readAgain(ctx, p)
	if req.Scope != Conversation {
		r.resolve(ctx, r.hunksOf(req.Turns, ledger.State.Waits), ledger.Reject)
	}
	err := r.o.Journal.addBack(b)
	if err == nil && len(b.Undone) > 0 {
		err = r.o.Journal.Prune()
	}
	if err != nil {
		r.o.Log.Warn("recording how a rewind is redone", "session", r.o.SessionID, "err", err)
	}
}

// readAgain has the ledger read the files that were written.
func (r *Rewinder) readAgain(ctx context.Context, p *plan) {
	for _, st := range p.steps {
		// It does not matter whether there is one.
		_, _ = r.o.Ledger.View(ctx, r.o.SessionID, st.path.Abs)
	}
}

// hunksOf returns the hunks of turns in certain states.
func (r *Rewinder) hunksOf(turns []string, in func(ledger.State) bool) (l []ledger.Remembered) {
	for _, cs := range r.o.Ledger.List(r.o.SessionID, "", "") {
		if !slices.Contains(turns, cs.TurnID) {
			continue
		}
		for _, f := range cs.Files {
			for _, h := range f.Hunks {
				if in(h.State) {
					l = append(l, ledger.Remembered{ChangeSetID: cs.ID, HunkID: h.ID, Reviewed: h.Reviewed()})
				}
			}
		}
	}
	return l
}

// resolve decides hunks.
func (r *Rewinder) resolve(ctx context.Context, hunks []ledger.Remembered, a ledger.Action) {
	var ds []ledger.Decision
	for _, h := range hunks {
		ds = append(ds, ledger.Decision{ChangeSetID: h.ChangeSetID, HunkID: h.HunkID, Action: a})
	}
	if len(ds) == 0 {
		return
	}
	if _, err := r.o.Ledger.Resolve(ctx, ds, ""); err != nil {
		r.o.Log.Warn("deciding the edits of rewound turns", "session", r.o.SessionID, "action", a, "err", err)
	}
}
