package loop

import (
	"slices"
	"strings"
	"unicode"
)

// line reads a text character by character and tells what is said in it from
// what is code or drawn. It goes by lines, not by the pieces in which the text
// comes, which are cut anywhere.
type line struct {
	held  []rune // the beginning of the line, while its kind is open
	kind  kind
	fence []rune // that opened the code in which the line stands; nil outside of code
}

// kind is what a line is.
type kind int

const (
	open   kind = iota // not known yet
	prose              // said
	marked             // said, as an item of a list, a row, a heading or a quotation
	rule               // drawn
	fence              // the beginning or the end of code
)

// add takes in a character. It gives what is known to be said by now, and
// whether a line or a block begins that has nothing to do with what was before.
func (l *line) add(r rune) (said []rune, anew bool) {
	end := r == '\n'
	if l.kind != open {
		if l.speaks() {
			said = []rune{r}
		}
		if end {
			*l = line{fence: l.fence}
		}
		return said, false
	}
	if !end {
		l.held = append(l.held, r)
	}
	if l.fence != nil {
		l.code(end)
		return nil, false
	}
	if l.kind = kindOf(l.held, end); l.kind == open {
		return nil, false
	}
	switch l.kind {
	case fence:
		l.fence = append([]rune(nil), run(behindMark(trimmed(l.held)))...)
		anew = true
	case marked:
		said, anew = l.held, true
	case rule:
		anew = true
	case prose:
		said = l.held
	case open:
	}
	if end {
		if l.speaks() {
			said = append(said, '\n')
		}
		*l = line{fence: l.fence}
	}
	l.held = nil
	return said, anew
}

// speaks says whether the rest of the line is said too.
func (l *line) speaks() bool { return l.kind == prose || l.kind == marked }

// code takes in a line of code, and ends the code when that line says so: it is
// a fence like the one that opened it, at least as long, and nothing else.
func (l *line) code(end bool) {
	if !end {
		if len(l.held) > remembered { // it is no fence, however it ends
			l.held = l.held[:remembered]
		}
		return
	}
	text := []rune(strings.TrimSpace(string(l.held)))
	if len(text) >= len(l.fence) && text[0] == l.fence[0] && len(run(text)) == len(text) {
		l.fence = nil
	}
	l.held = nil
}

// kindOf is what a line is that begins so; whole says that it ends there too. A
// rule that is longer than what is remembered is no rule but a loop.
func kindOf(held []rune, whole bool) kind {
	text := trimmed(held)
	if len(held) > remembered {
		return prose
	}
	if len(text) == 0 {
		return either(whole, prose)
	}
	n := len(run(text))
	switch first := text[0]; {
	case first == '`' || first == '~':
		if n == len(text) && !whole {
			return open
		}
		if n >= 3 {
			return fence
		}
		return prose
	case first == '|', first == '>', first == '•':
		return marked
	case first == '#':
		if n == len(text) {
			return either(whole, prose)
		}
		return markedIf(unicode.IsSpace(text[n]))
	case unicode.IsDigit(first):
		return numbered(text, whole)
	case strings.ContainsRune("-*+", first) && len(text) == 1:
		return either(whole, rule)
	case strings.ContainsRune("-*+", first) && unicode.IsSpace(text[1]):
		return item(behindMark(text), whole)
	}
	if strings.TrimFunc(string(text), drawn) == "" {
		return either(whole, rule)
	}
	return prose
}

// numbered tells an item of a numbered list from a sentence that begins with a
// number.
func numbered(text []rune, whole bool) kind {
	n := 0
	for n < len(text) && unicode.IsDigit(text[n]) {
		n++
	}
	switch {
	case n == len(text):
		return either(whole, prose)
	case text[n] != '.' && text[n] != ')':
		return prose
	case n+1 == len(text):
		return either(whole, marked)
	}
	if !unicode.IsSpace(text[n+1]) {
		return prose
	}
	return item(behindMark(text), whole)
}

// item is what an item of a list is, by what stands behind its mark: it may
// begin with code.
func item(text []rune, whole bool) kind {
	if len(text) == 0 {
		return either(whole, marked)
	}
	if k := kindOf(text, whole); (text[0] == '`' || text[0] == '~') && k != prose {
		return k
	}
	return marked
}

// behindMark is a line, without its indentation, behind the mark of a list if it
// begins with one.
func behindMark(text []rune) []rune {
	if n := slices.IndexFunc(text, unicode.IsSpace); n > 0 && strings.Trim(string(text[:n]), "-*+.)0123456789") == "" {
		return trimmed(text[n:])
	}
	return text
}

// drawn says whether a character is one that rules and borders are drawn with.
func drawn(r rune) bool {
	return strings.ContainsRune("+-_=*| \t\r", r) || r >= 0x2500 && r <= 0x257f
}

func markedIf(is bool) kind {
	if is {
		return marked
	}
	return prose
}

// either is k for a whole line; otherwise what comes decides.
func either(whole bool, k kind) kind {
	if whole {
		return k
	}
	return open
}

// trimmed is a line without its indentation.
func trimmed(held []rune) []rune {
	for i, r := range held {
		if !unicode.IsSpace(r) {
			return held[i:]
		}
	}
	return nil
}

// run is how often a text, which is not empty, begins with its first character.
func run(text []rune) []rune {
	for i, r := range text {
		if r != text[0] {
			return text[:i]
		}
	}
	return text
}
