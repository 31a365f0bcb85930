package match

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// slips is what is known of how the model garbled characters, from where its
// old text and the file's differ: the same is mended in what it adds.
type slips struct {
	typed  map[string]string // a quote or dash of the model's to the file's ASCII one
	own    map[string]bool   // such characters with their neighbour, as the file has them
	spaces bool              // no-break spaces stood for plain ones
	tails  bool              // lines ended in white space that the file has not
	form   *norm.Form        // the file's normal form where the model's is another
	narrow bool              // letters were written in full width that the file has in the usual one
}

// learn compares a line of the model's with the file's; their tokens are the
// same but for folding.
func (s *slips) learn(o, f parsed) {
	if s.typed == nil {
		s.typed, s.own = map[string]string{}, map[string]bool{}
	}
	s.tails = s.tails || o.tail != "" && f.tail == ""
	s.spaces = s.spaces || o.odd && plainSpaces(f.indent) == f.indent
	for i, t := range o.tokens {
		g := f.tokens[i]
		s.spaces = s.spaces || plainSpaces(t.gap) != t.gap && plainSpaces(g.gap) == g.gap
		switch {
		case t.text == g.text:
		case foldWidth(t.text) == g.text:
			s.narrow = true
		case t.word && norm.NFC.IsNormalString(g.text):
			s.form = new(norm.NFC)
		case t.word && norm.NFD.IsNormalString(g.text):
			s.form = new(norm.NFD)
		case g.text == g.key: // the file's is ASCII
			for _, r := range class(t.text) {
				s.typed[string(r)] = g.text
			}
		}
		if g.text != g.key && !g.word {
			if i > 0 {
				s.own[f.tokens[i-1].text+g.text] = true
			}
			if i+1 < len(f.tokens) {
				s.own[g.text+f.tokens[i+1].text] = true
			}
		}
	}
}

// class is all characters that are written for the same ASCII one as c.
func class(c string) string {
	for _, all := range []string{doubleQuotes, singleQuotes, dashes} {
		if strings.Contains(all, c) {
			return all
		}
	}
	return ""
}

// changed is the file's line f with the change from o to n: tokens that both
// have, and the white space that stood as it stands, keep the file's bytes.
func (s *slips) changed(f, o, n parsed) string {
	to := align(tokenKeys(o), tokenKeys(n))
	kept := make([]bool, len(o.tokens)+1)
	for _, i := range to {
		if i >= 0 {
			kept[i] = true
		}
	}
	var b strings.Builder
	for j, t := range n.tokens {
		i := to[j]
		if j > 0 {
			gap := s.gap(t.gap)
			switch p := to[j-1]; {
			case p >= 0 && i < 0 && kept[p+1]: // it is inserted: the gap there belongs to what follows
			case p >= 0 && p+1 < len(o.tokens) && o.tokens[p+1].gap == t.gap:
				gap = f.tokens[p+1].gap
			case i > 0 && o.tokens[i].gap == t.gap:
				gap = f.tokens[i].gap
			}
			if gap == "" && t.gap != "" && fuse(n.tokens[j-1], t) {
				gap = t.gap
			}
			b.WriteString(gap)
		}
		switch {
		case i < 0:
			b.WriteString(s.token(n, j))
		case o.tokens[i].text == f.tokens[i].text:
			b.WriteString(t.text) // what the model wrote otherwise, it meant
		default:
			b.WriteString(f.tokens[i].text)
		}
	}
	if o.tail == n.tail && o.key == n.key {
		return b.String() + f.tail
	}
	return b.String() + s.tail(n.tail)
}

// added is a line that the file has nothing of, without its indent.
func (s *slips) added(n parsed) string {
	var b strings.Builder
	for j, t := range n.tokens {
		b.WriteString(s.gap(t.gap) + s.token(n, j))
	}
	return b.String() + s.tail(n.tail)
}

// token is token j of a line of the model's, mended.
func (s *slips) token(n parsed, j int) string {
	t := n.tokens[j]
	if s.narrow {
		t.text = foldWidth(t.text)
	}
	if t.word {
		if s.form != nil {
			return s.form.String(t.text)
		}
		return t.text
	}
	to, ok := s.typed[t.text]
	switch {
	case !ok,
		j > 0 && s.own[n.tokens[j-1].text+t.text],
		j+1 < len(n.tokens) && s.own[t.text+n.tokens[j+1].text]:
		return t.text
	}
	return to
}

func (s *slips) gap(gap string) string {
	if s.spaces {
		return plainSpaces(gap)
	}
	return gap
}

func (s *slips) tail(tail string) string {
	if s.tails {
		return ""
	}
	return s.gap(tail)
}

// plainSpaces writes every kind of space but a tab as a plain one, and leaves
// out what shows as nothing.
func plainSpaces(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '\t', ' ', '\r', '\f', '\v':
			return r
		case '\u200b', '\u2060', '\ufeff':
			return -1
		}
		return ' '
	}, s)
}

// fuse says whether two tokens become one, or another operator, when nothing
// stands between them.
func fuse(a, b token) bool {
	return a.word && b.word || operators[a.key+b.key]
}

func tokenKeys(p parsed) []string {
	keys := make([]string, len(p.tokens))
	for i, t := range p.tokens {
		keys[i] = t.key
	}
	return keys
}
