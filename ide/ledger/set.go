package ledger

import (
	"crypto/sha256"
	"iter"

	"github.com/emendo-dev/emendo/ide"
)

// set, file and hunk are the mutable state of a change set. The ledger's mutex guards
// them.
type set struct {
	id, session, turn, call, title string
	origin                         Origin
	round, since                   int // see [ChangeSet]
	files                          []*file
	hunkByID                       map[string]*hunk
	comments                       []string // on the decisions
	changed, moved                 bool     // a state, or a range, since the last notification
	version                        uint64   // of the last notification
	deciding                       bool     // decisions are being applied, so states may change again
	applies                        bool     // see [ChangeSet]
	renamed                        bool     // the user has renamed a file, since the last notification
}

type file struct {
	set           *set
	place         *place
	op            Op
	newPath       string
	version       int32 // of the document that the proposal was made from
	wasOpen       bool  // the proposal was made from a document
	diff          string
	runs          bool // see [FileChange]
	omitted       Omission
	before, after Version
	hunks         []*hunk

	verification Verification
}

type hunk struct {
	id        string
	order     int // the position of the proposal among the hunks of all change sets
	file      *file
	old, new  string
	whole     bool    // it creates, deletes or renames the file: its text is the whole text
	needs     []need  // the pending hunks that it is based on
	neededBy  []*hunk // those that are based on it directly
	formatted bool    // a formatter changed new before it was proposed

	state   State
	reason  string // why it is conflicted or superseded
	because string // the ID of the hunk with which it was rejected or superseded
	failed  error  // why its file could not be written
	verdict verdict

	// What was done to its text.
	edited  bool                // accepted, and another text is at the span
	byUser  bool                // the user changed new
	typed   bool                // pending, and the user is typing into it
	left    [][sha256.Size]byte // the texts that later edits of the session left at the span
	awaited bool                // it is on disk, and the editor has not read the file again yet

	committed bool // a commit that is not known to be the user's has it

	// Where it is.
	followed  bool // a and b are valid in the place's text
	a, b      int
	unmatched bool      // neither its old nor its new text is at the span
	unplaced  bool      // the span is empty because more than the hunk was deleted, so its position is unknown
	looseEnd  bool      // its edit added or removed a line end at the end of the file
	last      ide.Range // its range when it stopped being followed
	over      *hunk     // the accepted hunk whose text contains this one's

	goal     goal
	notified notified
}

// verdict is who decided a hunk.
type verdict struct {
	unasked  bool // it was applied without a decision of the user
	reviewed bool // the user decided it, before it was rejected
	rejected bool // the user rejected it; valid while the old text is at the span
}

// goal describes the text that a running Resolve waits for.
type goal struct {
	state   State // Accepted, or Pending for an undo; empty: no Resolve runs
	reached bool  // a text with the goal was seen
	unasked bool  // nobody was asked
}

// notified is what watchers know of a hunk.
type notified struct {
	decision decision
	version  uint64 // of the change set with this decision
	edited   bool   // that the user changed it
}

// need is a hunk whose new text was at offset at of another hunk's old text when
// that was proposed. The user may have changed it since.
type need struct {
	h   *hunk
	at  int
	new string
}

// needsHunk reports whether h is based on o, directly or indirectly.
func (h *hunk) needsHunk(o *hunk) bool {
	for _, n := range h.needs {
		if n.h == o || n.h.needsHunk(o) {
			return true
		}
	}
	return false
}

// eachNeeded calls f for the hunks that h is based on, directly or indirectly.
func (h *hunk) eachNeeded(f func(*hunk)) {
	for _, n := range h.needs {
		f(n.h)
		n.h.eachNeeded(f)
	}
}

// basedOn sets the hunks that h is based on.
func (h *hunk) basedOn(l []need) {
	h.needs = l
	for _, n := range l {
		n.h.neededBy = append(n.h.neededBy, h)
		n.h.file.set.moved = true
	}
}

// eachDependent calls f for the hunks that are based on h, directly or indirectly.
func (h *hunk) eachDependent(f func(*hunk)) {
	for _, o := range h.neededBy {
		f(o)
		o.eachDependent(f)
	}
}

// countRelated counts the proposed hunks that h is based on, and those that go with it.
func (h *hunk) countRelated() (bases, dependents int) {
	if h.settled() {
		return 0, 0
	}
	if h.state.proposed() {
		found := map[*hunk]bool{}
		h.eachNeeded(func(o *hunk) { found[o] = o.state.proposed() })
		for _, proposed := range found {
			if proposed {
				bases++
			}
		}
	}
	for _, o := range h.dependents() {
		if o.state.proposed() || o.state.Applied() {
			dependents++
		}
	}
	return bases, dependents
}

// form is one possible text under a hunk: its old text, with or without the hunks
// that it needs.
type form struct {
	text string
	put  []placing
}

// placing is the span of a needed hunk's text in a form.
type placing struct {
	h    *hunk
	a, b int
}

// maxForms limits the forms that are tried.
const maxForms = 64

// forms returns the possible forms, most likely first.
func (h *hunk) forms() []form {
	list := []form{{}}
	at := 0
	for _, n := range h.needs {
		between := h.old[at:n.at]
		at = n.at + len(n.new)
		inner := append([]form{{text: n.new}}, n.h.forms()...)
		var next []form
		for _, f := range list {
			for _, i := range inner {
				if len(next) == maxForms {
					break
				}
				next = append(next, f.extendedBy(between, n.h, i))
			}
		}
		list = next
	}
	for i := range list {
		list[i].text += h.old[at:]
	}
	return list
}

func (f form) extendedBy(between string, h *hunk, inner form) form {
	text := f.text + between
	at := len(text)
	put := append([]placing{}, f.put...)
	put = append(put, placing{h, at, at + len(inner.text)})
	for _, p := range inner.put {
		put = append(put, placing{p.h, p.a + at, p.b + at})
	}
	return form{text + inner.text, put}
}

// oldWithout returns the old text of h if the hunks of out are not applied.
func (h *hunk) oldWithout(out map[*hunk]bool) string {
	text, at := "", 0
	for _, n := range h.needs {
		text += h.old[at:n.at]
		at = n.at + len(n.new)
		if out[n.h] {
			text += n.h.oldWithout(out)
		} else {
			text += n.new
		}
	}
	return text + h.old[at:]
}

// hunks returns the hunks of all files.
func (s *set) hunks() iter.Seq[*hunk] {
	return func(yield func(*hunk) bool) {
		for _, f := range s.files {
			for _, h := range f.hunks {
				if !yield(h) {
					return
				}
			}
		}
	}
}

// state returns the state of the change set: pending if any hunk is, else the state
// that all hunks share, else partial.
func (s *set) state() State {
	var common State
	for h := range s.hunks() {
		switch {
		case h.state.Waits():
			return Pending
		case common == "":
			common = h.state
		case common != h.state:
			common = Partial
		}
	}
	return common
}

// value returns a snapshot of the change set. With search, it searches the whole
// text for the nearest passage of a conflicted hunk, which is slow.
func (s *set) value(e ide.Encoding, search bool) ChangeSet {
	cs := s.head()
	for _, f := range s.files {
		c := f.value()
		c.Hunks = make([]Hunk, 0, len(f.hunks))
		for _, h := range f.hunks {
			c.Hunks = append(c.Hunks, h.value(e, search))
		}
		cs.Files = append(cs.Files, c)
	}
	return cs
}

// head is a snapshot of the change set without its files.
func (s *set) head() ChangeSet {
	return ChangeSet{ID: s.id, SessionID: s.session, TurnID: s.turn, CallID: s.call, Title: s.title, Origin: s.origin, State: s.state(), Round: s.round, Since: s.since, Version: s.version, Applies: s.applies}
}

// value is a snapshot of the file without its hunks.
func (f *file) value() FileChange {
	c := FileChange{
		Path: f.place.path, URI: f.place.uri, Spelling: string(f.place.uri), Op: f.op,
		NewPath: f.newPath, Open: f.place.doc != nil, Diff: f.diff, Runs: f.runs, Omitted: f.omitted, Was: f.before, Is: f.after,
		Verification: f.verification,
	}
	if f.wasOpen && c.Open {
		c.BaseVersion = f.version
	}
	if c.Open {
		c.URI, c.Spelling, c.DocVersion = f.place.doc.URI, f.place.doc.Spelling, f.place.doc.Version
	}
	return c
}

// nextVersion increments the version and returns the change set.
func (s *set) nextVersion(e ide.Encoding) ChangeSet {
	s.version++
	cs := s.value(e, false)
	cs.Renamed, s.renamed = s.renamed, false
	for i, f := range s.files {
		for j, h := range f.hunks {
			v := &cs.Files[i].Hunks[j]
			if d := v.decision(); d != h.notified.decision {
				h.notified.decision, h.notified.version, v.Decided = d, s.version, s.version
			}
		}
	}
	return cs
}

// noteEdited updates whether watchers must be notified that the user changed a
// hunk, which also depends on later hunks.
func (s *set) noteEdited() {
	for h := range s.hunks() {
		if !h.edited && !h.notified.edited {
			continue
		}
		if now := h.retyped(); now != h.notified.edited {
			h.notified.edited, s.changed = now, true
		}
	}
}

func (h *hunk) value(e ide.Encoding, search bool) Hunk {
	v := Hunk{
		ID: h.id, State: h.state, Range: h.last, OldText: h.old, NewText: h.new,
		Edited: h.retyped() || h.byUser, Reason: h.reason, Because: h.because, Err: h.failed, Decided: h.notified.version, Formatted: h.formatted, Unasked: h.verdict.unasked,
		Lost:      h.unreviewed() && !h.followed && h.file.omitted == "",
		Committed: h.committed && h.unreviewed(),
		Undecided: h.unreviewed() || h.state == Rejected && h.verdict.unasked && !h.verdict.rejected && !h.verdict.reviewed,
	}
	if h.followed {
		t := h.file.place.text
		v.A, v.B = wholeLines(t, h.a, h.b)
		v.Range = t.Range(v.A, v.B, e)
	}
	v.Bases, v.Dependents = h.countRelated()
	if h.state == Conflicted {
		v.Nearest = h.nearest(e, search)
	}
	return v
}

// covered reports whether its text differs only because of a later accepted,
// unchanged proposal that is based on it.
func (h *hunk) covered() bool {
	return h.over != nil && h.over.state.Applied() && (!h.over.edited || h.over.covered())
}
