package shell

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// goesOn stands in a cell that the character before it fills too: a wide one
// takes two, a tab up to eight.
const goesOn rune = -1

// maxMarks is how many combining characters are kept of one cell.
const maxMarks = 16

// A line is one row of a [screen].
type line struct {
	cells   []rune         // the first one is never goesOn
	marks   map[int][]rune // what combines with a cell; nearly always none
	escapes int            // how many escapes are, or were, in it
	wrapped bool           // it goes on in the next row, for which only the width is to blame
	ended   bool           // a newline was written on it
}

// columnsOf is how many columns a character takes; none when it combines with
// the one before it. A tab is not asked about.
func columnsOf(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	case width.Neutral, width.EastAsianAmbiguous, width.EastAsianNarrow, width.EastAsianHalfwidth:
	}
	return 1
}

// put writes a character that takes n columns over what is there.
func (l *line) put(col int, r rune, n int) {
	if n == 1 && col == len(l.cells) {
		l.cells = append(l.cells, r)
		return
	}
	for len(l.cells) < col+n {
		l.cells = append(l.cells, ' ')
	}
	l.free(col, col+n)
	l.cells[col] = r
	for i := col + 1; i < col+n; i++ {
		l.cells[i] = goesOn
	}
}

// mark has a character combine with the one before a column.
func (l *line) mark(col int, r rune) {
	for col--; col > 0 && l.cells[col] == goesOn; {
		col--
	}
	if len(l.marks[col]) >= maxMarks {
		return
	}
	if l.marks == nil {
		l.marks = map[int][]rune{}
	}
	l.marks[col] = append(l.marks[col], r)
}

// free makes the cells of a range ones that may be written over: characters
// that reach into it from outside, or out of it, become spaces.
func (l *line) free(from, to int) {
	if from < len(l.cells) && l.cells[from] == goesOn {
		i := from - 1
		for ; l.cells[i] == goesOn; i-- {
			l.cells[i] = ' '
		}
		l.cells[i] = ' '
		delete(l.marks, i)
	}
	for i := to; i < len(l.cells) && l.cells[i] == goesOn; i++ {
		l.cells[i] = ' '
	}
	if len(l.marks) > 0 {
		for i := from; i < min(to, len(l.cells)); i++ {
			delete(l.marks, i)
		}
	}
}

// erase makes cells of a range empty.
func (l *line) erase(from, to int) {
	l.free(from, to)
	if to >= len(l.cells) {
		l.cells = l.cells[:min(from, len(l.cells))]
		l.wrapped = false
		return
	}
	for i := from; i < to; i++ {
		l.cells[i] = ' '
	}
}

// shift moves what is right of a column: n cells further right, or to the left
// over what is there. What leaves the first columns is lost.
func (l *line) shift(col, n, columns int) {
	if col >= len(l.cells) {
		return
	}
	for i := range l.marks { // they do not move; who shifts has none
		if i >= col {
			delete(l.marks, i)
		}
	}
	l.free(col, col)
	rest := append([]rune(nil), l.cells[col:]...)
	l.cells = l.cells[:col]
	if n < 0 {
		rest = rest[min(-n, len(rest)):]
		for i := 0; i < len(rest) && rest[i] == goesOn; i++ {
			rest[i] = ' '
		}
	}
	for range n {
		l.cells = append(l.cells, ' ')
	}
	l.cells = append(l.cells, rest...)
	if len(l.cells) > columns {
		l.free(columns, columns)
		l.cells = l.cells[:columns]
	}
	l.wrapped = false
}

// text appends what the line shows.
func (l *line) text(b []byte) []byte {
	for i, r := range l.cells {
		if r == goesOn {
			continue
		}
		b = utf8.AppendRune(b, r)
		if len(l.marks) > 0 {
			for _, m := range l.marks[i] {
				b = utf8.AppendRune(b, m)
			}
		}
	}
	return b
}
