package ide

import "sort"

// Touch is the effect of a change on a span.
type Touch int

// The effects.
const (
	Apart  Touch = iota // at most moved
	Beside              // text next to it changed
	Inside              // text inside it changed
)

// Mapping maps offsets and spans of a text to the text after a change of it. Everything
// that follows a place in a document does so by mappings.
type Mapping struct {
	splices []Splice
	moved   []int // how far the splices before that index move the text
}

// NewMapping returns the mapping of splices that are ascending, do not overlap and have
// offsets in one text.
func NewMapping(splices ...Splice) *Mapping {
	m := &Mapping{splices: splices, moved: make([]int, len(splices))}
	sum := 0
	for i, s := range splices {
		m.moved[i] = sum
		sum += len(s.Text) - (s.B - s.A)
	}
	return m
}

// Offset maps an offset. One inside of replaced text is where the replacement begins. Of
// text that is inserted exactly there the offset is behind, or before it if it stays.
func (m *Mapping) Offset(at int, stays bool) int {
	a, b, _ := m.cover(at, at, false)
	if stays || m.Replaces(at) {
		return a
	}
	return b
}

// Replaces reports whether the change replaces the text around an offset.
func (m *Mapping) Replaces(at int) bool {
	i := sort.Search(len(m.splices), func(i int) bool { return m.splices[i].B > at })
	return i < len(m.splices) && m.splices[i].A < at
}

// Span maps the span a to b and returns how the change touches it; after is the text with
// the change. Whole lines inserted or deleted directly before or after the span do not
// touch it, nor does a change that ends or begins there, as long as the span still
// consists of whole lines. An insertion exactly at an empty span counts as inside, because
// it is unknown on which side it belongs.
func (m *Mapping) Span(a, b int, after *Text) (int, int, Touch) {
	x, y, how := m.cover(a, b, false)
	if how == Beside && !after.AreLines(x, y) {
		return m.cover(a, b, true)
	}
	return x, y, how
}

// Cover maps the span a to b. Splices that reach it count as inside: it grows to cover
// them.
func (m *Mapping) Cover(a, b int) (int, int, Touch) { return m.cover(a, b, true) }

// cover maps a span. With greedy, adjacent splices count as inside.
func (m *Mapping) cover(a, b int, greedy bool) (int, int, Touch) {
	how := Apart
	lo, hi, before, within := a, b, 0, 0
	first := sort.Search(len(m.splices), func(i int) bool { return m.splices[i].B >= a })
	if first == len(m.splices) && first > 0 {
		first--
	}
	if first < len(m.splices) {
		before = m.moved[first]
	}
	for _, s := range m.splices[first:] {
		d := len(s.Text) - (s.B - s.A)
		adjoins := s.B == a || s.A == b
		switch {
		case s.A > b:
			return lo + before, hi + before + within, how
		case s.B < a, s.B == a && !greedy && (s.A < a || b > a):
			before += d
		case s.A == b && !greedy && (s.B > b || b > a):
		default:
			how = Inside
			lo, hi, within = min(lo, s.A), max(hi, s.B), within+d
			continue
		}
		if adjoins {
			how = max(how, Beside)
		}
	}
	return lo + before, hi + before + within, how
}

// Rest maps what is left of the span a to b without the text that the change replaces. The
// parts are ascending and not empty.
func (m *Mapping) Rest(a, b int) (parts [][2]int) {
	add := func(a, b, moved int) {
		if a < b {
			parts = append(parts, [2]int{a + moved, b + moved})
		}
	}
	moved := 0
	for _, s := range m.splices {
		add(a, min(b, s.A), moved)
		a = max(a, s.B)
		moved += len(s.Text) - (s.B - s.A)
	}
	add(a, b, moved)
	return parts
}

// Exceeds reports whether a splice that reaches the span also changes text outside
// it.
func (m *Mapping) Exceeds(a, b int) bool {
	for _, s := range m.splices {
		if s.A <= b && a <= s.B && (s.A < a || s.B > b) {
			return true
		}
	}
	return false
}

// AreLines reports whether the text from byte a to byte b consists of whole lines.
func (t *Text) AreLines(a, b int) bool {
	return t.AtLineStart(a) && (b == t.Len() || t.AtLineStart(b))
}
