package terminal

import (
	"bytes"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi/parser"

	"github.com/emendo-dev/emendo/internal/visible"
)

// The size of the screen that programs on a terminal are told.
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
// are never broken by the width, but a program that knows the width moves among the
// rows that it takes a line to have. Each character takes one column. Lines that can
// no longer change scroll out.
//
// Absolute rows count from the top of the screen once a program has cleared the
// screen. Before that they are limited to the rows written.
type screen struct {
	// to is given text that can no longer change, a line with its newline or a part of
	// a line that was too long, and the number of escapes in it.
	to      *Transcript
	columns int // the width that the program knows; 0: none

	lines     []line // the rows that can still change, never empty
	row, col  int
	edge      bool // the cursor is behind the last column of a row: only the next character is in the next row
	top       int  // the first and the last row of the scrolling region
	bottom    int
	saved     struct{ row, col int }
	known     bool // absolute rows count from the top of the screen
	alternate bool // the lines are the alternate page, which is gone with its program

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

func newScreen(to *Transcript, columns int) *screen {
	return &screen{to: to, columns: columns, lines: make([]line, 1, Rows), bottom: Rows - 1}
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
				s.put(r)
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
	s.split = nil
	s.flush()
	s.empty() // what it had is in the transcript now
}

// clear scrolls out all lines and ends the last one. The alternate page is lost.
func (s *screen) clear() {
	if !s.alternate && s.flush() {
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

// start returns where the row of the cursor begins in its line.
func (s *screen) start() int {
	switch {
	case s.columns == 0:
		return 0
	case s.edge:
		return s.col - s.columns
	}
	return s.col - s.col%s.columns
}

// up moves the cursor up by rows, of which a line may have several.
func (s *screen) up(rows int) {
	for ; rows > 0 && (s.row > 0 || s.start() > 0); rows-- {
		if s.start() > 0 {
			s.col -= s.columns
			continue
		}
		s.move(s.row-1, s.col)
		if s.columns > 0 {
			s.col += max(len(s.lines[s.row].text)-1, 0) / s.columns * s.columns
		}
	}
}

// tab moves to the next multiple of eight columns: over text that is there, else by a tab.
func (s *screen) tab() {
	for stop := s.col | 7 + 1; s.col < stop; {
		text := s.lines[s.row].text
		if s.col >= len(text) {
			s.put('\t')
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
	defer func() { s.edge = s.edge && b == '\a' }()
	switch b {
	case '\n':
		s.lines[s.row].ended = true
		s.col = 0
		s.down()
	case '\r':
		s.col = s.start()
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
		s.put(rune(p[0]))
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
	s.edge = s.columns > 0 && s.col%s.columns == 0
	return n
}

// put writes a character at the cursor. A line that is too long scrolls out, and is
// continued without a newline.
func (s *screen) put(r rune) {
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
	if l.text[s.col] == '\t' && s.col < len(l.text)-1 { // what is behind it stays in its column
		l.text = slices.Replace(l.text, s.col, s.col+1, []rune("        ")[s.col&7:]...)
	}
	l.text[s.col] = r
	s.col++
	s.edge = s.columns > 0 && s.col%s.columns == 0
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

// down moves to the next row. On the last one of the scrolling region its text
// scrolls up. What leaves the screen at its top is kept, what leaves a region inside
// it or the alternate page is lost.
func (s *screen) down() {
	if s.row != s.bottom {
		s.row = min(s.row+1, Rows-1)
		s.reach(s.row)
		return
	}
	top := s.lines[s.top]
	if s.top == 0 && !s.alternate {
		s.scroll(top, true)
	}
	copy(s.lines[s.top:], s.lines[s.top+1:s.bottom+1])
	s.lines[s.bottom] = line{text: top.text[:0]}
}

// reach adds rows until there is one with the given number.
func (s *screen) reach(row int) {
	for len(s.lines) <= row {
		s.lines = append(s.lines, line{})
	}
}

// move moves the cursor to a row and a column: to any row of the screen if absolute
// rows are known, else to the last one written at most.
func (s *screen) move(row, col int) {
	if !s.known {
		row = min(row, len(s.lines)-1)
	}
	s.row = min(max(row, 0), Rows-1)
	s.reach(s.row)
	s.col = min(max(col, 0), max(maxMove, len(s.lines[s.row].text), s.col))
}

// escapeSequence executes a sequence of an escape and a character.
func (s *screen) escapeSequence(b byte) {
	switch b {
	case '7':
		s.saved.row, s.saved.col = s.row, s.col
	case '8':
		s.move(s.saved.row, s.saved.col)
	case 'E':
		s.control('\n')
	case 'M':
		s.up(1)
	case 'c':
		s.clear()
	}
}

// controlSequence executes a sequence with parameters. Those that do not change
// text, such as colours, are ignored, and so are those that move rows or characters
// aside, which only programs that fill the screen use.
func (s *screen) controlSequence(final byte) {
	parameters, private := bytes.CutPrefix(s.sequence, []byte("?"))
	first, rest, _ := bytes.Cut(parameters, []byte(";"))
	second, _, _ := bytes.Cut(rest, []byte(";"))
	how, n, m := number(first), max(number(first), 1), max(number(second), 1)
	switch {
	case private:
		s.switchPage(how, final)
		return
	case bytes.ContainsAny(first, "<=>"): // other sequences with the same final byte
		return
	case final != 'm' && final != 'K':
		defer func() { s.edge = false }()
	}
	switch final {
	case 'A':
		s.up(n)
	case 'B':
		s.move(s.row+n, s.col)
	case 'C':
		s.col = max(s.col, min(s.col+n, maxMove))
	case 'D':
		s.col = max(s.col-n, 0)
	case 'E':
		s.move(s.row+n, 0)
	case 'F':
		s.up(n)
		s.col = s.start()
	case 'G':
		s.move(s.row, n-1)
	case 'd':
		s.move(n-1, s.col)
	case 'H', 'f':
		s.move(n-1, m-1)
	case 'K':
		s.eraseLine(how)
	case 'J':
		s.eraseScreen(how)
	case 's':
		s.saved.row, s.saved.col = s.row, s.col
	case 'u':
		s.move(s.saved.row, s.saved.col)
	case 'r':
		s.limitScrolling(n-1, number(second)-1)
	}
}

// number returns a parameter, 0 if it is missing or none.
func number(b []byte) int {
	n, _ := strconv.ParseUint(string(b), 10, 16) // a larger one is the largest
	return int(n)
}

// switchPage shows the alternate page or returns to the main one, if a private
// sequence does that.
func (s *screen) switchPage(mode int, final byte) {
	alternate := final == 'h'
	if mode != 47 && mode != 1047 && mode != 1049 || final != 'h' && final != 'l' || alternate == s.alternate {
		return
	}
	s.clear()
	s.alternate, s.known, s.top, s.bottom = alternate, alternate, 0, Rows-1
}

// limitScrolling sets the scrolling region; a negative bottom is that of the screen.
func (s *screen) limitScrolling(top, bottom int) {
	if bottom < 0 || bottom >= Rows {
		bottom = Rows - 1
	}
	if top < bottom {
		s.top, s.bottom = top, bottom
		s.known = s.known || top > 0 || bottom < Rows-1
		s.move(0, 0)
	}
}

// eraseLine erases from the cursor on, up to it or all of its line.
func (s *screen) eraseLine(how int) {
	l := &s.lines[s.row]
	at := min(s.col, len(l.text))
	switch how {
	case 0:
		l.text = l.text[:at]
	case 1:
		for i := range l.text[:min(at+1, len(l.text))] {
			l.text[i] = ' '
		}
	case 2:
		l.text = l.text[:0]
	}
}

// eraseScreen erases below the cursor, above it or everything. In the last case the
// content of the main page is kept, as if it had scrolled out.
func (s *screen) eraseScreen(how int) {
	switch how {
	case 0:
		s.eraseLine(0)
		s.lines[s.row].ended = false
		clear(s.lines[s.row+1:])
		s.lines = s.lines[:s.row+1]
	case 1:
		s.eraseLine(1)
		for i := range s.lines[:s.row] {
			s.lines[i] = line{ended: true}
		}
	case 2:
		s.clear()
		s.known = true
	}
}

// deceptive reports whether r is shown as an escape. It covers less than
// [visible.Hidden]: joiners belong to many scripts.
func deceptive(r rune) bool {
	return unicode.Is(unicode.Cc, r) && r != '\t' || unicode.Is(unicode.Bidi_Control, r) || r >= 0xE0000 && r <= 0xE007F
}
