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
	starts []int32 // of every line but the first; no front end takes in 2 GiB
}

// NewText finds the lines of s.
func NewText(s string) *Text {
	n := strings.Count(s, "\n") + 1
	return &Text{s, lineStarts(make([]int32, 0, n), s, 0)}
}

// lineStarts appends the offsets, moved by base, of the lines of s after its first.
func lineStarts(to []int32, s string, base int) []int32 {
	carriage := strings.IndexByte(s, '\r')
	for i := 0; ; {
		next := strings.IndexByte(s[i:], '\n')
		end := len(s)
		if next >= 0 {
			end = i + next
		}
		// The lone "\r" before that "\n"; the one just before is part of it.
		for carriage >= i && carriage < end {
			i = carriage + 1
			if i < end || next < 0 {
				to = append(to, int32(base+i))
			}
			if carriage = strings.IndexByte(s[i:], '\r'); carriage >= 0 {
				carriage += i
			}
		}
		if next < 0 {
			return to
		}
		i = end + 1
		to = append(to, int32(base+i))
	}
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
	return int(t.starts[i-1])
}

// Line is line i with its end.
func (t *Text) Line(i int) string { return t.s[t.LineStart(i):t.LineStart(i+1)] }

// LineAt is the number of the line that holds the byte at off.
func (t *Text) LineAt(off int) int {
	return sort.Search(len(t.starts), func(i int) bool { return int(t.starts[i]) > off })
}

// AtLineStart says whether a line begins at off.
func (t *Text) AtLineStart(off int) bool {
	return off == 0 || t.LineStart(t.LineAt(off)) == off
}

// Splice returns the text with bytes a to b replaced. It looks for lines only
// around them.
func (t *Text) Splice(a, b int, s string) *Text {
	n := &Text{s: t.s[:a] + s + t.s[b:]}
	move := len(n.s) - len(t.s)
	// The line that holds a may begin after a "\r" that takes a "\n" at a for
	// its own now; the one before it begins where it did.
	from := max(t.LineAt(a)-1, 0)
	begin := t.LineStart(from)
	// What follows the first line that begins after b keeps its lines: the end
	// that is before it is at b or later.
	to, end := t.LineAt(b), len(t.s)
	rest := t.starts[to:]
	if len(rest) > 0 {
		end, rest = int(rest[0]), rest[1:]
	}
	n.starts = make([]int32, 0, len(t.starts)+strings.Count(s, "\n")+1)
	n.starts = append(n.starts, t.starts[:from]...)
	n.starts = lineStarts(n.starts, n.s[begin:end+move], begin)
	for _, start := range rest {
		n.starts = append(n.starts, start+int32(move))
	}
	return n
}
