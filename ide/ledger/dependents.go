package ledger

import (
	"errors"
	"fmt"
	"slices"
)

// ErrContradiction means that two decisions of a group cannot both hold. Nothing was changed.
var ErrContradiction = errors.New("these decisions contradict each other")

// outcome is where an action wants the new text of a hunk.
type outcome int

const (
	inText  outcome = iota // its new text is in the file
	outText                // it is not, for good
	toAsk                  // it is not, and the user is asked again
)

func (a Action) wants() outcome {
	switch a {
	case Reject, Undo:
		return outText
	case Reopen:
		return toAsk
	case Accept, Keep:
	}
	return inText
}

// contradicts reports whether two decisions about the same hunk differ in what they want.
func (d Decision) contradicts(o Decision) bool {
	if d.Text != nil && o.Text != nil && *d.Text != *o.Text {
		return true
	}
	return d.Action.wants() != o.Action.wants()
}

// contradictsBase reports whether a decision about a hunk cannot hold together with one about a hunk
// that it builds on.
func (d Decision) contradictsBase(base Decision) bool {
	switch base.Action.wants() {
	case outText:
		return d.Action.wants() == inText || d.Action.wants() == toAsk && !base.Leave
	case toAsk:
		return d.Action.wants() == inText
	case inText:
	}
	return false
}

// checkDecisions returns an error if decisions about hunks and those that they build on contradict
// each other.
func (p *plan) checkDecisions() error {
	for _, h := range p.order {
		base := p.chosen[h].d
		if base.Action.wants() == inText {
			continue
		}
		for _, o := range h.dependents() {
			if c, ok := p.chosen[o]; ok && c.d.contradictsBase(base) {
				return fmt.Errorf("%w: %s %s, and %s %s, which builds on it", ErrContradiction, base.Action, h.id, c.d.Action, o.id)
			}
		}
	}
	return nil
}

// dependents returns the hunks that cannot be without h, directly or indirectly, in the order of
// their proposals: those that were proposed on top of it while it was pending, and those that have
// changed its text since it was applied, or would.
func (h *hunk) dependents() (l []*hunk) {
	if len(h.neededBy)+len(h.changedBy()) == 0 { // as most are
		return nil
	}
	found := map[*hunk]bool{h: true}
	var add func(h *hunk)
	add = func(h *hunk) {
		for _, o := range slices.Concat(h.neededBy, h.changedBy()) {
			if !found[o] {
				found[o] = true
				l = append(l, o)
				add(o)
			}
		}
	}
	add(h)
	slices.SortFunc(l, func(a, b *hunk) int { return a.order - b.order })
	return l
}

// changedBy returns the later hunks of the session that have changed the text of an applied hunk,
// or would, and were proposed when it was applied already.
func (h *hunk) changedBy() (l []*hunk) {
	if !h.state.Applied() || !h.followed {
		return nil
	}
	for _, o := range slices.Backward(h.file.place.hunks) {
		if o.order <= h.order || o.file == h.file { // which was proposed at once
			break
		}
		changes := o.state.proposed() || o.state.Applied() && h.edited
		if changes && o.file.set.session == h.file.set.session && !o.needsHunk(h) && o.overlaps(h) {
			l = append(l, o)
		}
	}
	return l
}

// overlaps reports whether two hunks have a byte in common, or one without bytes is in the other or
// at its edge.
func (h *hunk) overlaps(o *hunk) bool {
	if h.a == h.b || o.a == o.b {
		return h.a <= o.b && o.a <= h.b
	}
	return h.a < o.b && o.a < h.b
}

// takeAlong does with the dependents of a hunk what follows from rejecting it. Decisions of their own
// come first.
func (p *plan) takeAlong(h *hunk, leave bool) {
	for _, o := range h.dependents() {
		if _, own := p.chosen[o]; own {
			continue
		}
		switch o.effectFor(onBaseGone) { //nolint:exhaustive // the table has no other
		case takeBack:
			p.undo(o, Rejected, h.id)
		case turnDown:
			if leave {
				o.setState(Superseded, reasonBase)
			} else {
				p.turnDown(o)
			}
			o.because = h.id
		default:
			continue
		}
		p.takesAlong(o.file.set)
	}
}

// withdrawAlong undoes what was applied on top of a hunk that is to be pending again.
func (p *plan) withdrawAlong(h *hunk) {
	for _, o := range h.dependents() {
		if _, own := p.chosen[o]; own || !o.state.Applied() {
			continue
		}
		if o.needsHunk(h) && !o.verdict.unasked {
			p.undo(o, Pending, "")
		} else {
			p.undo(o, Rejected, h.id)
		}
		p.takesAlong(o.file.set)
	}
}

// takesAlong has the result name a change set.
func (p *plan) takesAlong(s *set) {
	if !slices.Contains(p.sets, s) && !slices.Contains(p.along, s) {
		p.along = append(p.along, s)
	}
}

// mayBeUndone returns why an applied hunk cannot be undone together with its dependents; empty if it
// can.
func (p *plan) mayBeUndone(h *hunk) string {
	switch {
	case h.awaited:
		return reasonUnread
	case !h.followed:
		return reasonTaken
	case h.edited && !h.covered() && (h.retyped() || len(h.changedBy()) == 0):
		return h.notUndone()
	}
	for _, o := range h.dependents() {
		if !o.state.Applied() {
			continue
		}
		if c, own := p.chosen[o]; own && c.d.Action.wants() == inText || o.awaited || !o.followed || o.retyped() {
			return reasonOver
		}
	}
	return ""
}

// rounds splits the operations into edits that follow each other: what was made of a hunk's text
// since it was applied is undone before it.
func (p *plan) rounds() (l [][]*op) {
	undone := map[*hunk]*op{}
	for _, o := range p.ops {
		if o.back {
			undone[o.h] = o
		}
	}
	number := map[*op]int{}
	var numberOf func(o *op) int
	numberOf = func(o *op) int {
		if n, ok := number[o]; ok {
			return n
		}
		n := 0
		if o.back {
			for _, h := range o.h.changedBy() {
				if x := undone[h]; x != nil {
					n = max(n, numberOf(x)+1)
				}
			}
			for _, h := range o.h.neededBy {
				if x := undone[h]; x != nil {
					n = max(n, numberOf(x))
				}
			}
		}
		number[o] = n
		return n
	}
	for _, o := range p.ops {
		n := numberOf(o)
		for len(l) <= n {
			l = append(l, nil)
		}
		l[n] = append(l[n], o)
	}
	return l
}
