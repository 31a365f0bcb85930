package agent

import (
	"context"
	"fmt"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/tools"
)

// linked gives the parts of files that a prompt links to by lines.
func (s *Session) linked(ctx context.Context, p Prompt) []Given {
	var parts []Given
	for _, l := range p.Blocks {
		if l.Type != LinkBlock || !l.Lines.any() {
			continue
		}
		var text *ide.Text
		name, source := l.URI, ""
		u := ide.ParseURI(l.URI)
		if d := p.Snapshot.Document(u); d != nil {
			text, name, source = d.Text, s.documentName(d), d.Path
		} else if path := u.Path(); path != "" {
			f, err := p.Snapshot.Within(s.tree).Read(ctx, path)
			if err != nil {
				continue // the link itself is in the prompt; a tool can say why it does not open
			}
			text, name, source = f.Text, s.within(f.Path), f.Path
		}
		if text == nil || tools.LooksSecret(name) || tools.HoldsKey([]byte(text.String())) {
			continue
		}
		first, last := max(l.Lines.First, 1), min(l.Lines.Last, text.Lines())
		from, to := text.LineStart(first-1), text.LineStart(last)
		if from >= to {
			continue
		}
		part := text.Slice(from, to)
		if len(part) > maxSelected {
			part = cutText(part, maxSelected) + "\n(the rest is left out)"
		}
		parts = append(parts, Given{Kind: givenLinked, Source: source, Text: enclose("file_part", part, "path", name, "lines", fmt.Sprintf("%d-%d", first, last))})
	}
	return parts
}
