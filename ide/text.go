package ide

import (
	"sort"
	"strings"
	"sync/atomic"
)

// Text is a document's text with an index of its lines. It is immutable; the zero
// value is the empty text. A line includes its end, which is "\n", "\r\n" or a lone
// "\r". The last line has no end and may be empty, so a text has at least one line.
//
// A text consists of parts, and one made by [Text.Splice] shares those that the
// splice does not touch: a keystroke in a large file copies little of it.
type Text struct {
	parts []part
	whole atomic.Pointer[string] // the whole text, once it was asked for
}

// part is some lines of a text. All but the last part end in "\n", so that no line
// and no line end is divided. No part is empty.
type part struct {
	s      string
	at     int     // offset of s in the text
	line   int     // lines that begin in the text after its start and up to at
	starts []int32 // of the lines that begin in s after its start, its end included
}

// partSize is the usual size of a part in bytes. It may have twice as many, or more
// if a line does. Copying and indexing as many takes a few microseconds.
const partSize = 4 << 10

// NewText returns the Text of s.
func NewText(s string) *Text {
	t := &Text{parts: appendParts(make([]part, 0, len(s)/partSize+1), s)}
	t.whole.Store(&s)
	return t
}

// appendParts appends the parts of s.
func appendParts(to []part, s string) []part {
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

// join appends a part and sets its offsets.
func join(to []part, p part) []part {
	p.at, p.line = 0, 0
	if len(to) > 0 {
		last := &to[len(to)-1]
		p.at, p.line = last.at+len(last.s), last.line+len(last.starts)
	}
	return append(to, p)
}

// lineStarts returns the offsets of the lines of s after the first.
func lineStarts(s string) []int32 {
	to := make([]int32, 0, strings.Count(s, "\n")+1)
	for i := range len(s) {
		if s[i] == '\n' || s[i] == '\r' && (i+1 == len(s) || s[i+1] != '\n') {
			to = append(to, int32(i+1))
		}
	}
	return to
}

// String returns the whole text.
func (t *Text) String() string {
	if whole := t.whole.Load(); whole != nil {
		return *whole
	}
	whole := t.Slice(0, t.Len())
	t.whole.Store(&whole)
	return whole
}

// Len returns the length in bytes.
func (t *Text) Len() int {
	if len(t.parts) == 0 {
		return 0
	}
	last := &t.parts[len(t.parts)-1]
	return last.at + len(last.s)
}

// Lines returns the number of lines, including an empty last one.
func (t *Text) Lines() int {
	if len(t.parts) == 0 {
		return 1
	}
	last := &t.parts[len(t.parts)-1]
	return last.line + len(last.starts) + 1
}

// partAt returns the index of the part that contains the byte at off. The end is in
// the last one.
func (t *Text) partAt(off int) int {
	return max(sort.Search(len(t.parts), func(i int) bool { return t.parts[i].at > off })-1, 0)
}

// Slice returns the text from byte a to byte b.
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

// LineStart returns the offset of line i, counted from zero, or the text's length
// if i is past the last line.
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

// Line returns line i with its end.
func (t *Text) Line(i int) string { return t.Slice(t.LineStart(i), t.LineStart(i+1)) }

// LineAt returns the index of the line that contains the byte at off.
func (t *Text) LineAt(off int) int {
	if len(t.parts) == 0 {
		return 0
	}
	p := &t.parts[t.partAt(off)]
	return p.line + sort.Search(len(p.starts), func(i int) bool { return p.at+int(p.starts[i]) > off })
}

// AtLineStart reports whether a line begins at off.
func (t *Text) AtLineStart(off int) bool {
	return off == 0 || t.LineStart(t.LineAt(off)) == off
}

// Splice returns the text with the bytes a to b replaced.
func (t *Text) Splice(a, b int, s string) *Text {
	if len(t.parts) == 0 {
		return NewText(s)
	}
	i, j := t.partAt(a), t.partAt(b)
	first, last := &t.parts[i], &t.parts[j]
	// The rest of the last part keeps its end, so parts still end in "\n".
	merged := first.s[:a-first.at] + s + last.s[b-last.at:]
	rest := t.parts[j+1:]
	for len(merged) < partSize/2 && len(rest) > 0 { // or small parts would accumulate
		merged += rest[0].s
		rest = rest[1:]
	}
	n := &Text{parts: make([]part, 0, i+len(merged)/partSize+1+len(rest))}
	n.parts = appendParts(append(n.parts, t.parts[:i]...), merged)
	for _, p := range rest {
		n.parts = join(n.parts, p)
	}
	return n
}

// Replace returns the text with several splices made. They are ascending, do not
// overlap and have offsets in t.
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
