package ide

import (
	"sort"
	"strings"
	"sync/atomic"
)

// Text is a document's text with its lines found. It never changes; the zero
// value is the empty text. A line ends in "\n", "\r\n" or a lone "\r", which
// belongs to it; the last line has no end and may be empty, so a text has at
// least one line.
//
// A text is kept in parts, and one made by [Text.Splice] shares those that the
// splice does not touch: a keystroke in a large file copies little of it.
type Text struct {
	parts []part
	whole atomic.Pointer[string] // the parts as one, once somebody asked
}

// part is some lines of a text: all but the last end in "\n", so that no line
// and no line end is divided. None is empty.
type part struct {
	s      string
	at     int     // offset of s in the text
	line   int     // lines that begin in the text after its start and up to at
	starts []int32 // of the lines that begin in s after its start, its end included
}

// partSize is how many bytes are put into a part; it may have twice as many,
// or more where a line has. Copying as much and finding its lines takes a few
// microseconds.
const partSize = 4 << 10

// NewText finds the lines of s.
func NewText(s string) *Text {
	t := &Text{parts: cut(make([]part, 0, len(s)/partSize+1), s)}
	t.whole.Store(&s)
	return t
}

// cut appends the parts of s.
func cut(to []part, s string) []part {
	for len(s) > 2*partSize {
		end := strings.IndexByte(s[partSize:], '\n')
		if end < 0 {
			break
		}
		end += partSize + 1
		to = join(to, part{s: s[:end], starts: lineStarts(s[:end])})
		s = s[end:]
	}
	if s != "" {
		to = join(to, part{s: s, starts: lineStarts(s)})
	}
	return to
}

// join appends a part at the place that it has there.
func join(to []part, p part) []part {
	p.at, p.line = 0, 0
	if len(to) > 0 {
		last := &to[len(to)-1]
		p.at, p.line = last.at+len(last.s), last.line+len(last.starts)
	}
	return append(to, p)
}

// lineStarts finds the lines of s after its first.
func lineStarts(s string) []int32 {
	to := make([]int32, 0, strings.Count(s, "\n")+1)
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
				to = append(to, int32(i))
			}
			if carriage = strings.IndexByte(s[i:], '\r'); carriage >= 0 {
				carriage += i
			}
		}
		if next < 0 {
			return to
		}
		i = end + 1
		to = append(to, int32(i))
	}
}

// String is the whole text.
func (t *Text) String() string {
	if whole := t.whole.Load(); whole != nil {
		return *whole
	}
	whole := t.Slice(0, t.Len())
	t.whole.Store(&whole)
	return whole
}

// Len is the length in bytes.
func (t *Text) Len() int {
	if len(t.parts) == 0 {
		return 0
	}
	last := &t.parts[len(t.parts)-1]
	return last.at + len(last.s)
}

// Lines counts the lines, the last one included even when it is empty.
func (t *Text) Lines() int {
	if len(t.parts) == 0 {
		return 1
	}
	last := &t.parts[len(t.parts)-1]
	return last.line + len(last.starts) + 1
}

// partAt is the number of the part that holds the byte at off; the last one
// holds the end.
func (t *Text) partAt(off int) int {
	return max(sort.Search(len(t.parts), func(i int) bool { return t.parts[i].at > off })-1, 0)
}

// Slice is the text from byte a to byte b.
func (t *Text) Slice(a, b int) string {
	if a == b && 0 <= a && a <= t.Len() {
		return ""
	}
	i := t.partAt(a)
	if p := &t.parts[i]; b <= p.at+len(p.s) {
		return p.s[a-p.at : b-p.at]
	}
	var s strings.Builder
	s.Grow(b - a)
	for ; a < b; i++ {
		p := &t.parts[i]
		end := min(b, p.at+len(p.s))
		s.WriteString(p.s[a-p.at : end-p.at])
		a = end
	}
	return s.String()
}

// LineStart is the offset of line i, counted from zero; the text's length
// when i is past the last line.
func (t *Text) LineStart(i int) int {
	switch {
	case i <= 0:
		return 0
	case i >= t.Lines():
		return t.Len()
	}
	// The last part that has fewer lines before it.
	p := &t.parts[sort.Search(len(t.parts), func(k int) bool { return t.parts[k].line >= i })-1]
	return p.at + int(p.starts[i-1-p.line])
}

// Line is line i with its end.
func (t *Text) Line(i int) string { return t.Slice(t.LineStart(i), t.LineStart(i+1)) }

// LineAt is the number of the line that holds the byte at off.
func (t *Text) LineAt(off int) int {
	if len(t.parts) == 0 {
		return 0
	}
	p := &t.parts[t.partAt(off)]
	return p.line + sort.Search(len(p.starts), func(i int) bool { return p.at+int(p.starts[i]) > off })
}

// AtLineStart says whether a line begins at off.
func (t *Text) AtLineStart(off int) bool {
	return off == 0 || t.LineStart(t.LineAt(off)) == off
}

// Splice returns the text with bytes a to b replaced.
func (t *Text) Splice(a, b int, s string) *Text {
	if len(t.parts) == 0 {
		return NewText(s)
	}
	i, j := t.partAt(a), t.partAt(b)
	first, last := &t.parts[i], &t.parts[j]
	// What is kept of the last part ends as that does, so the rule for line
	// ends holds.
	merged := first.s[:a-first.at] + s + last.s[b-last.at:]
	rest := t.parts[j+1:]
	for len(merged) < partSize/2 && len(rest) > 0 { // or ever smaller parts would pile up
		merged += rest[0].s
		rest = rest[1:]
	}
	n := &Text{parts: make([]part, 0, i+len(merged)/partSize+1+len(rest))}
	n.parts = cut(append(n.parts, t.parts[:i]...), merged)
	for _, p := range rest {
		n.parts = join(n.parts, p)
	}
	return n
}

// Replace returns the text with several splices made, which are ascending, do
// not overlap and are all in t.
func (t *Text) Replace(splices []Splice) *Text {
	if len(splices) == 1 {
		return t.Splice(splices[0].A, splices[0].B, splices[0].Text)
	}
	text := t.String()
	var s strings.Builder
	at := 0
	for _, x := range splices {
		s.WriteString(text[at:x.A])
		s.WriteString(x.Text)
		at = x.B
	}
	s.WriteString(text[at:])
	return NewText(s.String())
}
