package present

import (
	"context"
	"slices"

	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/lsp/client"
)

// undoDoers are the actions that undo all edits that were applied, of a session or of all.
var undoDoers = map[string]doer{view.UndoAll: askToUndo}

// askToUndo asks whether all edits that nobody has reviewed are undone, with what that
// does. The answer does it: with those that were shown and are still not reviewed.
func askToUndo(ctx context.Context, v *Views, c chosen) (acted, error) {
	verdict, _ := view.VerdictOf(view.UndoAll)
	h, err := v.c.Host.Get(ctx)
	if err != nil {
		return acted{}, err
	}
	sets := h.Ledger.List(c.Session, "", "")
	ds := stillUnreviewed(sets, v.decisions(verdict, c))
	if len(ds) == 0 {
		return acted{}, client.Unable("nothing of what was shown can be undone")
	}
	u := view.Undoing{ID: newID("undo"), SessionID: c.Session, Sets: sets, Decisions: ds, Folders: v.about(ctx, c.Session).Folders, Encoding: v.c.Can.Encoding}
	v.askInstead(&asked{q: u.Question(), answer: func(ctx context.Context, p actParams) (acted, error) {
		if p.ActionID != view.UndoAll {
			return acted{}, nil
		}
		return acted{}, v.resolve(ctx, stillUnreviewed(h.Ledger.List(c.Session, "", ""), ds), "")
	}})
	return acted{}, nil
}

// stillUnreviewed returns the decisions on hunks that were applied, that nobody has reviewed,
// and that can be undone.
func stillUnreviewed(sets []ledger.ChangeSet, ds []ledger.Decision) (l []ledger.Decision) {
	can := map[ledger.Decision]bool{}
	for _, cs := range sets {
		for _, f := range cs.Files {
			for _, h := range f.Hunks {
				can[ledger.Decision{ChangeSetID: cs.ID, HunkID: h.ID}] = h.Unreviewed() && (f.Omitted == "" || h.Reason == "")
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(ds), func(d ledger.Decision) bool {
		return !can[ledger.Decision{ChangeSetID: d.ChangeSetID, HunkID: d.HunkID}]
	})
}
