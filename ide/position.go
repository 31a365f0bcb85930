package ide

import (
	"fmt"
	"unicode/utf8"
)

// Encoding says in what unit a [Position] counts characters.
type Encoding string

// The three encodings, as editors name them.
const (
	UTF8  Encoding = "utf-8"
	UTF16 Encoding = "utf-16"
	UTF32 Encoding = "utf-32"
)

// Position is a place in a document: line and character, both from zero; the
// character counts units of an [Encoding].
type Position struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
}

// Range is the text from Start up to End.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// units is how many units of e a rune of size bytes takes. A byte that is not
// part of a rune counts as one.
func (e Encoding) units(size int) int {
	switch {
	case e == UTF8:
		return size
	case e == UTF16 && size == 4:
		return 2
	}
	return 1
}

// Offset is the byte at p. A character past the end of its line is the line's
// end, as LSP has it; a line past the last is an error. A position inside a
// character is moved to its start.
func (t *Text) Offset(p Position, e Encoding) (int, error) {
	if int(p.Line) >= t.Lines() {
		return 0, fmt.Errorf("line %d is past the end of a text of %d lines", p.Line+1, t.Lines())
	}
	off := t.LineStart(int(p.Line))
	line := lineBody(t.Line(int(p.Line)))
	left := int(p.Character)
	for i := 0; i < len(line) && left > 0; {
		_, size := utf8.DecodeRuneInString(line[i:])
		u := e.units(size)
		if u > left {
			break
		}
		left -= u
		i += size
		off += size
	}
	return off, nil
}

// Position of the byte at off.
func (t *Text) Position(off int, e Encoding) Position {
	line := t.LineAt(off)
	start := t.LineStart(line)
	if e == UTF8 {
		return Position{uint32(line), uint32(off - start)}
	}
	n := 0
	for i := start; i < off; {
		_, size := utf8.DecodeRuneInString(t.s[i:])
		n += e.units(size)
		i += size
	}
	return Position{uint32(line), uint32(n)}
}

// Range of the bytes from a to b.
func (t *Text) Range(a, b int, e Encoding) Range {
	return Range{t.Position(a, e), t.Position(b, e)}
}

// Offsets of a range; its end may not come before its start.
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

// lineBody is a line without its end.
func lineBody(l string) string {
	if n := len(l); n > 0 && l[n-1] == '\n' {
		l = l[:n-1]
	}
	if n := len(l); n > 0 && l[n-1] == '\r' {
		l = l[:n-1]
	}
	return l
}
