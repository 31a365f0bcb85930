package ide

import (
	"sort"
	"strings"
)

// Text is a document's text with its lines found. It never changes; the zero
// value is the empty text. A line ends in "\n", "\r\n" or a lone "\r", which
// belongs to it; the last line has no end and may be empty, so a text has at
// least one line.
type Text struct {
	s      string
	starts []int // of every line but the first
}

// NewText finds the lines of s.
func NewText(s string) *Text { return &Text{s, lineStarts(nil, s, 0)} }

// lineStarts appends the offsets, moved by base, of the lines of s after its first.
func lineStarts(to []int, s string, base int) []int {
	for i := 0; i < len(s); {
		j := strings.IndexAny(s[i:], "\r\n")
		if j < 0 {
			break
		}
		i += j + 1
		if s[i-1] == '\r' && i < len(s) && s[i] == '\n' {
			i++
		}
		to = append(to, base+i)
	}
	return to
}

// String is the whole text.
func (t *Text) String() string { return t.s }

// Len is the length in bytes.
func (t *Text) Len() int { return len(t.s) }

// Lines counts the lines, the last one included even when it is empty.
func (t *Text) Lines() int { return len(t.starts) + 1 }

// Slice is the text from byte a to byte b.
func (t *Text) Slice(a, b int) string { return t.s[a:b] }

// LineStart is the offset of line i, counted from zero; the text's length
// when i is past the last line.
func (t *Text) LineStart(i int) int {
	switch {
	case i <= 0:
		return 0
	case i > len(t.starts):
		return len(t.s)
	}
	return t.starts[i-1]
}

// Line is line i with its end.
func (t *Text) Line(i int) string { return t.s[t.LineStart(i):t.LineStart(i+1)] }

// LineAt is the number of the line that holds the byte at off.
func (t *Text) LineAt(off int) int {
	return sort.Search(len(t.starts), func(i int) bool { return t.starts[i] > off })
}

// AtLineStart says whether a line begins at off.
func (t *Text) AtLineStart(off int) bool {
	return off == 0 || t.LineStart(t.LineAt(off)) == off
}

// Splice returns the text with bytes a to b replaced.
func (t *Text) Splice(a, b int, s string) *Text {
	n := &Text{s: t.s[:a] + s + t.s[b:]}
	// Lines that begin at or before a stand; a "\r" just before a may become
	// one end with a "\n" that follows it now, so its line is found again.
	from := t.LineAt(a)
	if from > 0 {
		from--
	}
	// Lines that begin after b are moved; the same care holds at b.
	to := min(t.LineAt(b)+2, len(t.starts))
	begin, end := t.LineStart(from), len(t.s)
	if to < len(t.starts) {
		end = t.starts[to]
	}
	move := len(n.s) - len(t.s)
	n.starts = make([]int, 0, len(t.starts)+strings.Count(s, "\n")+1)
	n.starts = append(n.starts, t.starts[:from]...)
	n.starts = lineStarts(n.starts, n.s[begin:end+move], begin)
	for _, at := range t.starts[to:] {
		if k := len(n.starts); k == 0 || n.starts[k-1] < at+move {
			n.starts = append(n.starts, at+move)
		}
	}
	return n
}
