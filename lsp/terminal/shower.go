package terminal

// shower leaves in what a command writes only what shows something: text, colours and moves of
// the cursor. What would do something else in the user's terminal, such as setting its title or
// the clipboard, is left out: nobody reviewed it. Lines end as terminals need it.
type shower struct {
	in   state
	last byte
}

type state int

const (
	ground  state = iota
	escape        // after ESC
	control       // in a string for the terminal, up to BEL or ESC \
	ending        // after ESC in one
	upper         // after the first byte of U+0080 to U+00BF, of which the first half are controls
)

const (
	bell = '\a'
	esc  = '\x1b'
	c1   = 0xc2 // the first byte of these characters
)

func (s *shower) filter(b []byte) []byte {
	kept := make([]byte, 0, len(b)+len(b)/16)
	for _, c := range b {
		kept = s.next(kept, c)
		s.last = c
	}
	return kept
}

// next adds a byte, or what it means.
func (s *shower) next(kept []byte, c byte) []byte {
	switch s.in {
	case escape:
		switch {
		case c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_':
			s.in = control
			return kept
		case c < ' ' || c == 0x7f: // a terminal obeys it and then continues with the sequence
			return kept
		}
		s.in = ground
		if c >= 0x80 { // begins no sequence, and may be a control
			return s.next(kept, c)
		}
		return append(kept, esc, c)
	case control:
		switch c {
		case bell:
			s.in = ground
		case esc:
			s.in = ending
		}
		return kept
	case ending:
		s.in = control
		if c == '\\' {
			s.in = ground
		}
		return kept
	case upper:
		s.in = ground
		switch {
		case c >= 0x80 && c < 0xa0:
			return kept
		case c >= 0xa0 && c < 0xc0:
			return append(kept, c1, c)
		}
		// It was no character: without it the bytes beside it are none either.
		kept = append(kept, "\ufffd"...)
	case ground:
	}
	switch {
	case c == esc:
		s.in = escape
	case c == c1:
		s.in = upper
	case c == '\n' && s.last != '\r':
		return append(kept, '\r', '\n')
	default:
		return append(kept, c)
	}
	return kept
}
