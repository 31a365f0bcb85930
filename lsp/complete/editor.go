package complete

import (
	"strings"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
)

// ofEditorScore ranks the selection and the problems before all files.
const ofEditorScore = 3000

// ofEditor returns the completions for the state of the editor: the selection and
// the problems.
func (x *Completer) ofEditor(query string, p place, focus frontend.Focus, snapshot *ide.Snapshot) (items []Item) {
	begins := func(label string) bool { return strings.HasPrefix(label, strings.ToLower(query)) }
	if i, ok := selection(p, focus, snapshot); ok && begins(i.Label) {
		items = append(items, i)
	}
	if x.c.Can.Diagnostics && begins(transcript.MentionProblems) {
		b := transcript.Block{URI: transcript.ProblemsURI, Name: transcript.MentionProblems}
		items = append(items, Item{
			Label: transcript.MentionProblems, Kind: transcript.MentionProblems, Detail: "Errors and warnings that the editor shows",
			InsertText: "@" + transcript.MentionProblems, Block: blockOf(b, transcript.MentionProblems, "@"+transcript.MentionProblems), score: ofEditorScore,
		})
	}
	return items
}

// selection returns the completion for the text selected in the active file.
func selection(p place, focus frontend.Focus, snapshot *ide.Snapshot) (Item, bool) {
	if focus.Inferred || len(focus.Selections) == 0 || focus.Selections[0].Start == focus.Selections[0].End {
		return Item{}, false
	}
	path := focus.Active.Path()
	if d := snapshot.Document(focus.Active); d != nil {
		path = d.Path
	}
	root, rel, ok := p.within(path)
	if !ok {
		return Item{}, false
	}
	named, label := p.named(root, rel)
	lines := linesOf(focus.Selections[0])
	b := transcript.Block{URI: spelling(path, snapshot), Name: rel, Lines: lines}
	return Item{
		Label: transcript.MentionSelection, Kind: transcript.MentionSelection, Detail: label + ":" + spoken(*lines),
		InsertText: mention(named + ":" + spoken(*lines)), Block: blockOf(b, transcript.MentionSelection, "@"+label+":"+spoken(*lines)), score: ofEditorScore + 1,
	}, true
}
