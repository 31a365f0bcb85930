package shell

import (
	"fmt"
	"unicode/utf8"
)

// The size of a screen, in lines and in characters of a line. Programs that
// paint over what they wrote reach back less far than that.
const (
	screenLines   = 50
	screenWidth   = 8 << 10
	screenColumns = 120 // that programs are told
	moveWidth     = 500 // how far a cursor is moved, so that few bytes cannot make long lines
)

// maxControl is how long an operating system command or the like may be, in
// bytes, before it is taken for output.
const maxControl = 4 << 10

// A screen turns a program's output into the text that is left on a terminal
// when the program has written it: carriage returns, backspaces and cursor
// moves paint over, colours are gone, what cannot be shown is escaped. Lines
// that can no longer change scroll out of it.
type screen struct {
	// scrolled takes a line that is done, its last character a newline unless
	// the line was too long, with the number of escapes in it. The line is not
	// its own.
	scrolled func(cells []rune, escapes int)

	lines    []line // the part that can still change, never empty
	row, col int
	split    []byte // the first bytes of a character that is not complete
	state    func(*screen, byte)
	sequence []byte // the parameters of a control sequence, or a string's length so far
}

type line struct {
	cells   []rune
	escapes int
}

func newScreen(scrolled func([]rune, int)) *screen {
	return &screen{scrolled: scrolled, lines: make([]line, 1)}
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
			s.state(s, p[0])
			p = p[1:]
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
				s.escape(fmt.Sprintf(`\x%02x`, p[0]))
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
		s.escape(fmt.Sprintf(`\x%02x`, b))
	}
	s.split, s.state = nil, nil
	s.clear()
}

// clear lets all lines scroll out; the last one has no newline.
func (s *screen) clear() {
	for i, l := range s.lines {
		if i < len(s.lines)-1 {
			l.cells = append(l.cells, '\n')
		}
		if len(l.cells) > 0 {
			s.scrolled(l.cells, l.escapes)
		}
	}
	s.lines, s.row, s.col = make([]line, 1, screenLines), 0, 0
}

func (s *screen) ascii(b byte) {
	switch b {
	case '\n':
		s.newline()
	case '\r':
		s.col = 0
	case '\b':
		s.col = max(s.col-1, 0)
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
	if s.col != len(l.cells) || s.col >= screenWidth {
		s.put(rune(p[0]))
		return 1
	}
	for n, b := range p {
		if b < ' ' || b > '~' || s.col >= screenWidth {
			return n
		}
		l.cells = append(l.cells, rune(b))
		s.col++
	}
	return len(p)
}

func (s *screen) put(r rune) {
	if r != '\t' && deceptive(r) {
		s.escape(escapedRune(r))
		return
	}
	if s.col >= screenWidth {
		s.clear()
	}
	l := &s.lines[s.row]
	for len(l.cells) < s.col {
		l.cells = append(l.cells, ' ')
	}
	if s.col < len(l.cells) {
		l.cells[s.col] = r
	} else {
		l.cells = append(l.cells, r)
	}
	s.col++
}

// escape shows what cannot be shown.
func (s *screen) escape(as string) {
	for _, r := range as {
		s.put(r)
	}
	s.lines[s.row].escapes++
}

func (s *screen) newline() {
	s.col = 0
	if s.row++; s.row < len(s.lines) {
		return
	}
	if len(s.lines) == screenLines {
		first := append(s.lines[0].cells, '\n')
		s.scrolled(first, s.lines[0].escapes)
		copy(s.lines, s.lines[1:])
		s.lines[screenLines-1] = line{cells: first[:0]}
		s.row--
		return
	}
	s.lines = append(s.lines, line{})
}

// escapeSequence reads the byte after an escape.
func (s *screen) escapeSequence(b byte) {
	s.state, s.sequence = nil, nil
	switch b {
	case '[':
		s.state = (*screen).controlSequence
	case ']', 'P', 'X', '^', '_':
		s.state = (*screen).controlString
	case '(', ')', '*', '+', '#', '%', ' ':
		s.state = func(s *screen, _ byte) { s.state = nil }
	case '\n':
		s.newline()
	}
}

// controlString reads a string that is not for the screen, such as a title,
// up to its end. A line's end ends it as well, so that none hides what follows.
func (s *screen) controlString(b byte) {
	s.sequence = append(s.sequence, b)
	switch {
	case b == '\n':
		s.state = nil
		s.newline()
	case b == '\a' || len(s.sequence) == maxControl:
		s.state = nil
	case b == '\x1b':
		s.state = (*screen).escapeSequence // its end is ESC \
	}
}

// controlSequence reads parameters up to the final byte, and obeys.
func (s *screen) controlSequence(b byte) {
	switch {
	case b == '\n':
		s.state = nil
		s.newline()
	case b >= 0x40 && b <= 0x7e || len(s.sequence) == 64:
		s.state = nil
		s.move(b)
	default:
		s.sequence = append(s.sequence, b)
	}
}

// move does what a control sequence with that final byte says. Colours and
// all that a dumb terminal has no notion of is left out.
func (s *screen) move(final byte) {
	first, second := s.parameters()
	l := &s.lines[s.row]
	switch final {
	case 'A', 'F':
		s.row = max(s.row-max(first, 1), 0)
	case 'B', 'E':
		s.row = min(s.row+max(first, 1), len(s.lines)-1)
	case 'C':
		s.col = min(s.col+max(first, 1), max(s.col, moveWidth-1))
	case 'D':
		s.col = max(s.col-max(first, 1), 0)
	case 'G':
		s.col = min(max(first, 1), moveWidth) - 1
	case 'H', 'f':
		s.row, s.col = min(max(first, 1), len(s.lines))-1, min(max(second, 1), moveWidth)-1
	case 'K':
		switch keep := min(s.col, len(l.cells)); first {
		case 0:
			l.cells = l.cells[:keep]
		case 1:
			for i := range keep {
				l.cells[i] = ' '
			}
		case 2:
			l.cells = l.cells[:0]
		}
	case 'J':
		if first == 0 {
			l.cells = l.cells[:min(s.col, len(l.cells))]
			s.lines = s.lines[:s.row+1]
		} else { // what was on the screen stays readable, as it does when a terminal scrolls
			if last := s.lines[len(s.lines)-1]; len(last.cells) > 0 {
				s.row = len(s.lines) - 1
				s.newline()
			}
			s.clear()
		}
	}
	if final == 'E' || final == 'F' {
		s.col = 0
	}
}

// parameters are the first two numbers of a control sequence, zero where
// there is none.
func (s *screen) parameters() (first, second int) {
	n := [2]int{}
	i := 0
	for _, b := range s.sequence {
		switch {
		case b == ';':
			if i++; i == len(n) {
				return n[0], n[1]
			}
		case b >= '0' && b <= '9':
			n[i] = min(n[i]*10+int(b-'0'), screenWidth)
		}
	}
	return n[0], n[1]
}
