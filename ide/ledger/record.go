package ledger

import (
	"context"
	"io/fs"
	"path/filepath"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/diff"
	"github.com/emendo-dev/emendo/internal/builds"
)

// Recorded are changes of files that something has made on disk already, such as a command.
type Recorded struct {
	SessionID string
	TurnID    string
	CallID    string
	Title     string
	Origin    Origin
	Round     int
	Files     []RecordedFile
}

// RecordedFile is one file of them.
type RecordedFile struct {
	Path          string // absolute, links resolved
	Op            Op     // Create, Modify or Delete
	Before, After string // the texts; empty where there was no file, and if they are omitted
	Omitted       Omission
	Was, Is       Version // the stored bytes
	// Final says why the change cannot be undone; empty if it can.
	Final string
}

// changesWhatRuns reports whether the change is one of what tools of a project run by themselves.
func (f RecordedFile) changesWhatRuns() bool {
	name := filepath.ToSlash(f.Path)
	if f.Omitted != "" {
		return builds.Listed(name)
	}
	return builds.Runs(name, f.Before, f.After)
}

// mostHunks bounds the hunks of a recorded file. With more, they are one.
const mostHunks = 500

// Record adds a change set of what was done on disk. Its hunks are accepted, and the user is
// to review them. It leaves out files that the editor has open with other text, and returns
// their paths. If nothing is left, its error is [ErrNoChange].
func (l *Ledger) Record(ctx context.Context, r Recorded) (cs ChangeSet, left []string, err error) {
	s := &set{id: l.o.NewID(), session: r.SessionID, turn: r.TurnID, call: r.CallID, title: r.Title, origin: r.Origin, round: r.Round, changed: true}
	found := make([]onDisk, len(r.Files))
	for i, f := range r.Files {
		if f.Omitted == "" {
			found[i] = l.files.loadAny(ctx, f.Path)
		}
	}
	if ctx.Err() != nil {
		return ChangeSet{}, nil, context.Cause(ctx)
	}
	l.mu.Lock()
	for _, f := range r.Files {
		if _, err := l.awaitEdit(ctx, f.Path); err != nil {
			l.mu.Unlock()
			return ChangeSet{}, nil, err
		}
	}
	for i, f := range r.Files {
		at := l.placeFor(f.Path, "")
		if f.Omitted == "" {
			at.keeping = at.unedited(r.SessionID) // what the session itself made there, it was not the user
			at.refresh(found[i])
			at.recordLeft(at.keeping)
			at.keeping = nil
			if at.differs(f) {
				left = append(left, f.Path)
				continue
			}
		}
		l.recordFile(s, at, f)
	}
	if len(s.files) == 0 {
		l.mu.Unlock()
		return ChangeSet{}, left, ErrNoChange
	}
	s.since = l.roundBefore(s)
	cs = s.value(l.encoding, false)
	l.addSet(s)
	l.mu.Unlock()
	l.notify()
	return cs, left, nil
}

// differs reports whether the editor has the file open with text that is neither what a
// change made nor, unchanged by the user, what was there before it.
func (p *place) differs(f RecordedFile) bool {
	if p.doc == nil {
		return false
	}
	text := p.text.String()
	return text != f.After && (text != f.Before || p.doc.Unsaved)
}

// recordFile splits a recorded file into hunks. l.mu is held.
func (l *Ledger) recordFile(s *set, at *place, f RecordedFile) {
	in := &file{set: s, place: at, op: f.Op, runs: f.changesWhatRuns(), omitted: f.Omitted, before: f.Was, after: f.Is, wasOpen: at.doc != nil}
	if at.doc != nil {
		in.version = at.doc.Version
	}
	s.files = append(s.files, in)
	if f.Omitted != "" {
		h := l.newRecorded(in)
		h.whole, h.reason = true, f.Final
		return
	}
	if f.Op == Delete && !at.exists {
		at.mode = f.Was.Mode
	}
	in.diff = l.files.unified(f.Op, f.Path, f.Path, "", f.Before, f.After)
	waits := at.doc != nil && at.text.String() != f.After
	if f.Op != Modify {
		h := l.newRecorded(in)
		h.whole, h.awaited = true, waits
		h.old, h.new = f.Before, f.After
		at.follow(h, 0, at.text.Len())
		at.judgeOne(h)
		return
	}
	changes := diff.Hunks(f.Before, f.After)
	if n := len(changes); n > mostHunks {
		changes[0].Old.B, changes[0].New.B = changes[n-1].Old.B, changes[n-1].New.B
		changes = changes[:1]
	}
	var own []patch
	var splices []ide.Splice
	since := ide.NewMapping(ide.LineSplices(f.After, at.text.String(), 0)...) // what was changed after it
	for _, k := range changes {
		h := l.newRecorded(in)
		h.old, h.new = f.Before[k.Old.A:k.Old.B], f.After[k.New.A:k.New.B]
		if waits {
			h.awaited = true
			at.follow(h, k.Old.A, k.Old.B)
			splices = append(splices, ide.Splice{A: k.Old.A, B: k.Old.B, Text: h.new})
			own = append(own, patch{splices[len(splices)-1], h})
			continue
		}
		a, b, how := since.Span(k.New.A, k.New.B, at.text)
		at.follow(h, a, b)
		if how != ide.Apart {
			at.judgeOne(h)
		}
	}
	if waits {
		at.expectSpans(own, splices, nil)
	}
}

// newRecorded makes a hunk that was applied and is to be reviewed.
func (l *Ledger) newRecorded(in *file) *hunk {
	h := l.newHunk(in)
	h.state, h.verdict.unasked = Accepted, true
	return h
}

// exchange carries out an operation on a hunk without text, or on a file that a command
// deleted: the file gets the stored bytes of before the change, or of after it.
func (l *Ledger) exchange(ctx context.Context, o *op) {
	l.mu.Lock()
	h, f := o.h, o.h.file
	path, open, from, to := f.place.path, f.place.doc != nil, f.after, f.before
	if !o.back {
		from, to = f.before, f.after
	}
	whole := f.omitted != "" || f.op == Delete && o.back && f.before.Hash != "" && !open && !f.place.exists
	l.mu.Unlock()
	if !whole || o.conflict != "" {
		return
	}
	var err error
	switch {
	case f.omitted == "" && l.stored == nil:
		return // its text is enough
	case h.reason != "":
		o.conflict = h.reason
	case open:
		o.conflict = reasonOpened
	case l.stored == nil:
		o.conflict = reasonNoCopy
	default:
		if err = l.stored.PutBack(ctx, f.set.session, path, from, to); err != nil {
			o.conflict, o.err = err.Error(), err
		}
	}
	now := noFile()
	if f.omitted == "" && err == nil {
		if now, err = l.files.load(ctx, path); err != nil {
			return // the next attempt reads it
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case f.omitted == "" && err != nil: // the ordinary way may be possible
		o.conflict, o.err = "", nil
	case f.omitted == "":
		o.updateOutcome() // it lands when the file is there
		f.place.refresh(now)
	case o.conflict != "" && !o.back:
		h.setState(Rejected, h.reason)
	case o.conflict == "":
		o.done = true
		if h.verdict.rejected = o.then == Rejected; !h.verdict.rejected {
			h.verdict.unasked, h.verdict.reviewed = o.unasked, !o.unasked
		}
		h.state, f.set.changed = o.then, true
	}
}

// Unreviewed returns how many hunks of a session were applied and not reviewed yet. An empty
// ID means all sessions.
func (l *Ledger) Unreviewed(sessionID string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.sets {
		if sessionID != "" && s.session != sessionID {
			continue
		}
		for h := range s.hunks() {
			if h.unreviewed() {
				n++
			}
		}
	}
	return n
}

// Waiting returns how many hunks of a session wait for a decision. An empty ID means all sessions.
func (l *Ledger) Waiting(sessionID string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.sets {
		if sessionID != "" && s.session != sessionID {
			continue
		}
		for h := range s.hunks() {
			if h.state.Waits() {
				n++
			}
		}
	}
	return n
}

// modeBack returns the permissions that a file had before a command, if undoing hunks leaves
// nothing of what the command changed there; else zero.
func (f *file) modeBack(undone map[*hunk]bool) fs.FileMode {
	for _, h := range f.hunks {
		if h.state.Applied() && !undone[h] {
			return 0
		}
	}
	return f.before.Mode
}
