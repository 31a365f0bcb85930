package match

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// slips records how the model garbled characters, learned from the differences
// between its old text and the file. The same is corrected in what it adds.
type slips struct {
	typed  map[string]string // from the model's quote or dash to the file's ASCII one
	own    map[string]bool   // such characters of the file, with a neighbour
	spaces bool              // no-break spaces instead of plain ones
	tails  bool              // trailing white space that the file does not have
	form   *norm.Form        // the file's normal form, if the model's differs
	narrow bool              // full-width letters instead of the file's usual ones
}

// learn compares a line of the model with the file's. Their folded tokens are equal.
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

// class returns all characters that are used for the same ASCII one as c.
func class(c string) string {
	for _, all := range []string{doubleQuotes, singleQuotes, dashes, "\u2026"} {
		if strings.Contains(all, c) {
			return all
		}
	}
	return ""
}

// changed returns the file's line f with the change from o to n. Tokens in both, and
// white space that did not change, keep the file's bytes.
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
			gap := s.spacing(t.gap)
			switch p := to[j-1]; {
			case p >= 0 && i < 0 && kept[p+1]: // inserted: the gap there belongs to what follows
			case p >= 0 && p+1 < len(o.tokens) && o.tokens[p+1].gap == t.gap:
				gap = f.tokens[p+1].gap
			case i > 0 && o.tokens[i].gap == t.gap:
				gap = f.tokens[i].gap
			}
			if gap == "" && t.gap != "" && wouldMerge(n.tokens[j-1], t) {
				gap = t.gap
			}
			b.WriteString(gap)
		}
		switch {
		case i < 0:
			b.WriteString(s.token(n, j))
		case o.tokens[i].text == f.tokens[i].text:
			b.WriteString(t.text) // the model changed it on purpose
		default:
			b.WriteString(f.tokens[i].text)
		}
	}
	if o.tail == n.tail && o.key == n.key {
		return b.String() + f.tail
	}
	return b.String() + s.trailing(n.tail)
}

// added returns a line that is new to the file, without its indent.
func (s *slips) added(n parsed) string {
	var b strings.Builder
	for j, t := range n.tokens {
		b.WriteString(s.spacing(t.gap) + s.token(n, j))
	}
	return b.String() + s.trailing(n.tail)
}

// token returns token j of a line of the model, corrected.
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

func (s *slips) spacing(gap string) string {
	if s.spaces {
		return plainSpaces(gap)
	}
	return gap
}

func (s *slips) trailing(tail string) string {
	if s.tails {
		return ""
	}
	return s.spacing(tail)
}

// plainSpaces replaces every kind of space but tabs by a plain one and removes
// invisible characters.
func plainSpaces(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '\t', ' ', '\r', '\f', '\v':
			return r
		case '\u200b', '\u2060', '\ufeff':
			return -1
		}
		if isVariation(r) {
			return r
		}
		return ' '
	}, s)
}

// wouldMerge reports whether two tokens without a space between them become one, or another
// operator.
func wouldMerge(a, b token) bool {
	return a.word && b.word || operators[a.key+b.key]
}

func tokenKeys(p parsed) []string {
	keys := make([]string, len(p.tokens))
	for i, t := range p.tokens {
		keys[i] = t.key
	}
	return keys
}
