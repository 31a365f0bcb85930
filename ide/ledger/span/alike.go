package span

import (
	"strings"

	"github.com/emendo-dev/emendo/ide"
)

// maxCompared limits the line comparisons of a search.
const maxCompared = 1 << 20

// Alike returns the run of lines, as many as old has, that shares the most lines
// with it, ignoring leading and trailing white space. It is empty if no line is
// shared.
func Alike(t *ide.Text, old string) (a, b int) {
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
