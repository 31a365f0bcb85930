package ledger

import (
	"hash/maphash"
	"slices"

	"github.com/emendo-dev/emendo/ide"
)

// maxPast limits the remembered texts of a document.
const maxPast = 256

// past remembers where hunks were in earlier texts of a document, so that undo and
// redo restore them exactly, even if the same lines occur often.
type past struct {
	known []moment // oldest first
}

type moment struct {
	key   textKey
	spans []spanOf
	marks []markAt
	wants []*hunk // the hunks of the edit that makes this text, if expected
}

// textKey tells texts from one another.
type textKey struct {
	length int
	hash   uint64
}

type spanOf struct {
	h         *hunk
	a, b      int
	unplaced  bool
	unmatched bool // has neither of its texts
	over      *hunk
}

var seed = maphash.MakeSeed()

func keyOf(t *ide.Text) textKey { return textKey{t.Len(), maphash.String(seed, t.String())} }

// placed is where the hunks and marks of a place are.
type placed struct {
	hunks []spanOf
	marks []markAt
}

// spans returns the current spans of the hunks and marks.
func (p *place) spans() placed {
	l := placed{hunks: make([]spanOf, 0, len(p.hunks))}
	for _, h := range p.hunks {
		l.hunks = append(l.hunks, spanOf{h, h.a, h.b, h.unplaced, h.unmatched, h.over})
	}
	for _, m := range p.marks {
		l.marks = append(l.marks, markAt{m, m.a, m.b, m.text, m.gone})
	}
	return l
}

// remember records where hunks and marks are in a text. wants are the hunks of the edit that
// makes the text.
func (p *past) remember(t *ide.Text, in placed, wants ...*hunk) {
	k, spans := keyOf(t), in.hunks
	if i := p.index(k); i >= 0 {
		spans = fillUnknown(spans, p.known[i].spans)
		if in.marks == nil {
			in.marks = p.known[i].marks
		}
		p.known = slices.Delete(p.known, i, i+1)
	}
	if len(p.known) == maxPast {
		p.known = p.known[1:]
	}
	p.known = append(p.known, moment{k, spans, in.marks, wants})
}

// fillUnknown fills unknown spans of now from was.
func fillUnknown(now, was []spanOf) []spanOf {
	known := make(map[*hunk]int, len(now))
	for i, s := range now {
		known[s.h] = i
	}
	for _, s := range was {
		i, ok := known[s.h]
		switch {
		case !ok:
			now = append(now, s)
		case now[i].unmatched && !s.unmatched:
			now[i] = s
		}
	}
	return now
}

// find returns the moment at which the document last had this text. Only a text as long as a
// remembered one is hashed.
func (p *past) find(t *ide.Text) (moment, bool) {
	if !slices.ContainsFunc(p.known, func(m moment) bool { return m.key.length == t.Len() }) {
		return moment{}, false
	}
	if i := p.index(keyOf(t)); i >= 0 {
		return p.known[i], true
	}
	return moment{}, false
}

// index returns the index of the moment with a text, or -1.
func (p *past) index(k textKey) int {
	return slices.IndexFunc(p.known, func(m moment) bool { return m.key == k })
}

// covers reports whether the moment knows the spans of all hunks of a place.
func (m moment) covers(p *place) bool {
	known := make(map[*hunk]bool, len(m.spans))
	for _, s := range m.spans {
		known[s.h] = true
	}
	for _, h := range p.hunks {
		if !known[h] && !h.whole {
			return false
		}
	}
	return true
}

// restoreSpans moves hunks to their spans in a text that has returned. Their states
// follow from the text and later decisions.
func (p *place) restoreSpans(m moment) {
	for _, w := range m.marks {
		w.restore()
	}
	touched := map[*hunk]bool{}
	for _, s := range m.spans {
		if !s.h.followed || s.h.whole {
			continue
		}
		if s.h.a != s.a || s.h.b != s.b {
			s.h.file.set.moved = true
		}
		s.h.a, s.h.b, s.h.unplaced, s.h.over = s.a, s.b, s.unplaced, s.over
		touched[s.h] = true
	}
	for _, h := range p.hunks {
		if h.whole {
			h.a, h.b = 0, p.text.Len()
		}
		touched[h] = touched[h] || h.whole || len(h.needs) > 0
	}
	p.judge(touched)
	for _, h := range m.wants {
		h.goal.reached = h.goal.reached || h.goal.state != ""
	}
}
