package ledger

import (
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/ide"
)

// place is a file, or a document that is not a file, with the hunks followed in it.
type place struct {
	path string // absolute, links resolved; empty for a document that is not a file
	uri  ide.URI

	doc    *ide.Document // the version that spans refer to; nil if the file is not open
	text   *ide.Text     // the document's, or the file's as last read
	exists bool          // open, or on disk
	stored

	taken   int         // counts replacements of the whole text
	unsaved bool        // open, for a file that does not exist yet
	typing  bool        // a change by the user is being followed
	pause   *time.Timer // runs while the user types into a hunk
	sent    *sentEdit   // the current edit by emendo; nil: none
	keeping []*hunk     // while a write by emendo is followed: what was accepted before

	hunks  []*hunk // followed, in the order in which they were proposed
	marks  []*mark // what others have followed
	unseen []*hunk // accepted before a restart; followed once the file is opened and has their text
	lost   []*hunk // accepted before a restart, and not found since
	past   past
}

// The reasons why a hunk is conflicted or superseded.
const (
	reasonEdited  = "its text was changed in the editor; propose it again from the current text"
	reasonGone    = "its text is no longer in the file, or occurs more than once"
	reasonStale   = "the text changed after the proposal was made from it"
	reasonCreated = "the file already exists"
	reasonMissing = "the file does not exist"
	reasonBase    = "it depends on a change that was not applied"
	reasonOver    = "a later accepted change depends on it; undo that one first"
	reasonTouched = "it was edited after it was accepted; undo that edit, or change the text by hand"
	reasonOverlap = "it overlaps another change of the same decision"
	reasonTaken   = "the text to remove is no longer there"
	reasonUnread  = "the editor has not read the file again since it was changed on disk; read it there first"
	reasonUnfit   = "the decision does not fit: "
	reasonOpened  = "the file is open in the editor; close it there first"
	reasonNoCopy  = "there is no copy of the file from before the change"
)

// followChange follows the splices of an event, each in the text after the one before it.
// after is the final text.
func (p *place) followChange(splices []ide.Splice, after *ide.Text) {
	before := p.text
	record := p.spans()
	m, known := p.sent.arrived(after)
	if known {
		defer p.recordLeft(p.sent.kept)
	}
	if !known {
		m, known = p.past.find(after)
	}
	if known && m.covers(p) { // the spans are known
		p.followMarks(splices, after)
		p.text = after
		p.past.remember(before, record)
		p.restoreSpans(m)
		p.completeChange()
		return
	}
	worth := false // worth recording, because an undo could not be computed
	for i, s := range splices {
		text := p.text
		next := after
		if i < len(splices)-1 {
			next = text.Splice(s.A, s.B, s.Text)
		}
		worth = worth || strings.ContainsAny(text.Slice(s.A, s.B)+s.Text, "\r\n")
		worth = p.move([]ide.Splice{s}, next) || worth
	}
	p.text = after
	if worth {
		p.past.remember(before, record)
	}
	if known {
		p.restoreSpans(m)
	}
	p.completeChange()
}

// move sets the text and applies the splices that make it, whose offsets are in the
// text before. It reports whether they touched a hunk that stood.
func (p *place) move(splices []ide.Splice, text *ide.Text) (stood bool) {
	lines := text.Lines() != p.text.Lines()
	before := p.text
	p.text = text
	judged := map[*hunk]bool{}
	c := newChange(before, text, splices)
	for _, m := range p.marks {
		stood = m.follow(c) || stood
	}
	for _, h := range p.hunks {
		if h.whole {
			h.a, h.b = 0, text.Len()
			judged[h] = true
			continue
		}
		a, b, how, exceeds := c.span(h.a, h.b)
		if how == ide.Inside || lines && (a != h.a || b != h.b) {
			h.file.set.moved = true
		}
		stood = stood || how != ide.Apart && !h.unmatched
		if how == ide.Inside && a == b && exceeds {
			h.unplaced = true
		}
		h.a, h.b = a, b
		if how != ide.Apart {
			judged[h] = true
		}
	}
	p.judge(judged)
	return stood
}

// change is a change of a text that spans are moved with. The offsets of its splices are in the
// text before.
type change struct {
	before, after *ide.Text
	splices       []ide.Splice
	by            *ide.Mapping
	small         *ide.Mapping // of what a single splice changes; nil: not needed yet
}

func newChange(before, after *ide.Text, splices []ide.Splice) *change {
	return &change{before: before, after: after, splices: splices, by: ide.NewMapping(splices...)}
}

// span returns where a span is after the change, how that touches it, and whether it also
// changes text beside it.
func (c *change) span(a, b int) (x, y int, how ide.Touch, exceeds bool) {
	at := c.by
	x, y, how = at.Span(a, b, c.after)
	if how == ide.Inside && len(c.splices) == 1 {
		if c.small == nil {
			c.small = ide.NewMapping(tighten(c.before, c.splices[0])...)
		}
		at = c.small
		x, y, how = at.Span(a, b, c.after)
	}
	return x, y, how, how == ide.Inside && at.Exceeds(a, b)
}

// replaceText replaces the whole text, after a document was opened or closed or a file
// changed on disk. A pending hunk whose old text is no longer at its span moves to
// that text if it occurs once.
func (p *place) replaceText(text *ide.Text, exists bool) {
	if len(p.hunks)+len(p.marks) == 0 || text.String() == p.text.String() && exists == p.exists {
		p.text, p.exists = text, exists
		return
	}
	pending := map[*hunk]bool{}
	for _, h := range p.hunks {
		pending[h] = h.state.proposed()
	}
	p.past = past{}
	p.exists = exists
	p.move(ide.LineSplices(p.text.String(), text.String(), 0), text)
	for _, h := range p.hunks {
		if !pending[h] || h.state != Conflicted {
			continue
		}
		if h.whole {
			h.reason = reasonStale
			continue
		}
		h.reason = reasonGone
		for _, f := range h.forms() {
			if a, ok := text.OnlyLines(f.text); ok {
				h.a, h.b, h.unplaced = a, a+len(f.text), false
				p.judge(map[*hunk]bool{h: true})
				break
			}
		}
	}
	for _, h := range p.hunks {
		h.file.set.moved = true
	}
	p.findMarks()
	p.completeChange()
}

// completeChange completes a change: hunks whose base was removed are superseded until it
// returns.
func (p *place) completeChange() {
	if p.sent != nil {
		return
	}
	for _, h := range slices.Backward(p.hunks) { // a contained hunk is where its container is
		if o := h.over; o != nil && o.state.Applied() && o.followed && !h.whole {
			h.a, h.b = o.a, o.b
		}
	}
	for _, h := range p.hunks {
		if len(h.needs) == 0 || !h.state.proposed() && h.state != Superseded {
			continue
		}
		because := h.missingBase()
		switch {
		case because != "" && h.state.proposed():
			h.setState(Superseded, reasonBase)
			h.because = because
		case because == "" && h.state == Superseded:
			p.judge(map[*hunk]bool{h: true})
		}
	}
}

// missingBase returns the ID of the hunk because of which one that it is based on is neither
// proposed nor applied; empty if they all are.
func (h *hunk) missingBase() string {
	for _, n := range h.needs {
		switch {
		case n.h.state.proposed() || n.h.state.Applied():
		case n.h.because != "":
			return n.h.because
		default:
			return n.h.id
		}
	}
	return ""
}

// unfollow stops following hunks.
func (p *place) unfollow(gone func(*hunk) bool, e ide.Encoding) {
	p.hunks = slices.DeleteFunc(p.hunks, func(h *hunk) bool {
		if !gone(h) {
			return false
		}
		a, b := wholeLines(p.text, h.a, h.b)
		h.last, h.followed = p.text.Range(a, b, e), false
		return true
	})
}

// follow adds a hunk at a to b.
func (p *place) follow(h *hunk, a, b int) {
	h.a, h.b, h.followed = a, b, true
	i, _ := slices.BinarySearchFunc(p.hunks, h, func(x, y *hunk) int { return x.order - y.order })
	p.hunks = slices.Insert(p.hunks, i, h)
}
