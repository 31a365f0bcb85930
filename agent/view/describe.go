package view

import (
	"slices"
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

// Describe returns a field as text, for clients without forms: its label, which answers it takes,
// and its choices, unless they are yes and no.
func (f Field) Describe() string {
	text := f.Label.Text
	var hints []string
	if f.Hint != nil {
		hints = append(hints, f.Hint.Text)
	}
	choices, begin := "", slices.Clone(f.Values)
	for _, c := range f.Choices {
		if i := slices.Index(begin, c.Value); i >= 0 {
			begin[i] = c.Title.Text
		}
		if c.Title.Code == "choice.yes" || c.Title.Code == "choice.no" {
			continue
		}
		choices += "\n- " + c.Title.Text
		if c.Detail != nil {
			choices += ": " + c.Detail.Text
		}
	}
	if len(begin) > 0 {
		hints = append(hints, say("hint.default", "values", strings.Join(begin, ", ")).Text)
	}
	if len(hints) > 0 {
		text += " (" + strings.Join(hints, "; ") + ")"
	}
	return text + choices
}
