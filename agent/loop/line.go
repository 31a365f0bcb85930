package loop

import (
	"slices"
	"strings"
	"unicode"
)

// line reads a text character by character and separates prose from code and rules. It
// works on lines, since the pieces in which a text arrives are cut anywhere.
type line struct {
	held  []rune // the start of the line, until its kind is known
	kind  kind
	fence []rune // that opened the current code block; nil outside of code
}

// kind is the kind of a line.
type kind int

const (
	open   kind = iota // not known yet
	prose              // plain text
	marked             // prose in a list item, table row, heading or quotation
	rule               // drawn
	fence              // the beginning or the end of code
)

// add reads a character. It returns the characters now known to be prose, and whether a
// line or block begins that is independent of the text before it.
func (l *line) add(r rune) (said []rune, fresh bool) {
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
		fresh = true
	case marked:
		said, fresh = l.held, true
	case rule:
		fresh = true
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
	return said, fresh
}

// speaks reports whether the rest of the line is prose too.
func (l *line) speaks() bool { return l.kind == prose || l.kind == marked }

// code reads a line of code. The code ends with a line that has only a fence like the
// opening one, at least as long.
func (l *line) code(end bool) {
	if !end {
		if len(l.held) > remembered { // too long for a fence
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

// kindOf returns the kind of a line that begins with text; whole means that text is the
// whole line. A rule longer than what is remembered counts as a loop.
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

// numbered distinguishes an item of a numbered list from a sentence that begins with a
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

// item returns the kind of a list item by the text after its mark, which may start
// code.
func item(text []rune, whole bool) kind {
	if len(text) == 0 {
		return either(whole, marked)
	}
	if k := kindOf(text, whole); (text[0] == '`' || text[0] == '~') && k != prose {
		return k
	}
	return marked
}

// behindMark returns a line without indentation and without a list mark.
func behindMark(text []rune) []rune {
	if n := slices.IndexFunc(text, unicode.IsSpace); n > 0 && strings.Trim(string(text[:n]), "-*+.)0123456789") == "" {
		return trimmed(text[n:])
	}
	return text
}

// drawn reports whether rules and borders are drawn with the character.
func drawn(r rune) bool {
	return strings.ContainsRune("+-_=*| \t\r", r) || r >= 0x2500 && r <= 0x257f
}

func markedIf(is bool) kind {
	if is {
		return marked
	}
	return prose
}

// either returns k for a whole line; otherwise the rest of the line decides.
func either(whole bool, k kind) kind {
	if whole {
		return k
	}
	return open
}

// trimmed returns a line without its indentation.
func trimmed(held []rune) []rune {
	for i, r := range held {
		if !unicode.IsSpace(r) {
			return held[i:]
		}
	}
	return nil
}

// run returns how many times a non-empty text repeats its first character at its start.
func run(text []rune) []rune {
	for i, r := range text {
		if r != text[0] {
			return text[:i]
		}
	}
	return text
}
