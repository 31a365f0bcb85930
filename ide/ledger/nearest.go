package ledger

import (
	"github.com/emendo-dev/emendo/ide"
)

// nearest returns the passage at a conflicted hunk's span. If the span is empty and
// search is set, it returns the passage that shares the most lines with the hunk.
func (h *hunk) nearest(e ide.Encoding, search bool) *Nearest {
	if !h.followed {
		return nil
	}
	t := h.file.place.text
	a, b := wholeLines(t, h.a, h.b)
	if a == b && search {
		a, b = mostAlike(t, h.old)
	}
	if a == b {
		return nil
	}
	return &Nearest{t.Range(a, b, e), t.Slice(a, b)}
}
