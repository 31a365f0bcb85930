package ledger

import (
	"strings"

	"github.com/emendo-dev/emendo/ide"
)

// tighten splits a splice that replaces more than it changes, such as that of an
// editor that sends one range for several edits, or the whole text.
func tighten(before *ide.Text, s ide.Splice) []ide.Splice {
	return slideToLineStart(before, s.Trim(before)).ByLine(before)
}

// slideToLineStart moves an insertion or deletion to the start of a line if the result is the
// same: inserting "y\nx" after an x is inserting "xy\n" before it.
func slideToLineStart(before *ide.Text, s ide.Splice) ide.Splice {
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

// wholeLines extends a span to the lines that it touches.
func wholeLines(t *ide.Text, a, b int) (int, int) {
	a = t.LineStart(t.LineAt(a))
	if !t.AtLineStart(b) {
		b = t.LineStart(t.LineAt(b) + 1)
	}
	return a, b
}

// lineEndLike returns the line end of the first of these texts that has one.
func lineEndLike(like ...string) string {
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

// maxCompared limits the line comparisons of a search.
const maxCompared = 1 << 20

// mostAlike returns the run of lines, as many as old has, that shares the most lines
// with it, ignoring leading and trailing white space. It is empty if no line is
// shared.
func mostAlike(t *ide.Text, old string) (a, b int) {
	want := ide.NewText(old)
	n := want.Lines()
	if want.Line(n-1) == "" {
		n--
	}
	if n == 0 || n*t.Lines() > maxCompared {
		return 0, 0
	}
	lines, all := trimmed(want, n), trimmed(t, t.Lines())
	best := 0
	for at := range all {
		score := 0
		for i, s := range lines[:min(n, len(all)-at)] {
			if all[at+i] == s {
				score += len(s)
			}
		}
		if score > best {
			best, a, b = score, t.LineStart(at), t.LineStart(min(at+n, t.Lines()))
		}
	}
	return a, b
}

// trimmed returns the first n lines of t without leading and trailing white space.
func trimmed(t *ide.Text, n int) []string {
	l := make([]string, n)
	for i := range l {
		l[i] = strings.TrimSpace(t.Line(i))
	}
	return l
}
