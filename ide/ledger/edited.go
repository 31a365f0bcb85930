package ledger

import (
	"slices"

	"github.com/emendo-dev/emendo/ide"
)

// retyped reports whether the user changed an accepted text. Changes by later hunks
// of the session do not count.
func (h *hunk) retyped() bool { return h.edited && !h.covered() && !h.replaced() }

// held returns why an accepted hunk whose text is gone cannot be undone.
func (h *hunk) held() string {
	if h.retyped() {
		return reasonTouched
	}
	return reasonOver
}

// replaced reports whether the text of an accepted hunk is missing only because
// later accepted hunks of its session changed it.
func (h *hunk) replaced() bool {
	if h.state != Accepted || !h.followed {
		return false
	}
	text, a, b := h.file.place.text, h.a, h.b
	type taken struct {
		splice ide.Splice
		after  *ide.Text
	}
	var out []taken // in order
	for _, o := range slices.Backward(h.file.place.hunks) {
		if o.order <= h.order {
			break
		}
		if o.file.set.session != h.file.set.session || o.state != Accepted || o.whole {
			continue
		}
		x, y := o.a, o.b
		for _, t := range out {
			x, y, _ = shift(x, y, []ide.Splice{t.splice}, t.after)
		}
		if x > b || a > y || y > text.Len() || text.Slice(x, y) != o.new {
			continue
		}
		s := ide.Splice{A: x, B: y, Text: o.old}
		text = text.Splice(s.A, s.B, s.Text)
		a, b, _ = shift(a, b, []ide.Splice{s}, text)
		out = append(out, taken{s, text})
	}
	switch {
	case len(out) == 0:
		return false
	case h.new == "":
		return a == b
	case h.whole:
		return text.String() == h.new
	}
	_, ok := once(ide.NewText(text.Slice(a, b)), h.new)
	return ok
}
