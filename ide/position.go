package ide

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Encoding is the unit in which a [Position] counts characters.
type Encoding string

// The three encodings, as editors name them.
const (
	UTF8  Encoding = "utf-8"
	UTF16 Encoding = "utf-16"
	UTF32 Encoding = "utf-32"
)

// Position is a position in a document: line and character, both from zero. The
// character is counted in units of an [Encoding].
type Position struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
}

// Range is the text from Start up to End.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Units returns how many units of e a rune of size bytes takes. A byte that is not
// part of a rune, and is read as U+FFFD, counts as one.
func (e Encoding) Units(size int) int {
	switch {
	case e == UTF8:
		return size
	case e == UTF16 && size == 4:
		return 2
	}
	return 1
}

// Offset returns the byte offset of p. A character past the end of its line means
// the line's end, as in LSP. The line after the last means the text's end, because
// some editors send it; a line past that is an error. A position inside a character
// is moved to its start.
func (t *Text) Offset(p Position, e Encoding) (int, error) {
	if int64(p.Line) > int64(t.Lines()) {
		return 0, fmt.Errorf("line %d is past the end of a text of %d lines", int64(p.Line)+1, t.Lines())
	}
	off := t.LineStart(int(p.Line))
	line := lineBody(t.Line(int(p.Line)))
	left := int64(p.Character)
	if e == UTF8 {
		return off + charStart(line, int(min(left, int64(len(line))))), nil
	}
	for i, r := range line {
		if left -= int64(e.Units(utf8.RuneLen(r))); left < 0 {
			return off + i, nil
		}
	}
	return off + len(line), nil
}

// Position returns the position of a byte offset. One inside a character or a line
// end is moved to its start.
func (t *Text) Position(off int, e Encoding) Position {
	line := t.LineAt(off)
	start := t.LineStart(line)
	body := lineBody(t.Line(line))
	body = body[:charStart(body, min(off-start, len(body)))]
	n := len(body)
	if e != UTF8 {
		n = 0
		for _, r := range body {
			n += e.Units(utf8.RuneLen(r))
		}
	}
	return Position{uint32(line), uint32(n)}
}

// charStart returns i, or the start of the character of s that i is inside of.
func charStart(s string, i int) int {
	for start := i - 1; start >= 0 && start > i-utf8.UTFMax && i < len(s); start-- {
		if utf8.RuneStart(s[start]) {
			if _, size := utf8.DecodeRuneInString(s[start:]); start+size > i {
				return start
			}
			break
		}
	}
	return i
}

// Range returns the range of the bytes from a to b.
func (t *Text) Range(a, b int, e Encoding) Range {
	return Range{t.Position(a, e), t.Position(b, e)}
}

// Offsets returns the byte offsets of a range, whose end must not be before its start.
func (t *Text) Offsets(r Range, e Encoding) (a, b int, err error) {
	if a, err = t.Offset(r.Start, e); err != nil {
		return 0, 0, err
	}
	if b, err = t.Offset(r.End, e); err != nil {
		return 0, 0, err
	}
	if b < a {
		return 0, 0, fmt.Errorf("range ends before it starts: %d:%d to %d:%d", r.Start.Line, r.Start.Character, r.End.Line, r.End.Character)
	}
	return a, b, nil
}

// lineBody returns a line without its end.
func lineBody(l string) string {
	return strings.TrimSuffix(strings.TrimSuffix(l, "\n"), "\r")
}
