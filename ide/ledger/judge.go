package ledger

import (
	"crypto/sha256"
	"slices"

	"github.com/emendo-dev/emendo/ide"
)

// setState changes the state and marks the change set for notification.
func (h *hunk) setState(s State, reason string) {
	if h.state != s || h.reason != reason {
		h.file.set.changed = true
	}
	if h.state.proposed() != s.proposed() { // what is said of how many it takes along
		also := func(o *hunk) { o.file.set.moved = true }
		h.eachNeeded(also)
		h.eachDependent(also)
	}
	h.state, h.reason, h.failed = s, reason, nil
	if s != Rejected && s != Superseded {
		h.because = ""
	}
	h.typed = false
}

// judge derives the states of hunks from the text, earlier hunks first, because
// later ones depend on them. While an edit of emendo's is under way it is postponed.
func (p *place) judge(touched map[*hunk]bool) {
	if p.sent != nil {
		for h := range touched {
			p.sent.touched[h] = true
		}
		return
	}
	for _, h := range p.hunks {
		if touched[h] {
			p.judgeOne(h)
		}
	}
}

// judgeOne derives the state of one hunk from the text at its span.
func (p *place) judgeOne(h *hunk) {
	if h.over != nil && h.over.state.Applied() {
		h.newTextFound()
		p.coverNeeded(h)
		return
	}
	h.over = nil
	if h.awaited && p.matchesOld(h) {
		return
	}
	h.awaited = false
	if p.overwritten(h) {
		h.neitherFound()
		return
	}
	h.widenOverNeeded()
	was := h.looseEnd
	h.looseEnd = false
	old, put := p.matchOld(h)
	isNew := p.matchesNew(h)
	if !old && !isNew {
		old, put, isNew = p.inLines(h)
	}
	if !old && !isNew && (was || h.goal.state != "") {
		h.looseEnd = true
		if old, put = p.matchOld(h); h.goal.state == Accepted || h.state.Applied() && h.goal.state == "" {
			old, isNew = false, p.matchesNew(h)
		}
		h.looseEnd = old || isNew
	}
	switch {
	case old && !(isNew && (h.state.Applied() || h.goal.state == Accepted)): // if both match, the goal decides
		h.oldTextFound()
		for _, e := range put { // release the hunks that it held
			if e.h.over == h {
				e.h.over, e.h.a, e.h.b = nil, h.a+e.a, h.a+e.b
				p.judgeOne(e.h)
			}
		}
	case isNew:
		h.newTextFound()
		p.coverNeeded(h)
	default:
		h.neitherFound()
	}
}

// coverNeeded marks the hunks that an accepted one is based on as contained in it,
// recursively.
func (p *place) coverNeeded(h *hunk) {
	for _, n := range h.needs {
		n.h.over, n.h.a, n.h.b = h, h.a, h.b
		p.judgeOne(n.h)
	}
}

// widenOverNeeded extends a hunk over adjacent hunks that it is based on: text of one of them
// may have appeared at its edge.
func (h *hunk) widenOverNeeded() {
	for _, n := range h.needs {
		if e := n.h; e.followed && e.over != h && e.a <= h.b && h.a <= e.b {
			h.a, h.b = min(h.a, e.a), max(h.b, e.b)
		}
	}
}

// areInPlace reports whether the hunks that h needs are where the form at offset at has
// them: each at its own span, unless h contained it until now.
func (h *hunk) areInPlace(f form, at int) bool {
	for _, e := range f.put {
		if e.h.over != h && e.h.followed && (e.h.a != at+e.a || e.h.b != at+e.b) {
			return false
		}
	}
	return true
}

// inLines searches for a hunk's text in the lines that its span now covers, for
// example after the user typed a line above it starting in its first column. The
// text must occur once.
func (p *place) inLines(h *hunk) (old bool, put []placing, isNew bool) {
	if h.whole || h.a == h.b {
		return false, nil, false
	}
	a, b := wholeLines(p.text, h.a, h.b)
	lines := ide.NewText(p.text.Slice(a, b))
	if h.state.Applied() {
		if at, ok := lines.OnlyLines(h.new); ok {
			h.a, h.b = a+at, a+at+len(h.new)
			return false, nil, true
		}
		return false, nil, false
	}
	for _, f := range h.forms() {
		if at, ok := lines.OnlyLines(f.text); ok && h.areInPlace(f, a+at) {
			h.a, h.b = a+at, a+at+len(f.text)
			return true, f.put, false
		}
	}
	return false, nil, false
}

// oldTextFound updates a hunk whose old text is at its span.
func (h *hunk) oldTextFound() {
	h.unmatched = false
	if h.edited {
		h.edited, h.file.set.changed = false, true
	}
	if h.goal.state == Pending {
		h.goal.reached = true
	}
	switch {
	case h.effectFor(onOldText) == stays:
		h.setState(h.state, "")
	case h.verdict.rejected || h.verdict.unasked:
		h.setState(Rejected, "")
	default:
		h.setState(Pending, "")
	}
}

// newTextFound updates a hunk whose new text is at its span.
func (h *hunk) newTextFound() {
	h.unmatched = false
	h.left = slices.DeleteFunc(h.left, func(sum [sha256.Size]byte) bool { return sum == sha256.Sum256([]byte(h.old)) }) // an undo may follow
	if h.edited && (h.over == nil || !h.over.state.Applied()) {
		h.edited, h.file.set.changed = false, true
	}
	if h.goal.state == Accepted {
		h.goal.reached = true
	}
	if h.effectFor(onNewText) == apply {
		switch {
		case h.goal.unasked:
			h.verdict.unasked, h.verdict.reviewed = true, false
		case !h.verdict.unasked:
			h.verdict.reviewed = true
		}
	}
	h.setState(Accepted, "")
}

// settled reports whether the hunk is followed no longer than its document is open.
func (h *hunk) settled() bool { return h.effectFor(onClose) == drop }

// unreviewed reports whether the hunk was applied and the user has not decided it yet.
func (h *hunk) unreviewed() bool { return h.state.Applied() && !h.verdict.reviewed }

// neitherFound updates a hunk with neither text.
func (h *hunk) neitherFound() {
	h.unmatched = true
	switch h.effectFor(onOtherText) { //nolint:exhaustive // the table has no other
	case edit:
		if !h.edited {
			h.edited, h.file.set.changed = true, true
		}
	case conflict:
		if h.goal.state == "" && h.file.place.typing {
			h.typed = true
			return
		}
		h.setState(Conflicted, reasonEdited)
	}
}

// matchOld reports whether the hunk's old text is at its span, and the positions
// of other hunks in it.
func (p *place) matchOld(h *hunk) (bool, []placing) {
	if h.whole {
		switch h.file.op {
		case Create:
			return p.isBlank() && (!p.exists || p.doc != nil), nil
		case Rename:
			return p.exists, nil
		case Modify, Delete:
			if !p.exists && len(h.needs) == 0 {
				return false, nil
			}
		default:
			panic("ledger: unknown operation " + string(h.file.op))
		}
	}
	if !p.hasWholeLines(h) {
		return false, nil
	}
	text := p.text.Slice(h.a, h.b)
	if h.whole && p.unsaved && p.isBlank() {
		text = ""
	}
	for _, f := range h.forms() {
		if (f.text == text || h.looseEnd && ide.SameButEnd(f.text, text)) && h.areInPlace(f, h.a) {
			return true, f.put
		}
	}
	return false, nil
}

// isBlank reports whether the text is empty. In some editors the buffer for a new
// file has one empty line.
func (p *place) isBlank() bool {
	return p.text.Len() == 0 || p.doc != nil && ide.SameButEnd("", p.text.String())
}

// hasWholeLines reports whether the span is known and consists of whole lines. A loose hunk
// may be at the end of a last line without a line end.
func (p *place) hasWholeLines(h *hunk) bool {
	if h.unplaced && h.a == h.b {
		return false
	}
	return p.text.AreLines(h.a, h.b) || h.looseEnd && h.a == p.text.Len()
}

// matchesNew reports whether the hunk's new text is at its span.
func (p *place) matchesNew(h *hunk) bool {
	switch {
	case h.whole && (h.file.op == Delete || h.file.op == Rename):
		return !p.exists
	case h.whole && !p.exists:
		return false
	}
	if !p.hasWholeLines(h) {
		return false
	}
	text := p.text.Slice(h.a, h.b)
	return text == h.new || h.looseEnd && h.b == p.text.Len() && ide.SameButEnd(text, h.new)
}
