package span

import "slices"

// View is a text with pieces of it replaced.
type View[H any] struct {
	Text   string
	Exists bool       // the file does
	Pieces []Piece[H] // ascending
}

// Piece is a replaced piece: the bytes A to B of the text before are U to V of the view.
type Piece[H any] struct {
	Of         H
	A, B, U, V int
}

// Live maps changes of the view, ascending, to the live text, extended to the pieces
// that they overlap: a hunk there depends on them. An empty change at the edge of a piece
// depends on it too, because it is unknown on which side the insertion is. What is between
// the changes belongs to them.
func (v View[H]) Live(changes ...Change) (wide Piece[H], over []Piece[H]) {
	wide = Piece[H]{U: changes[0].X, V: changes[len(changes)-1].Y}
	taken := func(p Piece[H]) bool {
		return slices.ContainsFunc(changes, p.Meets) || p.U < changes[len(changes)-1].Y && p.V > changes[0].X
	}
	for _, p := range v.Pieces {
		if taken(p) {
			over = append(over, p)
			wide.U, wide.V = min(wide.U, p.U), max(wide.V, p.V)
		}
	}
	wide.A, wide.B = wide.U, wide.V
	for _, p := range v.Pieces {
		grown := (p.B - p.A) - (p.V - p.U)
		switch {
		case taken(p):
			wide.B += grown
		case p.V <= wide.U && (p.U < wide.U || p.V == wide.U && wide.U < wide.V):
			wide.A += grown
			wide.B += grown
		}
	}
	return wide, over
}

// Change replaces the bytes X to Y of a view.
type Change struct {
	X, Y     int
	Old, New string
	Stale    bool // the text there is not the one any more that it was made from

	Formatted bool // a formatter changed New
}

// Meets reports whether a change overlaps a piece, or is empty and at its edge.
func (p Piece[H]) Meets(c Change) bool {
	if c.X == c.Y {
		return p.U <= c.X && c.X <= p.V
	}
	return p.U < c.Y && p.V > c.X
}

// Inseparable splits changes, ascending, into groups: two that overlap one piece cannot be
// applied one without the other, since each would bring the text of that piece.
func (v View[H]) Inseparable(changes []Change) (groups [][]Change) {
	for _, c := range changes {
		n := len(groups)
		if n > 0 && !c.Stale && !groups[n-1][0].Stale && slices.ContainsFunc(v.Pieces, func(p Piece[H]) bool {
			return p.Meets(c) && slices.ContainsFunc(groups[n-1], p.Meets)
		}) {
			groups[n-1] = append(groups[n-1], c)
			continue
		}
		groups = append(groups, []Change{c})
	}
	return groups
}
