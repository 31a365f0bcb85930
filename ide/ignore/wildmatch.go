package ignore

import "strings"

// outcome is the result of a match. The last two end a search early: no other
// position of the star in question can match, or only one of a "**" can.
type outcome int

const (
	matched outcome = iota
	unmatched
	hopeless
	starHopeless
)

// budget bounds the steps of a match. No useful pattern comes near it; one that was
// written to cause a hang matches nothing.
const budget = 1 << 15

// wild matches text as git's wildmatch does, byte by byte. With pathname, only
// "**" between slashes matches a slash.
type wild struct {
	pattern, text string
	pathname      bool
	steps         int
}

func wildmatch(pattern, text string, pathname bool) bool {
	w := wild{pattern: pattern, text: text, pathname: pathname}
	return w.match(0, 0) == matched
}

// byteAt returns s[i], or 0 past the end, which is in no pattern and no name.
func byteAt(s string, i int) byte {
	if i < len(s) {
		return s[i]
	}
	return 0
}

// match compares the pattern from p with the text from t.
func (w *wild) match(p, t int) outcome {
	for ; p < len(w.pattern); p, t = p+1, t+1 {
		if w.steps++; w.steps > budget {
			return hopeless
		}
		c := w.pattern[p]
		if t >= len(w.text) && c != '*' {
			return hopeless
		}
		switch c {
		case '?':
			if w.pathname && w.text[t] == '/' {
				return unmatched
			}
		case '[':
			end, in, ok := class(w.pattern, p, w.text[t])
			if !ok {
				return hopeless
			}
			if !in || w.pathname && w.text[t] == '/' {
				return unmatched
			}
			p = end
		case '*':
			next, at, done := w.stars(p, t)
			if at < 0 {
				return done
			}
			p, t = next, at
		case '\\':
			p++
			c = byteAt(w.pattern, p)
			fallthrough
		default:
			if w.text[t] != c {
				return unmatched
			}
		}
	}
	if t < len(w.text) {
		return unmatched
	}
	return matched
}

// stars matches the rest of the pattern, which begins with a star, and returns the
// outcome with at -1. Only for "*/" it returns the positions of both slashes.
func (w *wild) stars(p, t int) (next, at int, done outcome) {
	first, slashes := p, !w.pathname
	p++
	if byteAt(w.pattern, p) == '*' {
		for byteAt(w.pattern, p) == '*' {
			p++
		}
		rest := w.pattern[p:]
		whole := rest == "" || rest[0] == '/' || strings.HasPrefix(rest, `\/`)
		if w.pathname && whole && (first == 0 || w.pattern[first-1] == '/') {
			// "a/**/b" matches "a/b" too.
			if rest != "" && rest[0] == '/' && w.match(p+1, t) == matched {
				return 0, -1, matched
			}
			slashes = true
		}
	}
	if p == len(w.pattern) {
		if !slashes && strings.IndexByte(w.text[t:], '/') >= 0 {
			return 0, -1, starHopeless
		}
		return 0, -1, matched
	}
	if !slashes && w.pattern[p] == '/' {
		i := strings.IndexByte(w.text[t:], '/')
		if i < 0 {
			return 0, -1, hopeless
		}
		return p, t + i, 0
	}
	return 0, -1, w.search(p, t, slashes)
}

// search tries the pattern from p at every position from t that a star in front of
// it can reach.
func (w *wild) search(p, t int, slashes bool) outcome {
	literal := w.pattern[p]
	for ; t < len(w.text); t++ {
		if !special(literal) {
			for t < len(w.text) && w.text[t] != literal && (slashes || w.text[t] != '/') {
				t++
			}
			if byteAt(w.text, t) != literal {
				if slashes {
					return hopeless
				}
				return starHopeless
			}
		}
		switch o := w.match(p, t); {
		case o != unmatched:
			if !slashes || o != starHopeless {
				return o
			}
		case !slashes && w.text[t] == '/':
			return starHopeless
		}
	}
	return hopeless
}

func special(c byte) bool { return c == '*' || c == '?' || c == '[' || c == '\\' }

// class reports whether c is in the bracket expression that begins at p, and where
// that ends. ok is false if the expression does not end.
func class(pattern string, p int, c byte) (end int, in, ok bool) {
	p++
	negated := byteAt(pattern, p) == '!' || byteAt(pattern, p) == '^'
	if negated {
		p++
	}
	var from byte // start of a range, or 0 if none can begin here
	for first := true; first || byteAt(pattern, p) != ']'; first = false {
		this := byteAt(pattern, p)
		switch {
		case this == 0:
			return 0, false, false
		case this == '\\':
			p++
			if this = byteAt(pattern, p); this == 0 {
				return 0, false, false
			}
			in = in || c == this
		case this == '-' && from != 0 && p+1 < len(pattern) && pattern[p+1] != ']':
			p++
			if this = pattern[p]; this == '\\' {
				p++
				if this = byteAt(pattern, p); this == 0 {
					return 0, false, false
				}
			}
			in = in || from <= c && c <= this
			this = 0
		case this == '[' && byteAt(pattern, p+1) == ':':
			length := strings.IndexByte(pattern[p+2:], ']')
			if length < 0 {
				return 0, false, false
			}
			name, named := strings.CutSuffix(pattern[p+2:p+2+length], ":")
			if !named { // an ordinary "["
				in = in || c == this
				break
			}
			member, known := classes[name]
			if !known {
				return 0, false, false
			}
			in = in || member(c)
			p += 2 + length
			this = 0
		default:
			in = in || c == this
		}
		from = this
		p++
	}
	return p, in != negated, true
}

// classes are the named character classes, for ASCII and with git's white space.
var classes = map[string]func(byte) bool{
	"alnum":  func(c byte) bool { return letter(c) || digit(c) },
	"alpha":  letter,
	"blank":  func(c byte) bool { return c == ' ' || c == '\t' },
	"cntrl":  func(c byte) bool { return c < ' ' || c == 0x7f },
	"digit":  digit,
	"graph":  func(c byte) bool { return '!' <= c && c <= '~' },
	"lower":  func(c byte) bool { return 'a' <= c && c <= 'z' },
	"print":  func(c byte) bool { return ' ' <= c && c <= '~' },
	"punct":  func(c byte) bool { return '!' <= c && c <= '~' && !letter(c) && !digit(c) },
	"space":  func(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' },
	"upper":  func(c byte) bool { return 'A' <= c && c <= 'Z' },
	"xdigit": func(c byte) bool { return digit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' },
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func digit(c byte) bool { return '0' <= c && c <= '9' }
