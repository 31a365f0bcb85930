package ledger

import (
	"strings"

	"github.com/emendo-dev/emendo/ide"
)

// maxCompared bounds the comparisons of lines in one search.
const maxCompared = 1 << 20

// nearest is the passage that stands in a conflicted hunk's place; when
// nothing does and a search is wanted, the one with most of its lines.
func (h *hunk) nearest(e ide.Encoding, search bool) *Nearest {
	if !h.followed {
		return nil
	}
	t := h.file.place.text
	a, b := wholeLines(t, h.a, h.b)
	if a == b && search {
		a, b = alike(t, h.old)
	}
	if a == b {
		return nil
	}
	return &Nearest{t.Range(a, b, e), t.Slice(a, b)}
}

// alike finds the run of as many lines as old has that shares most with it,
// white space at the edges of a line aside; nothing when none shares any.
func alike(t *ide.Text, old string) (a, b int) {
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

// trimmed are the first n lines of t without the white space at their edges.
func trimmed(t *ide.Text, n int) []string {
	l := make([]string, n)
	for i := range l {
		l[i] = strings.TrimSpace(t.Line(i))
	}
	return l
}
