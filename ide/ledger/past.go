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

// spans returns the current spans of the hunks.
func (p *past) spans(at *place) []spanOf {
	l := make([]spanOf, 0, len(at.hunks))
	for _, h := range at.hunks {
		l = append(l, spanOf{h, h.a, h.b, h.unplaced, h.unmatched, h.over})
	}
	return l
}

// remember records where hunks are in a text. wants are the hunks of the edit that
// makes the text.
func (p *past) remember(t *ide.Text, spans []spanOf, wants ...*hunk) {
	k := keyOf(t)
	if i := p.index(k); i >= 0 {
		spans = fillUnknown(spans, p.known[i].spans)
		p.known = slices.Delete(p.known, i, i+1)
	}
	if len(p.known) == maxPast {
		p.known = p.known[1:]
	}
	p.known = append(p.known, moment{k, spans, wants})
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
