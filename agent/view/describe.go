package view

import (
	"strings"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/internal/visible"
)

// Describe returns a question about a call as text, for clients that show no more. Its first line
// has all that is asked about where that is one line, since some editors show no other. Diffs
// are left out: such clients get them in a form of their own.
func Describe(q frontend.Question) string {
	w := newWording(q, Asked{})
	w.describe(q, "")
	w.reason(q)
	about := strings.TrimSpace(w.about)
	oneLine := about != "" && !strings.Contains(about, "\n")
	paragraphs := []string{w.q.Title.Text}
	if oneLine {
		paragraphs[0] += " " + visible.Line(about)
	}
	for _, p := range w.q.Parts {
		if p.Kind != Diff && !(oneLine && strings.HasSuffix(about, strings.TrimSpace(p.Text))) {
			paragraphs = append(paragraphs, p.Label.Text+":\n"+visible.Text(p.Text))
		}
	}
	var facts []string
	for _, l := range w.q.Lines {
		switch {
		case oneLine && (l.ID == "path" || l.ID == "url" || l.ID == "call"): // the first line has them
		case l.ID == "reason":
			paragraphs = append(paragraphs, l.Text.Text)
		case l.Label != nil:
			facts = append(facts, l.Label.Text+": "+l.Text.Text)
		default:
			facts = append(facts, l.Text.Text)
		}
	}
	if len(facts) > 0 {
		paragraphs = append(paragraphs, strings.Join(facts, "\n"))
	}
	return strings.Join(paragraphs, "\n\n")
}
