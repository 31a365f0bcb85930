package tools

import (
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/internal/visible"
)

// outputLimit bounds the output of a call, in bytes.
const outputLimit = 64 << 10

// Shown returns a name as [visible.Name] does, for the model and the user.
func Shown(name string) string { return visible.Name(name) }

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
func Count(n int, one, many string) string { return fmt.Sprintf("%d %s", n, plural(n, one, many)) }

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// firstNames returns the first names of a list and how many more there are.
func firstNames(names []string) string {
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
