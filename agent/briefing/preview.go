package briefing

import (
	"context"
	"slices"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/tools"
)

// Draft is a prompt that the user is writing.
type Draft struct {
	Blocks   []transcript.Block
	Focus    *frontend.Focus // nil leaves the editor's context out
	Snapshot *ide.Snapshot
	Exclude  transcript.Exclusions
	Begins   bool // first prompt of its session
}

// Preview returns the context that a prompt would carry, item by item, and a notice
// for each file that it names but that would not be sent. It records nothing.
func (br *Briefing) Preview(ctx context.Context, d Draft) (items []transcript.ContextItem, withheld []transcript.Notice) {
	left := slices.Concat(br.o.Left(), d.Exclude)
	for _, f := range br.FilesWithout(ctx, d.Exclude) {
		items = append(items, itemOf(f))
	}
	given := func(g transcript.Given, reason string) {
		if !left.Excludes(g.Kind, g.Source) {
			items = append(items, transcript.ContextItem{Kind: g.Kind, Source: g.Source, Size: len(g.Text) + len(g.Data), Reason: reason, Origin: transcript.OriginOf(g.Kind)})
		}
	}
	if d.Begins {
		for _, g := range br.Surroundings(ctx, "") {
			given(g, transcript.Reasons[g.Kind])
		}
	}
	if d.Focus != nil {
		if text, ok := br.editorNow(ctx, *d.Focus, d.Snapshot); ok {
			g := transcript.Given{Kind: transcript.KindEditor, Text: text}
			if active := d.Snapshot.Document(d.Focus.Active); active != nil && !br.hides(ctx, active) {
				g.Source = active.Path
			}
			given(g, transcript.Reasons[g.Kind])
		}
	}
	parts, withheld := br.Linked(ctx, d.Blocks, d.Snapshot)
	for _, g := range parts {
		given(g, "named in this prompt")
	}
	size := 0
	for _, b := range d.Blocks {
		size += len(b.Text) + len(b.Data)
	}
	if size > 0 {
		items = append(items, transcript.ContextItem{Kind: transcript.KindPrompt, Size: size, Reason: "what you have written", Origin: tools.OfUser})
	}
	return items, withheld
}
