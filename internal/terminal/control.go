package terminal

import "bytes"

// maxControl is the maximum length of a control string in bytes. What follows is
// output.
const maxControl = 4 << 10

// moveWidth limits how far right the cursor moves, so that a few bytes cannot
// make long lines.
const moveWidth = 500

// ofSequence reports whether b may be part of a control sequence. Other bytes,
// such as a newline, end the sequence and are output themselves.
func ofSequence(b byte) bool { return b >= ' ' && b < 0x7f }

// escapeSequence reads the byte after an escape.
func (s *screen) escapeSequence(b byte) (used bool) {
	s.state, s.sequence = nil, s.sequence[:0]
	switch b {
	case '[':
		s.state = (*screen).controlSequence
	case ']', 'P', 'X', '^', '_':
		s.state = (*screen).controlString
	case '(', ')', '*', '+', '#', '%', ' ':
		s.state = (*screen).charset
	case 'E':
		s.newline()
	case 'D':
		s.down()
	case 'M':
		if s.row == s.top {
			s.back(s.top, 1)
		} else {
			s.row = max(s.row-1, 0)
		}
	case '7':
		s.saved.row, s.saved.col = s.row, s.col
	case '8':
		s.restore()
	case 'c':
		s.clear()
	}
	return ofSequence(b)
}

// charset reads the name of a character set.
func (s *screen) charset(b byte) (used bool) {
	s.state = nil
	return ofSequence(b)
}

// controlString skips a string that is not shown, such as a title. A newline
// ends it too, so that an unterminated string does not hide the output after it.
func (s *screen) controlString(b byte) (used bool) {
	s.sequence = append(s.sequence, b)
	switch {
	case b == '\n':
		s.state = nil
		return false
	case b == '\a' || len(s.sequence) == maxControl:
		s.state = nil
	case b == '\x1b':
		s.state = (*screen).escapeSequence // its end is ESC \
	}
	return true
}

// controlSequence reads parameters up to the final byte and applies the sequence.
func (s *screen) controlSequence(b byte) (used bool) {
	switch {
	case b == '\n' || b == '\x1b':
		s.state = nil
		return false
	case b >= 0x40 && b <= 0x7e || len(s.sequence) == 64:
		s.state = nil
		s.apply(b)
	default:
		s.sequence = append(s.sequence, b)
	}
	return true
}

// apply executes the control sequence with that final byte. Sequences that do not
// change text, such as colours, are ignored.
func (s *screen) apply(final byte) {
	if len(s.sequence) > 0 && bytes.IndexByte([]byte("<=>?"), s.sequence[0]) >= 0 {
		if s.sequence[0] == '?' {
			s.switches(final)
		}
		if s.sequence[0] != '?' || final != 'J' && final != 'K' {
			return
		}
	}
	if bytes.ContainsAny(s.sequence, " !\"#$%&'()*+,-./") {
		return // different sequences with the same final byte
	}
	first, second := s.parameters()
	if !s.move(final, first, second) {
		s.edit(final, first, second)
	}
}

// switches executes the private control sequences that show the alternate page
// and return to the main one.
func (s *screen) switches(final byte) {
	mode, _ := s.parameters()
	if mode != 47 && mode != 1047 && mode != 1049 {
		return
	}
	switch {
	case final == 'h' && s.main == nil:
		main := s.page
		s.page, s.main = newPage(), &main
		s.known = true
	case final == 'l' && s.main != nil:
		s.page, s.main = *s.main, nil
	}
}

// move executes a cursor movement. It reports whether the sequence is one.
func (s *screen) move(final byte, first, second int) bool {
	n := max(first, 1)
	switch final {
	case 'A', 'F':
		s.row = max(s.row-n, 0)
	case 'B', 'E', 'e':
		s.to(s.row + n)
	case 'C', 'a':
		s.col = min(s.col+n, max(s.col, s.furthest()))
	case 'D':
		s.col = max(min(s.col, s.columns-1)-n, 0)
	case 'G', '`':
		s.col = min(n-1, s.furthest())
	case 'd':
		s.to(n - 1)
	case 'H', 'f':
		s.to(n - 1)
		s.col = min(max(second, 1)-1, s.furthest())
	case 's':
		s.saved.row, s.saved.col = s.row, s.col
	case 'u':
		s.restore()
	default:
		return false
	}
	if final == 'E' || final == 'F' {
		s.col = 0
	}
	return true
}

// furthest returns the last column that the cursor can be moved to.
func (s *screen) furthest() int { return min(moveWidth, s.columns) - 1 }

// to moves to a row: to any row of the screen if absolute rows are known, else to
// the last one written at most.
func (s *screen) to(row int) {
	if !s.known {
		row = min(row, len(s.lines)-1)
	}
	s.row = min(row, Rows-1)
	s.reach(s.row)
}

func (s *screen) restore() {
	s.to(s.saved.row)
	s.col = min(s.saved.col, s.columns)
}

// edit executes a sequence that changes the content of the screen.
func (s *screen) edit(final byte, first, second int) {
	l, n := &s.lines[s.row], max(first, 1)
	switch final {
	case 'K':
		s.eraseLine(l, first)
	case 'J':
		s.eraseScreen(first)
	case 'X':
		l.erase(s.col, s.col+n)
	case 'P':
		l.shift(s.col, -n, s.columns)
	case '@':
		l.shift(s.col, min(n, s.columns), s.columns)
	case 'L':
		if s.row >= s.top && s.row <= s.bottom {
			s.back(s.row, n)
		}
	case 'M':
		if s.row >= s.top && s.row <= s.bottom {
			s.deleteLines(n)
		}
	case 'S':
		s.up(s.top, n)
	case 'T':
		s.back(s.top, n)
	case 'b':
		if s.last >= ' ' {
			for range min(n, moveWidth) {
				s.put(s.last)
			}
		}
	case 'r':
		top, bottom := n-1, min(second, Rows)-1
		if second == 0 {
			bottom = Rows - 1
		}
		if top < bottom {
			s.top, s.bottom = top, bottom
			s.known = s.known || top > 0 || bottom < Rows-1
			s.to(0)
			s.col = 0
		}
	}
}

func (s *screen) eraseLine(l *line, how int) {
	switch how {
	case 0:
		l.erase(s.col, max(s.col, len(l.cells)))
	case 1:
		l.erase(0, min(s.col+1, len(l.cells)))
	case 2:
		l.erase(0, len(l.cells))
	}
}

// eraseScreen erases below the cursor, above it or everything. In the last case
// the content of the main page is kept, as if it had scrolled out.
func (s *screen) eraseScreen(how int) {
	l := &s.lines[s.row]
	switch how {
	case 0:
		s.eraseLine(l, 0)
		l.ended = false
		s.lines = s.lines[:s.row+1]
	case 1:
		s.eraseLine(l, 1)
		for i := range s.lines[:s.row] {
			s.lines[i] = line{ended: true}
		}
	case 2:
		if s.main != nil {
			at := s.page
			s.page = newPage()
			s.top, s.bottom, s.known = at.top, at.bottom, true
			s.to(at.row)
			s.col = at.col
			return
		}
		top, bottom := s.top, s.bottom
		s.clear()
		s.top, s.bottom, s.known = top, bottom, true
	}
}

// deleteLines removes n rows and moves the rows below up. Unlike rows that scroll
// out, they are lost.
func (p *page) deleteLines(n int) {
	for range min(n, p.bottom-p.row+1) {
		p.reach(p.bottom)
		gone := p.lines[p.row]
		copy(p.lines[p.row:p.bottom], p.lines[p.row+1:p.bottom+1])
		p.lines[p.bottom] = line{cells: gone.cells[:0]}
	}
}

// parameters returns the first two numbers of a control sequence; a missing one
// is zero.
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
			n[i] = min(n[i]*10+int(b-'0'), PipeColumns)
		}
	}
	return n[0], n[1]
}
