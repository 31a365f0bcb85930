package search

import (
	"bytes"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// A needle is a text that a match must contain. Where it is missing, the pattern
// need not be tried. Searching for bytes is about fifty times faster than matching.
type needle struct {
	text []byte // lower-case ASCII if fold is set
	fold bool   // ignore case
	rare int    // index in text of its rarest byte
}

// needles are texts of which every match contains at least one. An empty list
// makes no statement.
type needles []needle

// mostNeedles bounds the texts searched for at once. More than that cost more
// than matching.
const mostNeedles = 12

// newNeedles returns the best needles of a pattern.
func newNeedles(re *syntax.Regexp) needles {
	switch re.Op {
	case syntax.OpLiteral:
		return literal(re.Rune, re.Flags&syntax.FoldCase != 0)
	case syntax.OpCapture, syntax.OpPlus:
		return newNeedles(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return newNeedles(re.Sub[0])
		}
	case syntax.OpConcat:
		var best needles
		for _, sub := range re.Sub {
			if n := newNeedles(sub); n.better(best) {
				best = n
			}
		}
		return best
	case syntax.OpAlternate:
		var all needles
		for _, sub := range re.Sub {
			n := newNeedles(sub)
			if len(n) == 0 || len(all)+len(n) > mostNeedles {
				return nil
			}
			all = append(all, n...)
		}
		return all
	}
	return nil
}

// literal returns the needle of a literal. If case is ignored, only its ASCII is
// used: the cases of other letters differ in length.
func literal(runes []rune, fold bool) needles {
	text := string(runes)
	if strings.ContainsRune(text, utf8.RuneError) {
		return nil // it also matches invalid UTF-8
	}
	if fold {
		longest := ""
		for _, run := range strings.FieldsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
			if len(run) > len(longest) {
				longest = run
			}
		}
		text = strings.ToLower(longest)
	}
	if text == "" {
		return nil
	}
	n := needle{text: []byte(text), fold: fold}
	for i := range n.text {
		if rarity(n.text[i]) > rarity(n.text[n.rare]) {
			n.rare = i
		}
	}
	return needles{n}
}

// better reports whether n is faster to search for: its shortest text is longer,
// or it has fewer.
func (n needles) better(than needles) bool {
	if a, b := n.shortest(), than.shortest(); a != b {
		return a > b
	}
	return len(n) < len(than)
}

func (n needles) shortest() int {
	if len(n) == 0 {
		return 0
	}
	short := len(n[0].text)
	for _, x := range n {
		short = min(short, len(x.text))
	}
	return short
}

// ascii reports whether the needles are the same bytes in every encoding that
// extends ASCII.
func (n needles) ascii() bool {
	for _, x := range n {
		for _, b := range x.text {
			if b >= utf8.RuneSelf {
				return false
			}
		}
	}
	return true
}

// The two letters outside ASCII that fold to ASCII letters: the Kelvin sign, a
// "k", and the long "s".
var kelvin, longS = []byte("\u212a"), []byte("\u017f")

// reliable reports whether a match in data must contain a needle. If case is
// ignored, a "k" or an "s" may also be a letter outside ASCII.
func (n needles) reliable(data []byte) bool {
	for _, x := range n {
		if x.fold && bytes.ContainsAny(x.text, "ks") {
			return !bytes.Contains(data, kelvin) && !bytes.Contains(data, longS)
		}
	}
	return true
}

// mayMatch reports whether data may contain a match.
func (n needles) mayMatch(data []byte) bool {
	return len(n) == 0 || !n.reliable(data) || n.hunt(data).next(0) >= 0
}

// A hunt searches a text for needles from front to end.
type hunt []trail

func (n needles) hunt(data []byte) hunt {
	h := make(hunt, len(n))
	for i, x := range n {
		h[i] = newTrail(x, data)
	}
	return h
}

// next returns the first index of a needle at or after from, or -1.
func (h hunt) next(from int) int {
	first := -1
	for i := range h {
		if at := h[i].next(from); at >= 0 && (first < 0 || at < first) {
			first = at
		}
	}
	return first
}

// A trail is the state of the search for one needle. It searches for the needle's
// rarest byte in either case, which the processor does many bytes at a time, and
// keeps both results: a byte that is far away would otherwise be searched for
// again at each step.
type trail struct {
	needle
	data         []byte
	lower, upper byte
	low, up      int // next index of either; len(data) if there is none
	at           int // next index of the needle; len(data) if there is none
}

func newTrail(x needle, data []byte) trail {
	t := trail{needle: x, data: data, lower: x.text[x.rare], low: -1, up: -1, at: -1}
	t.upper = t.lower
	if x.fold && 'a' <= t.lower && t.lower <= 'z' {
		t.upper -= 'a' - 'A'
	}
	if t.upper == t.lower {
		t.up = len(data)
	}
	return t
}

// next returns the first index of the needle at or after from, or -1.
func (t *trail) next(from int) int {
	for t.at < from {
		byteFrom := from + t.rare
		if byteFrom > len(t.data) {
			t.at = len(t.data)
			break
		}
		if t.low < byteFrom {
			t.low = indexFrom(t.data, t.lower, byteFrom)
		}
		if t.up < byteFrom {
			t.up = indexFrom(t.data, t.upper, byteFrom)
		}
		at := min(t.low, t.up) - t.rare
		if at+len(t.text) > len(t.data) {
			t.at = len(t.data)
			break
		}
		if t.is(t.data[at : at+len(t.text)]) {
			t.at = at
			break
		}
		from = at + 1
	}
	if t.at == len(t.data) {
		return -1
	}
	return t.at
}

// is reports whether data, which has the length of the needle, matches it.
func (x needle) is(data []byte) bool {
	if x.fold {
		return equalFold(data, x.text)
	}
	return bytes.Equal(data, x.text)
}

// indexFrom returns the first index of b in data at or after from, or len(data).
func indexFrom(data []byte, b byte, from int) int {
	if i := bytes.IndexByte(data[from:], b); i >= 0 {
		return from + i
	}
	return len(data)
}

// equalFold reports whether data equals a lower-case text of the same length,
// ignoring case.
func equalFold(data, lower []byte) bool {
	for i, b := range data {
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		if b != lower[i] {
			return false
		}
	}
	return true
}

// common lists the bytes of source code from the most to the least frequent, as
// counted in the Go distribution.
const common = " et\tran0si\nox,clfdupm.1/g():bh2\"v=y_4{}36\\8wk597[]*-!zq&+<%;|j'>"

// rarity ranks bytes: the higher, the rarer.
func rarity(b byte) int {
	if i := strings.IndexByte(common, b); i >= 0 {
		return i
	}
	return len(common)
}
