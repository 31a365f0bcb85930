package view

import (
	"cmp"
	"strings"

	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/visible"
)

// Reopen is the action that reverses the decision on a hunk.
const Reopen = "reopen"

// DecidedEntry returns what a list says of a hunk that was decided; nil of one that waits for
// the user, or that nobody has decided.
func DecidedEntry(near Folders, f ledger.FileChange, h ledger.Hunk) *Entry {
	if !h.State.Decided() || h.Unreviewed() {
		return nil
	}
	name := near.Near(cmp.Or(f.Path, string(f.URI)))
	b := basis{op: f.Op, newPath: f.NewPath, old: h.OldText, new: h.NewText, omitted: f.Omitted}
	e := &Entry{Label: new(say("decided", "path", name, "what", b.label(near.Near).Text)), Note: new(say("edits." + string(h.State)))}
	if f.Op == ledger.Modify && f.Omitted == "" {
		line := strings.TrimSpace(cmp.Or(h.NewText, h.OldText))
		first, _, _ := strings.Cut(line, "\n")
		e.Label = new(say("decided.line", "path", name, "line", h.Range.Start.Line+1, "text", visible.Short(first, mostPreview)))
	}
	title := "do.reopen"
	if h.Unasked && h.State.Applied() {
		title = "do.undo"
	} else if h.Unasked {
		title = "do.apply_again"
	}
	e.Actions = []Action{{ID: Reopen, Title: say(title), Look: Reopen}}
	return e
}
