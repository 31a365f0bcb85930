package tools

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/internal/visible"
)

// outputLimit is how many bytes of a result the model reads at most.
const outputLimit = 64 << 10

// Shown writes a name on one line: a file may be called anything, and a name
// that holds a line end could pass for output of ours, or, with a character
// that turns the direction of writing, for another name.
func Shown(name string) string {
	plain := func(r rune) bool {
		return r == ' ' || r != utf8.RuneError && unicode.IsGraphic(r) && !unicode.IsSpace(r) && !visible.Hidden(r)
	}
	if strings.IndexFunc(name, func(r rune) bool { return !plain(r) }) < 0 {
		return name
	}
	var s strings.Builder
	for len(name) > 0 {
		r, size := utf8.DecodeRuneInString(name)
		if plain(r) {
			s.WriteString(name[:size])
		} else {
			q := strconv.QuoteToASCII(name[:size])
			s.WriteString(q[1 : len(q)-1])
		}
		name = name[size:]
	}
	return s.String()
}

// lines is output that is cut at the end of a line when it grows past the
// limit; room for the words that tell so is kept.
type lines struct {
	s    strings.Builder
	full bool
}

// noteRoom is how many bytes are kept for what is said around the lines.
const noteRoom = 2 << 10

// add writes one line, unless it or a line before it did not fit.
func (l *lines) add(line string) bool {
	if l.full || l.s.Len()+len(line)+1 > outputLimit-noteRoom {
		l.full = true
		return false
	}
	l.s.WriteString(line)
	l.s.WriteByte('\n')
	return true
}

// count is a number of things in words.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// some names the first of a list, and says how many more there are.
func some(names []string) string {
	const most = 3
	text := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// mostNotes is how many gaps of one result are told one by one.
const mostNotes = 5

// notes tells of what is missing in a result, one line each.
func notes(gaps []string) string {
	var s strings.Builder
	for i, gap := range gaps {
		if i == mostNotes {
			fmt.Fprintf(&s, "(and %d more like it)\n", len(gaps)-i)
			break
		}
		note, _ := visible.Clip(Shown(gap), 300)
		fmt.Fprintf(&s, "(%s)\n", note)
	}
	return s.String()
}
