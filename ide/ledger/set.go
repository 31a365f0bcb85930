package ledger

import (
	"github.com/emendo-dev/emendo/ide"
)

// set, file and hunk are a change set while it lives. The ledger's mutex
// guards them.
type set struct {
	id, session, turn, call, title string
	files                          []*file
	comments                       []string // that came with decisions
	changed, moved                 bool     // since watchers were told: a state; a range
	version                        uint64   // of the last update that watchers were told
}

type file struct {
	set     *set
	place   *place
	op      Op
	newPath string
	version int32 // of the document that the proposal was made from
	wasOpen bool  // the proposal was made from a document
	diff    string
	hunks   []*hunk
}

type hunk struct {
	id       string
	order    int // in which hunks were proposed, over all change sets
	file     *file
	old, new string
	whole    bool   // it makes, removes or renames the file: its text is all of the text
	needs    []need // hunks that were pending when it was proposed on top of them

	state    State
	rejected bool // the user said no; heeded while the old text stands
	edited   bool
	typed    bool  // pending, and the user is typing into it
	failed   error // it is conflicted because its file could not be written
	byUser   bool  // new is what the user made of it
	told     bool  // watchers know it as changed by the user
	reason   string

	published decision // as watchers were last told
	decided   uint64   // the version of the change set that it came with

	followed bool // a and b hold in the place's text
	a, b     int
	off      bool      // neither its old nor its new text stands there
	loose    bool      // its edit left one line end more or less at the end of the file
	lost     bool      // the span is empty because more was taken away than the hunk: nobody knows the place
	last     ide.Range // where it was when it stopped being followed
	over     *hunk     // the accepted hunk that holds this one's text in its own

	goal   State // what a running Resolve waits for: Accepted, or Pending when it takes back
	landed bool  // the goal was seen in a text that came back
}

// need is a hunk whose new text began at byte at of another one's old text when
// that was proposed. The user may have made another text of it since.
type need struct {
	h   *hunk
	at  int
	new string
}

// needsHunk says whether h was proposed on top of o, directly or not.
func (h *hunk) needsHunk(o *hunk) bool {
	for _, n := range h.needs {
		if n.h == o || n.h.needsHunk(o) {
			return true
		}
	}
	return false
}

// eachNeeded calls f for the hunks that h was proposed on top of, directly or
// not.
func (h *hunk) eachNeeded(f func(*hunk)) {
	for _, n := range h.needs {
		f(n.h)
		n.h.eachNeeded(f)
	}
}

// form is one shape in which the text under a hunk may stand: its old text, in
// which hunks that it needs may be in place or not.
type form struct {
	text string
	put  []placing
}

// placing says that a needed hunk's text stands at these bytes of a form.
type placing struct {
	h    *hunk
	a, b int
}

// maxForms bounds the shapes that are tried.
const maxForms = 64

// forms lists the shapes, the one that is likely first.
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
				next = append(next, f.with(between, n.h, i))
			}
		}
		list = next
	}
	for i := range list {
		list[i].text += h.old[at:]
	}
	return list
}

func (f form) with(between string, h *hunk, inner form) form {
	text := f.text + between
	at := len(text)
	put := append([]placing{}, f.put...)
	put = append(put, placing{h, at, at + len(inner.text)})
	for _, p := range inner.put {
		put = append(put, placing{p.h, p.a + at, p.b + at})
	}
	return form{text + inner.text, put}
}

// under is the text that h stands on when the hunks of out are not in place.
func (h *hunk) under(out map[*hunk]bool) string {
	text, at := "", 0
	for _, n := range h.needs {
		text += h.old[at:n.at]
		at = n.at + len(n.new)
		if out[n.h] {
			text += n.h.under(out)
		} else {
			text += n.new
		}
	}
	return text + h.old[at:]
}

// state of the change set: pending while a hunk is, else the one that all
// hunks share, else partial.
func (s *set) state() State {
	var common State
	for _, f := range s.files {
		for _, h := range f.hunks {
			switch {
			case h.state == Pending:
				return Pending
			case common == "":
				common = h.state
			case common != h.state:
				common = Partial
			}
		}
	}
	return common
}

// value is the change set as others see it. With search the nearest passage of
// a conflicted hunk is looked for in the whole text, which takes a while.
func (s *set) value(e ide.Encoding, search bool) ChangeSet {
	cs := ChangeSet{ID: s.id, SessionID: s.session, TurnID: s.turn, CallID: s.call, Title: s.title, State: s.state(), Version: s.version}
	for _, f := range s.files {
		c := FileChange{
			Path: f.place.path, URI: f.place.uri, Spelling: string(f.place.uri), Op: f.op,
			NewPath: f.newPath, Open: f.place.doc != nil, Diff: f.diff, Hunks: make([]Hunk, 0, len(f.hunks)),
		}
		if f.wasOpen && c.Open {
			c.BaseVersion = f.version
		}
		if c.Open {
			c.URI, c.Spelling = f.place.doc.URI, f.place.doc.Spelling
		}
		for _, h := range f.hunks {
			c.Hunks = append(c.Hunks, h.value(e, search))
		}
		cs.Files = append(cs.Files, c)
	}
	return cs
}

// next is the value of the change set in its next version.
func (s *set) next(e ide.Encoding) ChangeSet {
	s.version++
	cs := s.value(e, false)
	for i, f := range s.files {
		for j, h := range f.hunks {
			v := &cs.Files[i].Hunks[j]
			if d := v.decision(); d != h.published {
				h.published, h.decided, v.Decided = d, s.version, s.version
			}
		}
	}
	return cs
}

// retold looks whether the user's part in a hunk is another one than was told: it
// follows from later hunks too.
func (s *set) retold() {
	for _, f := range s.files {
		for _, h := range f.hunks {
			if !h.edited && !h.told {
				continue
			}
			if now := h.retyped(); now != h.told {
				h.told, s.changed = now, true
			}
		}
	}
}

func (h *hunk) value(e ide.Encoding, search bool) Hunk {
	v := Hunk{
		ID: h.id, State: h.state, Range: h.last, OldText: h.old, NewText: h.new,
		Edited: h.retyped() || h.byUser, Reason: h.reason, Err: h.failed, Decided: h.decided,
	}
	if h.followed {
		t := h.file.place.text
		v.A, v.B = wholeLines(t, h.a, h.b)
		v.Range = t.Range(v.A, v.B, e)
	}
	if h.state == Conflicted {
		v.Nearest = h.nearest(e, search)
	}
	return v
}

// covered says that its text is another one because a later proposal, accepted
// and not touched since, was made on top of it: that is nothing the user did.
func (h *hunk) covered() bool {
	return h.over != nil && h.over.state == Accepted && (!h.over.edited || h.over.covered())
}

// wholeLines widens a span to the lines that it touches.
func wholeLines(t *ide.Text, a, b int) (int, int) {
	a = t.LineStart(t.LineAt(a))
	if !t.AtLineStart(b) {
		b = t.LineStart(t.LineAt(b) + 1)
	}
	return a, b
}
