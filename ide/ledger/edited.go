package ledger

import (
	"crypto/sha256"
	"slices"
)

// retyped reports whether the user changed an accepted text. What later edits of the
// session made of it does not count.
func (h *hunk) retyped() bool {
	return h.edited && !h.covered() && !(h.followed && slices.Contains(h.left, h.textSum()))
}

// notUndone returns why an accepted hunk whose text is gone cannot be undone.
func (h *hunk) notUndone() string {
	if h.retyped() {
		return reasonTouched
	}
	return reasonOver
}

// textSum identifies the text at a hunk's span.
func (h *hunk) textSum() [sha256.Size]byte {
	a, b := wholeLines(h.file.place.text, h.a, h.b)
	return sha256.Sum256([]byte(h.file.place.text.Slice(a, b)))
}

// uneditedBy returns what [place.unedited] does for the session of the hunks of an edit.
// There are none if the edit undoes hunks: it leaves earlier texts.
func (p *place) uneditedBy(by []*hunk) []*hunk {
	if len(by) == 0 || slices.ContainsFunc(by, func(h *hunk) bool { return h.goal.state == Pending }) {
		return nil
	}
	return p.unedited(by[0].file.set.session)
}

// unedited returns the accepted hunks of a session at the place that the user did not
// change. The caller passes them to recordLeft when the session has changed the text.
func (p *place) unedited(session string) []*hunk {
	var l []*hunk
	for _, h := range p.hunks {
		if h.state.Applied() && h.file.set.session == session && !h.retyped() {
			l = append(l, h)
		}
	}
	return l
}

// overwritten reports whether a later edit of the session, made by emendo, put
// another text in place of an accepted one. If that is the old text, nobody has undone
// the hunk.
func (p *place) overwritten(h *hunk) bool {
	return h.state.Applied() && h.goal.state == "" && (slices.Contains(p.keeping, h) || slices.Contains(h.left, h.textSum())) && !p.matchesNew(h)
}

// recordLeft records that emendo's own edit left the texts of these hunks as they are
// now.
func (p *place) recordLeft(l []*hunk) {
	for _, h := range l {
		if sum := h.textSum(); h.followed && !slices.Contains(h.left, sum) {
			h.left = append(h.left, sum)
		}
	}
}
