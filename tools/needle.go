package tools

import (
	"bytes"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// A needle is a text that a match must hold: where none is, the pattern need
// not be tried. To look for bytes is some fifty times faster than to match.
type needle struct {
	text []byte // in lower case when fold is set, and then of ASCII alone
	fold bool   // upper and lower case are the same
	rare int    // where in text its rarest byte is
}

// needles are texts of which every match holds at least one; an empty list
// says nothing.
type needles []needle

// mostNeedles is how many texts are looked for at once; looking for more costs
// more than matching.
const mostNeedles = 12

// newParts finds what every match of a pattern must hold all of, one after the
// other. Looking for the parts that are no needle tells of most lines that they
// cannot match, and of most files.
func newParts(re *syntax.Regexp) []needles {
	switch re.Op {
	case syntax.OpCapture:
		return newParts(re.Sub[0])
	case syntax.OpConcat:
		var l []needles
		for _, sub := range re.Sub {
			l = append(l, newParts(sub)...)
		}
		return l
	}
	if n := newNeedles(re); len(n) > 0 {
		return []needles{n}
	}
	return nil
}

// newNeedles finds what every match of a pattern must hold.
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

// literal is the needle of a literal. Without case only ASCII is looked for:
// other letters have cases of other lengths.
func literal(runes []rune, fold bool) needles {
	text := string(runes)
	if strings.ContainsRune(text, utf8.RuneError) {
		return nil // it matches bytes that are no UTF-8, too
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

// better says whether n is the faster to look for: its shortest text is
// longer, or it has fewer.
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

// ascii says whether the needles look the same in every encoding that extends
// ASCII.
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

// The two letters outside ASCII that are cases of letters inside: the sign of
// the kelvin, a "k", and the long "s".
var kelvin, longS = []byte("\u212a"), []byte("\u017f")

// reliable says whether a match in data must hold a needle: a "k" or an "s"
// that is looked for without case may be written with a letter outside ASCII.
func (n needles) reliable(data []byte) bool {
	for _, x := range n {
		if x.fold && bytes.ContainsAny(x.text, "ks") {
			return !bytes.Contains(data, kelvin) && !bytes.Contains(data, longS)
		}
	}
	return true
}

// in says whether a match may be anywhere in data.
func (n needles) in(data []byte) bool {
	return len(n) == 0 || !n.reliable(data) || n.hunt(data).next(0) >= 0
}

// A hunt looks for needles from the front of a text to its end.
type hunt []trail

func (n needles) hunt(data []byte) hunt {
	h := make(hunt, len(n))
	for i, x := range n {
		h[i] = newTrail(x, data)
	}
	return h
}

// next is the first place of a needle at or after from, or -1.
func (h hunt) next(from int) int {
	first := -1
	for i := range h {
		if at := h[i].next(from); at >= 0 && (first < 0 || at < first) {
			first = at
		}
	}
	return first
}

// A trail is how far one needle was looked for. Its rarest byte, in either
// case, is looked for alone, which the processor does many bytes at a time;
// what was seen is kept, for a byte that is far away would be looked for anew
// at each step.
type trail struct {
	needle
	data         []byte
	lower, upper byte
	low, up      int // the next place of either; len(data) when there is none
	at           int // the next place of the needle; len(data) when there is none
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

// next is the first place of the needle at or after from, or -1.
func (t *trail) next(from int) int {
	for t.at < from {
		byteFrom := from + t.rare
		if byteFrom > len(t.data) {
			t.at = len(t.data)
			break
		}
		if t.low < byteFrom {
			t.low = seek(t.data, t.lower, byteFrom)
		}
		if t.up < byteFrom {
			t.up = seek(t.data, t.upper, byteFrom)
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

// is compares the needle with bytes of the same length.
func (x needle) is(data []byte) bool {
	if x.fold {
		return equalFold(data, x.text)
	}
	return bytes.Equal(data, x.text)
}

// seek is the first place of b in data at or after from, or its length.
func seek(data []byte, b byte, from int) int {
	if i := bytes.IndexByte(data[from:], b); i >= 0 {
		return from + i
	}
	return len(data)
}

// equalFold compares bytes with a lower-case text of the same length.
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

// common is the bytes of source code from the most to the least frequent, as
// counted in the Go distribution.
const common = " et\tran0si\nox,clfdupm.1/g():bh2\"v=y_4{}36\\8wk597[]*-!zq&+<%;|j'>"

// rarity ranks bytes: the higher, the fewer there are.
func rarity(b byte) int {
	if i := strings.IndexByte(common, b); i >= 0 {
		return i
	}
	return len(common)
}
