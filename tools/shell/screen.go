package shell

import (
	"unicode"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/internal/visible"
)

// The size of a screen, in lines and in columns: of what programs are told that
// write to a terminal, and of what there is for those that write into a pipe.
const (
	screenLines   = 50
	screenColumns = 120
	pipeColumns   = 8 << 10
)

// A screen turns a program's output into the text that is left on a terminal
// when the program has written it: carriage returns, backspaces and cursor
// moves paint over, colours are gone, what cannot be shown is escaped, what was
// broken only by the width is whole again. Lines that can no longer change
// scroll out of it.
//
// Where the screen's top is, only a program knows that has cleared it or uses
// all of it. To others, rows are counted from what there is.
type screen struct {
	// scrolled takes a text that is done: a line with its newline, or a part of
	// one that was too long; with the number of escapes in it. The text is not
	// its own.
	scrolled func(text []byte, escapes int)

	columns int
	page
	main  *page // what there is while a program shows another page; else nil
	saved struct{ row, col int }
	last  rune // the last character put, which may be repeated

	split    []byte                          // the first bytes of a character that is not complete
	state    func(*screen, byte) (used bool) // reads what follows an escape; nil: that is text
	sequence []byte                          // the parameters of a control sequence, or a string so far
	out      []byte                          // for scrolled
}

// A page is what a screen shows.
type page struct {
	lines       []line // the part that can still change, never empty; in room
	room        []line
	row, col    int
	top, bottom int  // the rows that scroll, both included
	known       bool // where the top is
}

func newPage() page {
	room := make([]line, 4*screenLines)
	return page{lines: room[:1], room: room, bottom: screenLines - 1}
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

// end lets all that is left scroll out.
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

// clear lets all lines scroll out and ends the last one.
func (s *screen) clear() {
	known := s.known
	if open := s.flush(); open {
		s.scrolled([]byte("\n"), 0)
	}
	s.page = newPage()
	s.known = known
}

// flush lets all lines scroll out, and says whether the last one has no
// newline.
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

// text appends what the screen shows.
func (s *screen) text(b []byte) []byte {
	for i := range s.lines {
		if i > 0 && !s.lines[i-1].wrapped {
			b = append(b, '\n')
		}
		b = s.lines[i].text(b)
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

// plain puts the visible ASCII characters that p begins with, and says how
// many it has put. Nearly all output is such, and goes to the end of a line.
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

// tab goes to the next column that eight divides. At the end of a line it
// stays the character that it is.
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

// escape shows what cannot be shown.
func (s *screen) escape(as string) {
	for rest := []byte(as); len(rest) > 0; {
		rest = rest[s.plain(rest):]
	}
	s.lines[s.row].escapes++
}

// escapeByte is escape for a byte that is no text.
func (s *screen) escapeByte(b byte) {
	const digits = "0123456789abcdef"
	s.escape(string([]byte{'\\', 'x', digits[b>>4], digits[b&15]}))
}

// wrap goes on in the next row with a line that is too long for one.
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

// down goes to the next row. From the last one that scrolls, the text goes up.
func (s *screen) down() {
	switch {
	case s.row == s.bottom:
		s.up(s.top, 1)
	case s.row < screenLines-1:
		s.row++
		s.reach(s.row)
	}
}

// reach makes rows up to one.
func (s *screen) reach(row int) {
	for len(s.lines) <= row {
		if cap(s.lines) == len(s.lines) {
			copy(s.room, s.lines)
			s.lines = s.room[:len(s.lines)]
		}
		s.lines = append(s.lines, line{})
	}
}

// up moves the text between a row and the last one that scrolls n rows up. What
// leaves the screen at its top is done; what leaves a part of it, or another
// page, is gone.
func (s *screen) up(from, n int) {
	for range min(n, s.bottom-from+1) {
		s.reach(s.bottom)
		gone := s.lines[from]
		if from == 0 && s.main == nil {
			s.scroll(&gone, !gone.wrapped)
		}
		if from == 0 && s.bottom == screenLines-1 { // nearly always
			s.turn(line{cells: gone.cells[:0]})
			continue
		}
		copy(s.lines[from:s.bottom], s.lines[from+1:s.bottom+1])
		s.lines[s.bottom] = line{cells: gone.cells[:0]}
	}
}

// turn puts a line below all others in place of the first one. The lines move
// through a larger space, so that they are rarely copied.
func (s *screen) turn(l line) {
	if cap(s.lines) == len(s.lines) {
		copy(s.room, s.lines)
		s.lines = s.room[:len(s.lines)]
	}
	s.lines = append(s.lines[1:], l)
}

// back moves it n rows down. What leaves is gone.
func (s *screen) back(from, n int) {
	for range min(n, s.bottom-from+1) {
		s.reach(s.bottom)
		gone := s.lines[s.bottom]
		copy(s.lines[from+1:s.bottom+1], s.lines[from:s.bottom])
		s.lines[from] = line{cells: gone.cells[:0]}
	}
}

// deceptive reports whether a character of a program's output is shown as an
// escape. It is narrower than [visible.Hidden]: joiners belong to many scripts.
func deceptive(r rune) bool {
	return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Bidi_Control, r) || r >= 0xE0000 && r <= 0xE007F
}
