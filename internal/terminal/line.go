package terminal

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// continued marks a cell that belongs to the character before it: a wide
// character takes two cells, a tab up to eight.
const continued rune = -1

// maxMarks is the maximum number of combining characters kept per cell.
const maxMarks = 16

// A line is one row of a [screen].
type line struct {
	cells   []rune         // the first one is never continued
	marks   map[int][]rune // combining characters by cell; nearly always empty
	escapes int            // number of escapes written to it
	wrapped bool           // the next row continues it, only because of the width
	ended   bool           // a newline was written on it
}

// columnsOf returns how many columns r takes; 0 if it combines with the character
// before it. r is not a tab.
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

// put overwrites n columns with r.
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
		l.cells[i] = continued
	}
}

// mark combines r with the character before a column.
func (l *line) mark(col int, r rune) {
	for col--; col > 0 && l.cells[col] == continued; {
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

// free prepares a range of cells for overwriting: wide characters that are only
// partly inside it become spaces.
func (l *line) free(from, to int) {
	if from < len(l.cells) && l.cells[from] == continued {
		i := from - 1
		for ; l.cells[i] == continued; i-- {
			l.cells[i] = ' '
		}
		l.cells[i] = ' '
		delete(l.marks, i)
	}
	for i := to; i < len(l.cells) && l.cells[i] == continued; i++ {
		l.cells[i] = ' '
	}
	if len(l.marks) > 0 {
		for i := from; i < min(to, len(l.cells)); i++ {
			delete(l.marks, i)
		}
	}
}

// erase empties a range of cells.
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

// shift moves the cells from a column on by n to the right or, if n is negative,
// to the left. Cells that leave the columns are lost.
func (l *line) shift(col, n, columns int) {
	if col >= len(l.cells) {
		return
	}
	for i := range l.marks { // marks are not moved: programs that shift do not write any
		if i >= col {
			delete(l.marks, i)
		}
	}
	l.free(col, col)
	rest := append([]rune(nil), l.cells[col:]...)
	l.cells = l.cells[:col]
	if n < 0 {
		rest = rest[min(-n, len(rest)):]
		for i := 0; i < len(rest) && rest[i] == continued; i++ {
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

// text appends the content of the line to b.
func (l *line) text(b []byte) []byte {
	for i, r := range l.cells {
		if r == continued {
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
