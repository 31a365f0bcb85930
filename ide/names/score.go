package names

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Query is what the user has typed of a name.
type Query struct {
	text string // in lower case
	path bool   // it names folders too
}

// NewQuery returns the query for a text. The empty one matches every name.
func NewQuery(text string) Query {
	text = strings.ToLower(text)
	return Query{text, strings.Contains(text, "/")}
}

// Scores of the ways in which a name matches, the best first. What a name loses for
// its length and depth is less than the difference between two of them.
const (
	whole       = 1000 // the last element, with or without its extension
	begins      = 900  // the last element or, with a slash in the query, the path
	beginsWord  = 800  // a word of the last element
	endsPath    = 700  // the path ends with the query
	inName      = 600  // the last element
	inPath      = 500
	spreadName  = 400 // its characters are in the last element, in order
	spreadPath  = 200
	spreadRange = 150 // by which a spread match can be better or worse
	mostLost    = 90
)

// Score reports whether a name matches and how well; more is better.
func (q Query) Score(n *Name) (int, bool) {
	lost := min(n.depth()*10+len(n.lower)/8, mostLost)
	if q.text == "" {
		return -lost, true
	}
	s, ok := q.match(n)
	return s - lost, ok
}

// match is Score without what is lost for length and depth.
func (q Query) match(n *Name) (int, bool) {
	base := n.lower[n.base:]
	switch {
	case q.path && strings.HasPrefix(n.lower, q.text):
		return begins, true
	case q.path && strings.HasSuffix(n.lower, "/"+q.text):
		return endsPath, true
	case q.path && strings.Contains(n.lower, q.text):
		return inPath, true
	case q.path:
		return q.spread(n, 0, spreadPath)
	case base == q.text || withoutExtension(base) == q.text:
		return whole, true
	case strings.HasPrefix(base, q.text):
		return begins, true
	}
	if at := strings.Index(base, q.text); at >= 0 {
		for ; at >= 0 && at < len(base); at = next(base, q.text, at) {
			if n.wordAt(n.base + at) {
				return beginsWord, true
			}
		}
		return inName, true
	}
	if strings.Contains(n.lower, q.text) {
		return inPath, true
	}
	if s, ok := q.spread(n, n.base, spreadName); ok {
		return s, true
	}
	return q.spread(n, 0, spreadPath)
}

// next returns the offset of the next occurrence of s behind at, or -1.
func next(text, s string, at int) int {
	i := strings.Index(text[at+1:], s)
	if i < 0 {
		return -1
	}
	return at + 1 + i
}

// withoutExtension returns a name without its extension.
func withoutExtension(base string) string {
	if dot := strings.LastIndexByte(base, '.'); dot > 0 {
		return base[:dot]
	}
	return base
}

// spread scores a name whose characters from an offset on include those of the
// query, in order. It takes the shortest piece that ends where the first match ends.
// Beginnings of words make it better, and gaps worse.
func (q Query) spread(n *Name, from, score int) (int, bool) {
	text, k := n.lower, 0
	end := from
	for ; end < len(text) && k < len(q.text); end++ {
		if text[end] == q.text[k] {
			k++
		}
	}
	if k < len(q.text) {
		return 0, false
	}
	start, words := end, 0
	for k > 0 {
		start--
		if text[start] == q.text[k-1] {
			k--
			if n.wordAt(start) {
				words++
			}
		}
	}
	gaps := end - start - len(q.text)
	return score + max(min(15*words-3*gaps, spreadRange/2), -spreadRange/2), true
}

// wordAt reports whether a word begins at an offset of lower: behind a character
// that is neither letter nor digit, or where small letters are followed by a capital.
func (n *Name) wordAt(at int) bool {
	if at == 0 {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(n.lower[:at])
	if !unicode.IsLetter(before) && !unicode.IsDigit(before) {
		return true
	}
	if len(n.Rel) != len(n.lower) { // lower case has other lengths: offsets differ
		return false
	}
	this, _ := utf8.DecodeRuneInString(n.Rel[at:])
	before, _ = utf8.DecodeLastRuneInString(n.Rel[:at])
	return unicode.IsUpper(this) && !unicode.IsUpper(before)
}
