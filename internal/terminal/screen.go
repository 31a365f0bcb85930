package terminal

import (
	"bytes"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi/parser"

	"github.com/emendo-dev/emendo/internal/visible"
)

// The size of the screen that programs on a terminal are told. As many rows can still change.
const (
	Rows    = 50
	Columns = 120
)

const (
	maxLine     = 8 << 10 // of a line that can still change, in characters
	maxMove     = 500     // how far right the cursor moves, so that a few bytes cannot make long lines
	maxSequence = 4 << 10 // of a control sequence in bytes; what follows is output
)

// A screen renders a program's output as the text that it leaves on a terminal:
// carriage returns, backspaces and moves of the cursor overwrite, erased text is
// gone, colours are dropped, characters that cannot be shown are escaped. Its lines
// are never broken by a width, and each character takes one column. Lines that can
// no longer change scroll out.
//
// It does as much as programs need that redraw a few lines, such as bars of progress.
// The page of a program that fills the screen is left out, unless the program was ended in
// it: then what it showed last stays, and what comes after it.
type screen struct {
	// to is given text that can no longer change, a line with its newline or a part of
	// a line that was too long, and the number of escapes in it.
	to *Transcript

	lines    []line // the rows that can still change, never empty
	row, col int
	saved    struct{ row, col int }
	page     bool // the lines are a page that is gone with its program

	state    parser.State // in a control sequence
	length   int          // of the sequence up to now, in bytes
	sequence []byte       // its parameters
	split    []byte       // the first bytes of an incomplete character
	out      []byte       // buffer for what scrolls out
}

// A line is one row of a [screen].
type line struct {
	text    []rune
	escapes int  // number of escapes written to it
	ended   bool // a newline was written on it
}

func newScreen(to *Transcript) *screen {
	return &screen{to: to, lines: make([]line, 1, Rows)}
}

// Write renders p. It never fails.
func (s *screen) Write(p []byte) {
	if len(s.split) > 0 {
		p = append(s.split, p...)
		s.split = nil
	}
	for len(p) > 0 {
		switch {
		case p[0] == '\x1b' || s.state != parser.GroundState && s.continues(p[0]):
			s.advance(p[0])
			p = p[1:]
		case p[0] >= ' ' && p[0] <= '~':
			p = p[s.plain(p):]
		case p[0] < utf8.RuneSelf:
			s.control(p[0])
			p = p[1:]
		case !utf8.FullRune(p):
			s.split = append([]byte(nil), p...)
			return
		default:
			r, size := utf8.DecodeRune(p)
			if r == utf8.RuneError && size == 1 {
				s.escapeByte(p[0])
			} else {
				s.writeRune(r)
			}
			p = p[size:]
		}
	}
}

// continues reports whether b may belong to the control sequence that is being
// read. A newline and what is no ASCII end every sequence, so that an unfinished one
// does not hide the output after it; only control strings, such as titles, may have
// other characters.
func (s *screen) continues(b byte) bool {
	inString := s.state == parser.DcsStringState || s.state >= parser.OscStringState
	if b != '\n' && (b < utf8.RuneSelf || inString) && s.length < maxSequence {
		return true
	}
	s.state = parser.GroundState
	return false
}

// advance reads a byte of a control sequence, and executes the sequence at its end.
func (s *screen) advance(b byte) {
	if b == '\x1b' {
		s.length, s.sequence = 0, s.sequence[:0]
	}
	s.length++
	state, action := parser.Table.Transition(s.state, min(b, '~')) // part of a character must not end a control string
	switch action {
	case parser.PrefixAction, parser.ParamAction, parser.CollectAction:
		s.sequence = append(s.sequence, b)
	case parser.ExecuteAction:
		s.control(b)
	case parser.DispatchAction:
		switch s.state {
		case parser.EscapeState:
			s.escapeSequence(b)
		case parser.CsiEntryState, parser.CsiParamState:
			s.controlSequence(b)
		}
	}
	s.state = state
}

// end scrolls out everything that is left.
func (s *screen) end() {
	for _, b := range s.split {
		s.escapeByte(b)
	}
	s.split, s.page = nil, false
	s.flush()
	s.empty() // what it had is in the transcript now
}

// clear scrolls out all lines and ends the last one.
func (s *screen) clear() {
	if s.flush() && !s.page {
		s.to.add([]byte("\n"), 0)
	}
	s.empty()
}

func (s *screen) empty() {
	clear(s.lines)
	s.lines, s.row, s.col = s.lines[:1], 0, 0
}

// flush scrolls out all lines. It reports whether the last one has no newline.
func (s *screen) flush() (open bool) {
	n := len(s.lines)
	for ; n > 0 && len(s.lines[n-1].text) == 0 && !s.lines[n-1].ended; n-- {
	}
	for i, l := range s.lines[:n] {
		open = i == n-1 && !l.ended
		s.scroll(l, !open)
	}
	return open
}

func (s *screen) scroll(l line, newline bool) {
	if s.page {
		return
	}
	s.out = l.appendTo(s.out[:0])
	if newline {
		s.out = append(s.out, '\n')
	}
	s.to.add(s.out, l.escapes)
}

func (l line) appendTo(b []byte) []byte {
	for _, r := range l.text {
		b = utf8.AppendRune(b, r)
	}
	return b
}

// appendTo appends the content of the screen to b.
func (s *screen) appendTo(b []byte) []byte {
	for i, l := range s.lines {
		if i > 0 {
			b = append(b, '\n')
		}
		b = l.appendTo(b)
	}
	return b
}

// tab moves to the next multiple of eight columns: over text that is there, else by a tab.
func (s *screen) tab() {
	for stop := s.col | 7 + 1; s.col < stop; {
		text := s.lines[s.row].text
		if s.col >= len(text) {
			s.writeRune('\t')
			return
		}
		s.col++
		if text[s.col-1] == '\t' { // it was drawn to the same stop
			return
		}
	}
}

// control executes a control character.
func (s *screen) control(b byte) {
	switch b {
	case '\n':
		s.lines[s.row].ended = true
		s.col = 0
		s.lineFeed()
	case '\r':
		s.col = 0
	case '\b':
		s.col = max(s.col-1, 0)
	case '\t':
		s.tab()
	case '\a', '\x0e', '\x0f': // a bell, and changes of the character set
	default:
		s.escapeByte(b)
	}
}

// plain writes the printable ASCII characters at the start of p and returns how
// many it wrote. It is the fast path: nearly all output is appended to a line.
func (s *screen) plain(p []byte) int {
	l := &s.lines[s.row]
	if s.col != len(l.text) || s.col >= maxLine {
		s.writeRune(rune(p[0]))
		return 1
	}
	n := 0
	for _, b := range p[:min(len(p), maxLine-s.col)] {
		if b < ' ' || b > '~' {
			break
		}
		l.text = append(l.text, rune(b))
		n++
	}
	s.col += n
	return n
}

// writeRune writes a character at the cursor. A line that is too long scrolls out, and is
// continued without a newline.
func (s *screen) writeRune(r rune) {
	if deceptive(r) {
		s.escape(visible.EscapeRune(r))
		return
	}
	if s.col >= maxLine {
		s.flush()
		s.empty()
	}
	l := &s.lines[s.row]
	for len(l.text) <= s.col {
		l.text = append(l.text, ' ')
	}
	l.text[s.col] = r
	s.col++
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

// lineFeed moves to the next row. Behind the last one the first scrolls out.
func (s *screen) lineFeed() {
	switch {
	case s.row < len(s.lines)-1:
		s.row++
	case len(s.lines) < Rows:
		s.lines = append(s.lines, line{})
		s.row++
	default:
		top := s.lines[0]
		s.scroll(top, true)
		copy(s.lines, s.lines[1:])
		s.lines[s.row] = line{text: top.text[:0]}
	}
}

// moveTo moves the cursor to a row that was written, and to a column.
func (s *screen) moveTo(row, col int) {
	s.row = min(max(row, 0), len(s.lines)-1)
	s.col = min(max(col, 0), max(maxMove, len(s.lines[s.row].text), s.col))
}

// escapeSequence executes a sequence without parameters.
func (s *screen) escapeSequence(final byte) {
	switch final {
	case 'c': // forget everything
		s.leavePage()
		s.clear()
	case '7':
		s.saved.row, s.saved.col = s.row, s.col
	case '8':
		s.moveTo(s.saved.row, s.saved.col)
	}
}

// leavePage removes the page of a program.
func (s *screen) leavePage() {
	if s.page {
		s.empty()
		s.page = false
	}
}

// controlSequence executes a sequence with parameters. Those that do not change
// text, such as colours, are ignored, and so are those that move rows or characters
// aside, which only programs that fill the screen use.
func (s *screen) controlSequence(final byte) {
	parameters, private := bytes.CutPrefix(s.sequence, []byte("?"))
	first, _, _ := bytes.Cut(parameters, []byte(";"))
	how, n := number(first), max(number(first), 1)
	switch {
	case private && (how == 47 || how == 1047 || how == 1049) && (final == 'h' || final == 'l'):
		if final == 'l' {
			s.leavePage()
		} else if !s.page {
			s.clear()
			s.page = true
		}
		return
	case private || bytes.ContainsAny(first, "<=>"): // other sequences with the same final byte
		return
	}
	switch final {
	case 'A':
		s.moveTo(s.row-n, s.col)
	case 'B':
		s.moveTo(s.row+n, s.col)
	case 'C':
		s.col = max(s.col, min(s.col+n, maxMove))
	case 'D':
		s.col = max(s.col-n, 0)
	case 'E':
		s.moveTo(s.row+n, 0)
	case 'F':
		s.moveTo(s.row-n, 0)
	case 'G':
		s.moveTo(s.row, n-1)
	case 's':
		s.saved.row, s.saved.col = s.row, s.col
	case 'u':
		s.moveTo(s.saved.row, s.saved.col)
	case 'K':
		s.eraseLine(how)
	case 'J':
		s.eraseScreen(how)
	}
}

// number returns a parameter, 0 if it is missing or none.
func number(b []byte) int {
	n, _ := strconv.ParseUint(string(b), 10, 16) // a larger one is the largest
	return int(n)
}

// eraseLine erases from the cursor on, or all of its line.
func (s *screen) eraseLine(how int) {
	l := &s.lines[s.row]
	switch how {
	case 0:
		l.text = l.text[:min(s.col, len(l.text))]
	case 2:
		l.text = l.text[:0]
	}
}

// eraseScreen erases below the cursor or everything. In the latter case the content is kept,
// as if it had scrolled out.
func (s *screen) eraseScreen(how int) {
	switch how {
	case 0:
		s.eraseLine(0)
		s.lines[s.row].ended = false
		clear(s.lines[s.row+1:])
		s.lines = s.lines[:s.row+1]
	case 2:
		s.clear()
	}
}

// deceptive reports whether r is shown as an escape. It covers less than
// [visible.Hidden]: joiners belong to many scripts.
func deceptive(r rune) bool {
	return unicode.Is(unicode.Cc, r) && r != '\t' || unicode.Is(unicode.Bidi_Control, r) || r >= 0xE0000 && r <= 0xE007F
}
