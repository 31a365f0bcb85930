package terminal

import (
	"unicode"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/internal/visible"
)

// The size of the screen that programs on a terminal are told, and its width for
// programs that write to a pipe.
const (
	Rows        = 50
	Columns     = 120
	PipeColumns = 8 << 10
)

// A screen renders a program's output as the text that it leaves on a terminal:
// carriage returns, backspaces and cursor movements overwrite, colours are
// dropped, characters that cannot be shown are escaped, and lines broken only by
// the width are joined. Lines that can no longer change scroll out.
//
// Absolute rows count from the top of the screen once a program has cleared the
// screen or uses all of it. Before that they are limited to the rows written.
type screen struct {
	// scrolled is called with text that can no longer change, a line with its
	// newline or a part of a line that was too long, and the number of escapes
	// in it. It must not retain the text.
	scrolled func(text []byte, escapes int)

	columns int
	page
	main  *page // the main page while a program shows the alternate one; else nil
	saved struct{ row, col int }
	last  rune // the last character written, for the repeat sequence

	split    []byte                          // the first bytes of an incomplete character
	state    func(*screen, byte) (used bool) // reads an escape sequence; nil outside of one
	sequence []byte                          // the parameters of a control sequence, or the control string so far
	out      []byte                          // buffer for scrolled
}

// A page is the main or the alternate content of a screen.
type page struct {
	lines       []line // the rows that can still change, never empty; a slice of room
	room        []line
	row, col    int
	top, bottom int  // the scrolling region, both included
	known       bool // absolute rows count from the top of the screen
}

func newPage() page {
	room := make([]line, 4*Rows)
	return page{lines: room[:1], room: room, bottom: Rows - 1}
}

func newScreen(columns int, scrolled func([]byte, int)) *screen {
	return &screen{columns: columns, scrolled: scrolled, page: newPage()}
}

func (s *screen) Write(p []byte) (int, error) {
	n := len(p)
	if len(s.split) > 0 {
		p = append(s.split, p...)
		s.split = nil
	}
	for len(p) > 0 {
		switch {
		case s.state != nil:
			if s.state(s, p[0]) {
				p = p[1:]
			}
		case p[0] >= ' ' && p[0] <= '~':
			p = p[s.plain(p):]
		case p[0] < utf8.RuneSelf:
			s.ascii(p[0])
			p = p[1:]
		case !utf8.FullRune(p):
			s.split = append([]byte(nil), p...)
			return n, nil
		default:
			r, size := utf8.DecodeRune(p)
			if r == utf8.RuneError && size == 1 {
				s.escapeByte(p[0])
			} else {
				s.put(r)
			}
			p = p[size:]
		}
	}
	return n, nil
}

// end scrolls out everything that is left.
func (s *screen) end() {
	for _, b := range s.split {
		s.escapeByte(b)
	}
	s.split, s.state = nil, nil
	if s.main != nil {
		shown := s.page
		s.page, s.main = *s.main, nil
		s.clear()
		s.page = shown
	}
	s.flush()
	s.page = newPage()
}

// clear scrolls out all lines and ends the last one.
func (s *screen) clear() {
	known := s.known
	if open := s.flush(); open {
		s.scrolled([]byte("\n"), 0)
	}
	s.page = newPage()
	s.known = known
}

// flush scrolls out all lines. It reports whether the last one has no newline.
func (s *screen) flush() (open bool) {
	n := len(s.lines)
	for ; n > 0 && len(s.lines[n-1].cells) == 0 && !s.lines[n-1].ended; n-- {
	}
	for i := range s.lines[:n] {
		l := &s.lines[i]
		open = i == n-1 && !l.ended
		s.scroll(l, !open && !l.wrapped)
	}
	return open
}

func (s *screen) scroll(l *line, newline bool) {
	s.out = l.text(s.out[:0])
	if newline {
		s.out = append(s.out, '\n')
	}
	s.scrolled(s.out, l.escapes)
}

// text appends the content of the screen to b.
func (p *page) text(b []byte) []byte {
	for i := range p.lines {
		if i > 0 && !p.lines[i-1].wrapped {
			b = append(b, '\n')
		}
		b = p.lines[i].text(b)
	}
	return b
}

func (s *screen) ascii(b byte) {
	switch b {
	case '\n':
		s.newline()
	case '\r':
		s.col = 0
	case '\b':
		s.col = max(min(s.col, s.columns-1)-1, 0)
	case '\t':
		s.tab()
	case '\x1b':
		s.state = (*screen).escapeSequence
	case '\a', '\x0e', '\x0f': // a bell, and changes of the character set
	default:
		s.put(rune(b))
	}
}

// plain writes the printable ASCII characters at the start of p and returns how
// many it wrote. It is the fast path: nearly all output is appended to a line.
func (s *screen) plain(p []byte) int {
	l := &s.lines[s.row]
	if s.col != len(l.cells) || s.col >= s.columns {
		s.put(rune(p[0]))
		return 1
	}
	n := 0
	for _, b := range p[:min(len(p), s.columns-s.col)] {
		if b < ' ' || b > '~' {
			break
		}
		l.cells = append(l.cells, rune(b))
		n++
	}
	s.col += n
	s.last = rune(p[n-1])
	return n
}

func (s *screen) put(r rune) {
	switch {
	case r < ' ' || r == 0x7f:
		s.escapeByte(byte(r))
		return
	case deceptive(r):
		s.escape(visible.EscapeRune(r))
		return
	}
	n := columnsOf(r)
	if l := &s.lines[s.row]; n == 0 {
		if s.col > 0 && s.col <= len(l.cells) {
			l.mark(s.col, r)
			return
		}
		n = 1
	}
	if s.col+n > s.columns {
		s.wrap()
	}
	s.lines[s.row].put(s.col, r, n)
	s.col += n
	s.last = r
}

// tab moves to the next tab stop. At the end of a line it keeps the tab character.
func (s *screen) tab() {
	if s.col >= s.columns {
		s.wrap()
	}
	n := min(8-s.col%8, s.columns-s.col)
	if l := &s.lines[s.row]; s.col >= len(l.cells) {
		l.put(s.col, '\t', n)
	}
	s.col += n
}

// escape writes the escape of a character that cannot be shown.
func (s *screen) escape(as string) {
	for rest := []byte(as); len(rest) > 0; {
		rest = rest[s.plain(rest):]
	}
	s.lines[s.row].escapes++
}

// escapeByte writes the escape of a byte that is not text.
func (s *screen) escapeByte(b byte) {
	const digits = "0123456789abcdef"
	s.escape(string([]byte{'\\', 'x', digits[b>>4], digits[b&15]}))
}

// wrap continues a line that is too long in the next row.
func (s *screen) wrap() {
	s.lines[s.row].wrapped = true
	s.col = 0
	s.down()
}

func (s *screen) newline() {
	l := &s.lines[s.row]
	l.ended = true
	s.col = 0
	s.down()
}

// down moves to the next row. On the last row of the scrolling region the text
// scrolls up.
func (s *screen) down() {
	switch {
	case s.row == s.bottom:
		s.up(s.top, 1)
	case s.row < Rows-1:
		s.row++
		s.reach(s.row)
	}
}

// reach adds rows until there is one with the given number.
func (p *page) reach(row int) {
	for len(p.lines) <= row {
		if cap(p.lines) == len(p.lines) {
			copy(p.room, p.lines)
			p.lines = p.room[:len(p.lines)]
		}
		p.lines = append(p.lines, line{})
	}
}

// up scrolls the rows from a row to the end of the scrolling region up by n.
// Lines that leave the screen at its top are kept; those that leave a region
// inside it, or the alternate page, are lost.
func (s *screen) up(from, n int) {
	for range min(n, s.bottom-from+1) {
		s.reach(s.bottom)
		gone := s.lines[from]
		if from == 0 && s.main == nil {
			s.scroll(&gone, !gone.wrapped)
		}
		if from == 0 && s.bottom == Rows-1 { // nearly always
			s.turn(line{cells: gone.cells[:0]})
			continue
		}
		copy(s.lines[from:s.bottom], s.lines[from+1:s.bottom+1])
		s.lines[s.bottom] = line{cells: gone.cells[:0]}
	}
}

// turn removes the first line and appends l. The lines move through a larger
// array, so they are rarely copied.
func (p *page) turn(l line) {
	if cap(p.lines) == len(p.lines) {
		copy(p.room, p.lines)
		p.lines = p.room[:len(p.lines)]
	}
	p.lines = append(p.lines[1:], l)
}

// back scrolls the same rows down by n. Lines that leave the region are lost.
func (p *page) back(from, n int) {
	for range min(n, p.bottom-from+1) {
		p.reach(p.bottom)
		gone := p.lines[p.bottom]
		copy(p.lines[from+1:p.bottom+1], p.lines[from:p.bottom])
		p.lines[from] = line{cells: gone.cells[:0]}
	}
}

// deceptive reports whether r is shown as an escape. It covers less than
// [visible.Hidden]: joiners belong to many scripts.
func deceptive(r rune) bool {
	return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Bidi_Control, r) || r >= 0xE0000 && r <= 0xE007F
}
