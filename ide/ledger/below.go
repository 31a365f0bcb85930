package ledger

import (
	"slices"

	"github.com/emendo-dev/emendo/ide"
)

// reverted is the text of a place as it was before later hunks of a session.
type reverted struct {
	text string
	cuts []cut // in the order of the text
}

// cut is where the reverted text has other text: n bytes from x, where the place's has those from a
// to b.
type cut struct{ x, n, a, b int }

// placeNow returns where the place has the reverted text from x to y, with all of what it has in
// place of a part of it.
func (r *reverted) placeNow(x, y int) (a, b int) {
	a, b = x, y
	for _, c := range r.cuts {
		by := c.b - c.a - c.n
		if x >= c.x+c.n && x > c.x {
			a += by
		} else if x > c.x {
			a = c.a
		}
		if y >= c.x+c.n && y > c.x {
			b += by
		} else if y > c.x {
			b = c.b
		}
	}
	return a, b
}

// revert puts other text in place of that from x to y.
func (r *reverted) revert(x, y int, text string) {
	from, to := x, y
	for _, c := range r.cuts { // what it touches becomes one with it
		if c.x < to && c.x+c.n > from {
			from, to = min(from, c.x), max(to, c.x+c.n)
		}
	}
	a, b := r.placeNow(from, to)
	by := len(text) - (y - x)
	r.text = r.text[:x] + text + r.text[y:]
	r.cuts = slices.DeleteFunc(r.cuts, func(c cut) bool { return c.a >= a && c.b <= b })
	at := 0
	for i := range r.cuts {
		if r.cuts[i].x < to {
			at = i + 1
		} else {
			r.cuts[i].x += by
		}
	}
	r.cuts = slices.Insert(r.cuts, at, cut{from, to - from + by, a, b})
}

// placeThen returns where text of the place is in the reverted text; false if it is within other text.
func (r *reverted) placeThen(a int) (x int, ok bool) {
	x = a
	for _, c := range r.cuts {
		switch {
		case a <= c.a:
			return x, true
		case a < c.b:
			return 0, false
		}
		x += c.n - (c.b - c.a)
	}
	return x, true
}

// followBelow follows accepted hunks whose text was not found because later ones of their session
// have changed it: each is looked for in the text as it was before those.
func (p *place) followBelow() {
	lost := p.lost
	p.lost = nil
	for len(lost) > 0 {
		session := lost[0].file.set.session
		of := func(h *hunk) bool { return h.file.set.session == session }
		all := slices.DeleteFunc(slices.Clone(p.hunks), func(h *hunk) bool { return !of(h) || !h.state.Applied() || h.whole })
		for _, h := range lost {
			if of(h) {
				all = append(all, h)
			}
		}
		lost = slices.DeleteFunc(lost, of)
		slices.SortFunc(all, func(a, b *hunk) int { return b.order - a.order })
		before := reverted{text: p.text.String()}
		for _, h := range all {
			if x, ok := p.findBelow(h, &before); ok {
				before.revert(x, x+len(h.new), h.old)
			}
		}
	}
}

// findBelow returns where a reverted text has the new text of a hunk, which is followed then.
func (p *place) findBelow(h *hunk, before *reverted) (x int, ok bool) {
	if h.followed {
		x, ok = before.placeThen(h.a)
		y, ends := before.placeThen(h.b)
		return x, ok && ends && before.text[x:y] == h.new
	}
	if x, ok = h.locate(ide.NewText(before.text), h.new); !ok {
		return 0, false
	}
	a, b := before.placeNow(x, x+len(h.new))
	if !p.text.AreLines(a, b) {
		return 0, false
	}
	p.follow(h, a, b)
	if p.text.Slice(a, b) != h.new {
		h.edited = true
		p.recordLeft([]*hunk{h})
	}
	return x, true
}
