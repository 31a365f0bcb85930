package match

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// typography searches for old, which may be part of a line, where only typography
// differs: quotes, dashes, kinds of spaces, the width of letters. What old and new
// share keeps the file's bytes.
func (t *target) typography(r reading, multiple bool) (Found, error) {
	text, at := foldText(t.text)
	old, oldAt := foldText(r.old)
	if isBlank(old) {
		return Found{}, nil
	}
	var places []int
	for from := 0; len(places) <= maxPlaces || multiple; {
		i := strings.Index(text[from:], old)
		if i < 0 {
			break
		}
		p := from + i
		if !inChar(at, p) && !inChar(at, p+len(old)) {
			places = append(places, p)
			from = p + len(old)
			continue
		}
		from = p + 1
	}
	if len(places) > 1 && !multiple {
		nos := make([]int, len(places))
		for i, p := range places {
			nos[i] = t.lineOf(at[p])
		}
		return Found{}, t.refuseMany(nos, strings.Count(strings.TrimSuffix(old, "\n"), "\n")+1)
	}
	new, newAt := foldText(r.new)
	head := commonStart(old, new)
	tail := commonEnd(old[head:], new[head:])
	var edits []Edit
	for _, p := range places {
		head, tail := head, tail
		for inChar(at, p+head) || inChar(oldAt, head) || inChar(newAt, head) {
			head--
		}
		for inChar(at, p+len(old)-tail) || inChar(oldAt, len(old)-tail) || inChar(newAt, len(new)-tail) {
			tail--
		}
		a, b := at[p], at[p+len(old)]
		meant := map[rune]bool{} // characters of the model that are plain in the file
		for i := 0; i < len(old); {
			_, size := utf8.DecodeRuneInString(old[i:])
			theirs, mine := r.old[oldAt[i]:oldAt[i+size]], t.text[at[p+i]:at[p+i+size]]
			if c, _ := utf8.DecodeRuneInString(theirs); mine == old[i:i+size] && theirs != mine {
				meant[c] = true
			}
			i += size
		}
		var middle strings.Builder
		for _, c := range r.new[newAt[head]:newAt[len(new)-tail]] {
			if meant[c] {
				middle.WriteString(foldChar(c))
			} else {
				middle.WriteRune(c)
			}
		}
		edits = append(edits, Edit{A: a, B: b, Text: t.text[a:at[p+head]] + t.withEnds(a, b, withLineFeeds(middle.String())) + t.text[at[p+len(old)-tail]:b]})
	}
	return t.withoutNoOps(edits, "old_string was matched although its typography differs from the file's")
}

// inChar reports whether an offset of a folded text is inside what one character of
// the text became. at are the offsets in the text.
func inChar(at []int, i int) bool { return i > 0 && i < len(at) && at[i] == at[i-1] }

// foldText folds a text rune by rune. It returns for each byte of the result, and
// for its end, the offset in the text.
func foldText(s string) (folded string, at []int) {
	var b strings.Builder
	for i, r := range s {
		if r == '\r' && strings.HasPrefix(s[i+1:], "\n") {
			continue
		}
		var plain string
		if r == utf8.RuneError {
			_, size := utf8.DecodeRuneInString(s[i:])
			plain = s[i : i+size]
		} else {
			plain = foldChar(r)
		}
		for range len(plain) {
			at = append(at, i)
		}
		b.WriteString(plain)
	}
	return b.String(), append(at, len(s))
}

// foldChar returns the plain form of a character; it is empty for invisible ones.
func foldChar(r rune) string {
	switch {
	case r < utf8.RuneSelf:
		return string(r)
	case invisible(r):
		return ""
	case isSpace(r):
		return " "
	}
	return foldWidth(foldRune(r, string(r)))
}

// foldWidth replaces full-width and half-width characters by their usual forms.
func foldWidth(s string) string { return width.Fold.String(s) }

// commonStart returns the length of the common prefix of two texts, in whole
// characters.
func commonStart(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && (n < len(a) && !utf8.RuneStart(a[n]) || n < len(b) && !utf8.RuneStart(b[n])) {
		n--
	}
	return n
}

// commonEnd is commonStart for the common suffix.
func commonEnd(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	for n > 0 && !utf8.RuneStart(a[len(a)-n]) {
		n--
	}
	return n
}
