package tools

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/internal/visible"
)

// outputLimit bounds the output of a call, in bytes.
const outputLimit = 64 << 10

// Shown returns a name as it is shown to the model and the user, on one line and
// with hidden characters escaped. A file may have any name: with a line end it
// could pass for our output, with a bidirectional control for another name.
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

// Lines collects output and stops at a whole line before the limit, with room for
// a note that says so.
type Lines struct {
	s    strings.Builder
	Full bool
}

// noteRoom is how many bytes are reserved for notes around the lines.
const noteRoom = 2 << 10

// Add appends a line, unless it or a line before it did not fit.
func (l *Lines) Add(line string) bool {
	if l.Full || l.s.Len()+len(line)+1 > outputLimit-noteRoom {
		l.Full = true
		return false
	}
	l.s.WriteString(line)
	l.s.WriteByte('\n')
	return true
}

// String returns the lines.
func (l *Lines) String() string { return l.s.String() }

// Count returns a number with its noun.
func Count(n int, one, many string) string {
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

// some returns the first names of a list and how many more there are.
func some(names []string) string {
	const most = 3
	text := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// mostNotes is how many notes a result lists one by one.
const mostNotes = 5

// notes returns what is missing in a result, one parenthesised line each.
func notes(gaps []string) string {
	var s strings.Builder
	for i, gap := range gaps {
		if i == mostNotes {
			fmt.Fprintf(&s, "(and %d more)\n", len(gaps)-i)
			break
		}
		note, _ := visible.Clip(Shown(gap), 300)
		fmt.Fprintf(&s, "(%s)\n", note)
	}
	return s.String()
}

// ShownLine returns a text as one line of at most n characters, with hidden
// characters escaped.
func ShownLine(s string, n int) string { return visible.Short(Shown(visible.OneLine(s)), n) }
