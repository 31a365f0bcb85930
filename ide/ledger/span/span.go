// Package span finds spans of whole lines in texts, and what of a text a change by an editor
// changes.
package span

import (
	"strings"

	"github.com/emendo-dev/emendo/ide"
)

// Tight splits a splice that replaces more than it changes, such as that of an
// editor that sends one range for several edits, or the whole text.
func Tight(before *ide.Text, s ide.Splice) []ide.Splice {
	return slid(before, s.Trim(before)).ByLine(before)
}

// slid moves an insertion or deletion to the start of a line if the result is the
// same: inserting "y\nx" after an x is inserting "xy\n" before it.
func slid(before *ide.Text, s ide.Splice) ide.Splice {
	text, moved := before.String(), before.Slice(s.A, s.B)+s.Text
	if s.A < s.B && s.Text != "" || !strings.ContainsAny(moved, "\r\n") {
		return s
	}
	start := before.LineStart(before.LineAt(s.A))
	n := s.A - start
	if n == 0 || n > len(moved) || text[start:s.A] != moved[len(moved)-n:] {
		return s
	}
	moved = text[start:s.A] + moved[:len(moved)-n]
	if s.A == s.B {
		return ide.Splice{A: start, B: start, Text: moved}
	}
	return ide.Splice{A: start, B: s.B - n}
}

// Once returns the only offset at which s is a run of whole lines.
func Once(t *ide.Text, s string) (a int, ok bool) {
	if s == "" {
		return 0, false
	}
	text := t.String()
	for from := 0; from+len(s) <= len(text); {
		i := strings.Index(text[from:], s)
		if i < 0 {
			break
		}
		from += i + 1
		if !t.AreLines(from-1, from-1+len(s)) {
			continue
		}
		if ok {
			return 0, false
		}
		a, ok = from-1, true
	}
	return a, ok
}

// WholeLines extends a span to the lines that it touches.
func WholeLines(t *ide.Text, a, b int) (int, int) {
	a = t.LineStart(t.LineAt(a))
	if !t.AtLineStart(b) {
		b = t.LineStart(t.LineAt(b) + 1)
	}
	return a, b
}

// LineEnd returns the line end of the first of these texts that has one.
func LineEnd(like ...string) string {
	for _, s := range like {
		if strings.Contains(s, "\r\n") {
			return "\r\n"
		}
		if strings.Contains(s, "\n") {
			break
		}
	}
	return "\n"
}
