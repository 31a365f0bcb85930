package view

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"maps"
	"slices"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// windowHunk is a hunk that waits for the user, and what the client has of it.
type windowHunk struct {
	basis
	at      ide.Range
	version int32 // of the document, if it is open
	since   int64 // the last change of what the user decides on
	built   int64 // when the last change was built on it, which is rejected with it

	known   bool
	whole   bool      // the client lacks more than where it is
	sent    ide.Range // where the client has it
	sentFor int32     // the version that it is of
}

// windowFile is a file with hunks.
type windowFile struct {
	id, uri, newURI string
	path            string // as the user reads it, but not relative to a folder
	open            bool
	version         int32
	hunks           map[string]*windowHunk
	touched         bool // its item may have changed
	moved           bool // a hunk of it may have moved
	lacked          bool // the client lacks hunks of it
}

// PutChangeSet folds the state of a change set. An older one than the last is ignored.
func (w *Window) PutChangeSet(cs ledger.ChangeSet) {
	if cs.Version < w.versions[cs.ID] {
		return
	}
	w.versions[cs.ID] = cs.Version
	before := w.sets[cs.ID]
	now := map[string]*windowHunk{}
	for _, f := range cs.Files {
		for _, h := range f.Hunks {
			if state := stateOf(h); state != "" && !(cs.Applies && state == HunkPending) {
				now[h.ID] = w.putHunk(before[h.ID], w.file(f), basisOf(cs, f, h, state), h.Range, f.DocVersion)
			}
		}
	}
	for id, h := range before {
		if now[id] == nil {
			w.dropHunk(h)
		}
	}
	if w.sets[cs.ID] = now; len(now) == 0 {
		delete(w.sets, cs.ID)
	}
}

// basisOf returns what the view of a hunk is made from.
func basisOf(cs ledger.ChangeSet, f ledger.FileChange, h ledger.Hunk, state HunkState) basis {
	return basis{
		set: cs.ID, hunk: h.ID, session: cs.SessionID, call: cs.CallID, state: state,
		op: f.Op, newPath: f.NewPath, old: h.OldText, new: h.NewText, reason: h.Reason, omitted: f.Omitted,
		formatted: h.Formatted, committed: h.Committed, runs: f.Runs, open: f.Open, bases: h.Bases, dependents: h.Dependents,
		check: f.Verification.State, introduced: f.Verification.Introduced, resolved: f.Verification.Resolved, unchecked: f.Verification.Reason,
	}
}

// file returns the file of a change, as it is now.
func (w *Window) file(c ledger.FileChange) *windowFile {
	key := cmp.Or(c.Path, string(c.URI))
	f := w.files[key]
	if f == nil {
		sum := sha256.Sum256([]byte(key))
		f = &windowFile{id: "file-" + base32.StdEncoding.EncodeToString(sum[:10]), path: key, hunks: map[string]*windowHunk{}}
		w.files[key] = f
	}
	uri, newURI := cmp.Or(c.Spelling, string(c.URI)), ""
	if c.NewPath != "" {
		newURI = string(ide.FileURI(c.NewPath))
	}
	f.touched = f.touched || f.uri != uri || f.newURI != newURI
	f.uri, f.newURI, f.open, f.version = uri, newURI, c.Open, c.DocVersion
	return f
}

// putHunk adds a hunk or replaces its last state.
func (w *Window) putHunk(h *windowHunk, f *windowFile, b basis, at ide.Range, version int32) *windowHunk {
	b.file = f
	switch {
	case h == nil:
		h = &windowHunk{whole: true}
	case h.file != f:
		w.leaveFile(h)
	}
	if h.basis != b {
		if h.decided() != b.decided() {
			w.seq++
			h.since = w.seq
		}
		if b.dependents > h.dependents {
			w.seq++
			h.built = w.seq
		}
		h.basis, h.whole, f.touched, f.lacked = b, true, true, true
	}
	if h.at != at || h.version != version {
		h.at, h.version, f.moved = at, version, true
	}
	f.hunks[b.hunk] = h
	return h
}

// dropHunk removes a hunk that is decided.
func (w *Window) dropHunk(h *windowHunk) {
	w.leaveFile(h)
	if h.known {
		w.dropped = append(w.dropped, h.hunk)
	}
}

// leaveFile removes a hunk from its file.
func (w *Window) leaveFile(h *windowHunk) {
	delete(h.file.hunks, h.hunk)
	h.file.touched = true
}

// filesInOrder returns the files in the order of review.
func (w *Window) filesInOrder() []*windowFile {
	return slices.SortedFunc(maps.Values(w.files), func(a, b *windowFile) int { return cmp.Compare(a.path, b.path) })
}

// inOrder returns the hunks of a file in the order of review.
func (f *windowFile) inOrder() []*windowHunk {
	return slices.SortedFunc(maps.Values(f.hunks), func(a, b *windowHunk) int {
		return cmp.Or(
			cmp.Compare(a.at.Start.Line, b.at.Start.Line), cmp.Compare(a.at.End.Line, b.at.End.Line), cmp.Compare(a.hunk, b.hunk),
		)
	})
}

// viewOf returns a hunk as the client gets it. Without rows those are left out.
func (w *Window) viewOf(h *windowHunk, rows bool) HunkView {
	v := HunkView{
		ID: h.hunk, ChangeSetID: h.set, HunkID: h.hunk, SessionID: h.session, ItemID: h.call, FileID: h.file.id, State: h.state,
		Range: rangeOf(h.at), Label: h.label(w.o.Folders.Near), Marks: h.marks(), Actions: h.actions(),
	}
	if h.open {
		v.Version = new(h.version)
	}
	if rows && h.omitted == "" {
		v.Rows = hunkRows(h.old, h.new, w.o.Encoding)
	}
	return v
}

func rangeOf(r ide.Range) Range {
	at := func(p ide.Position) Position { return Position{Line: int(p.Line), Character: int(p.Character)} }
	return Range{Start: at(r.Start), End: at(r.End)}
}

// Hunk returns a hunk with its rows.
func (w *Window) Hunk(id string) (HunkView, bool) {
	if h := w.hunk(id); h != nil {
		return w.viewOf(h, true), true
	}
	return HunkView{}, false
}

func (w *Window) hunk(id string) *windowHunk {
	for _, set := range w.sets {
		if h := set[id]; h != nil {
			return h
		}
	}
	return nil
}

// wholeHunks returns hunks for a client that has none, as many as it takes at a time.
func (w *Window) wholeHunks() []HunkView {
	for _, f := range w.files {
		for _, h := range f.hunks {
			h.known, h.whole = false, true
		}
		f.moved, f.lacked = false, true
	}
	return w.lackedHunks()
}

// lackedHunks returns hunks that the client lacks, as many as it takes at a time, those of open
// documents first.
func (w *Window) lackedHunks() []HunkView {
	l := []HunkView{}
	files := w.filesInOrder()
	slices.SortStableFunc(files, func(a, b *windowFile) int {
		switch {
		case a.open == b.open:
			return 0
		case a.open:
			return -1
		}
		return 1
	})
	for _, f := range files {
		if !f.lacked || w.atOnce > 0 && len(l) == w.atOnce {
			continue
		}
		f.lacked = false
		for _, h := range f.inOrder() {
			if !h.whole {
				continue
			}
			if f.lacked = w.atOnce > 0 && len(l) == w.atOnce; f.lacked {
				break
			}
			l = append(l, w.viewOf(h, h.open))
			h.isSent()
		}
	}
	return l
}

// LacksHunks reports whether the client lacks hunks.
func (w *Window) LacksHunks() bool {
	for _, f := range w.files {
		if f.lacked {
			return true
		}
	}
	return false
}

// isSent notes that the client has a hunk as it is.
func (h *windowHunk) isSent() {
	h.known, h.whole, h.sent, h.sentFor = true, false, h.at, h.version
}

// hunksChanged reports whether the client lacks hunks, and whether hunks have moved.
func (w *Window) hunksChanged() (some, moved bool) {
	for _, f := range w.files {
		some = some || f.touched || f.lacked
		moved = moved || f.moved
	}
	return some, moved
}

// hunkChanges returns what the client lacks of hunks, as many as it takes at a time; those that
// have only moved where moves are asked for.
func (w *Window) hunkChanges(moves bool) (l []Change) {
	for _, f := range w.filesInOrder() {
		if f.moved && moves {
			l = append(l, f.move()...)
			f.moved = false
		}
	}
	for _, h := range w.lackedHunks() {
		l = append(l, Change{Hunk: new(h)})
	}
	return l
}

// move returns how the hunks that the client has have moved. It marks those to be sent whole
// that have changed their shape, or have not moved with those at their line.
func (f *windowFile) move() []Change {
	var had []*windowHunk
	for _, h := range f.hunks {
		if h.known && !h.whole {
			had = append(had, h)
		}
	}
	slices.SortFunc(had, func(a, b *windowHunk) int { return cmp.Compare(a.sent.Start.Line, b.sent.Start.Line) })
	lines := [][2]int{}
	total, at := 0, -1
	same := true
	for _, h := range had {
		from := int(h.sent.Start.Line)
		by := int(h.at.Start.Line) - from
		if from != at && by != total {
			lines = append(lines, [2]int{from, by - total})
			total = by
		}
		at = from
		same = same && h.sentFor == f.version
		if h.sent = moved(h.sent, total); h.sent != h.at {
			h.whole, f.lacked = true, true
		}
		h.sentFor, h.version = f.version, f.version
	}
	if len(lines) == 0 && (same || !f.open) {
		return nil
	}
	c := Change{Move: f.uri, Lines: lines}
	if f.open {
		c.Version = new(f.version)
	}
	return []Change{c}
}

// moved returns a range some lines below.
func moved(r ide.Range, by int) ide.Range {
	r.Start.Line = uint32(int(r.Start.Line) + by)
	r.End.Line = uint32(int(r.End.Line) + by)
	return r
}

// ForgetHunks forgets all hunks and their files, for a client that has nothing. Those that are
// put from now on have the form that the client takes.
func (w *Window) ForgetHunks(o Options) {
	if o.Folders == nil {
		o.Folders = Shown(nil)
	}
	for _, f := range w.files {
		w.Drop(f.id)
	}
	w.o, w.files, w.sets, w.versions = o, map[string]*windowFile{}, map[string]map[string]*windowHunk{}, map[string]uint64{}
}
