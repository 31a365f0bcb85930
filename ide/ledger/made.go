package ledger

import (
	"cmp"
	"slices"

	"github.com/emendo-dev/emendo/ide"
)

// effects returns the effect of the plan's accepted hunks on each place. l.mu is held.
func (p *plan) effects() []Made {
	var out []Made
	byPlace := map[*place][]*hunk{}
	var places []*place
	for _, o := range p.ops {
		if !o.done || o.back || o.h.file.omitted != "" {
			continue
		}
		at := o.h.file.place
		if byPlace[at] == nil {
			places = append(places, at)
		}
		byPlace[at] = append(byPlace[at], o.h)
	}
	for _, at := range places {
		out = append(out, at.effectsOf(byPlace[at])...)
	}
	return out
}

// effectsOf returns the effects of hunks. It removes the hunks from the text turn by turn, newest first.
func (p *place) effectsOf(hunks []*hunk) []Made {
	slices.SortFunc(hunks, func(a, b *hunk) int { return b.order - a.order })
	after := p.without(hunks, nil)
	var out []Made
	gone := map[*hunk]bool{}
	for len(hunks) > 0 {
		s := hunks[0].file.set
		n := 1
		for n < len(hunks) && hunks[n].file.set.turn == s.turn && hunks[n].file.set.session == s.session {
			n++
		}
		for _, h := range hunks[:n] {
			gone[h] = true
		}
		whole := hunks[n-1]
		hunks = hunks[n:]
		m := Made{SessionID: s.session, TurnID: s.turn, Path: p.path, URI: p.uri, After: after, Before: p.without(hunks, gone)}
		if whole.whole && whole.file.op == Rename {
			m.RenamedTo, m.Before, m.After = whole.file.newPath, nil, nil
		}
		if p.doc == nil {
			m.Format = p.format
		}
		if whole.whole && whole.file.op == Create && p.doc == nil {
			m.Before = nil
		}
		out = append(out, m)
		after = m.Before
	}
	return out
}

// without returns the place's text without the hunks of out, and with those of in
// as they were accepted, ignoring the user's later edits of them. It returns nil if
// the file would not exist.
func (p *place) without(in []*hunk, out map[*hunk]bool) *string {
	var splices []ide.Splice
	add := func(h *hunk, text string) {
		covered := slices.ContainsFunc(splices, func(s ide.Splice) bool { return s.A <= h.a && h.b <= s.B && h.a < h.b })
		if h.followed && !covered {
			splices = append(splices, ide.Splice{A: h.a, B: h.b, Text: text})
		}
	}
	all := slices.Clone(in)
	for h := range out {
		all = append(all, h)
	}
	slices.SortFunc(all, func(a, b *hunk) int { return b.order - a.order })
	for _, h := range all {
		switch {
		case h.whole && h.file.op == Delete && out[h]:
			text := h.oldWithout(out)
			return &text
		case h.whole && h.file.op == Delete:
			return nil
		case out[h]:
			add(h, h.oldWithout(out))
		case h.retyped():
			add(h, h.new)
		}
	}
	slices.SortFunc(splices, func(a, b ide.Splice) int { return cmp.Or(a.A-b.A, a.B-b.B) })
	text := p.text.Replace(splices).String()
	return &text
}
