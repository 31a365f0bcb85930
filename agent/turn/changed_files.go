package turn

import (
	"cmp"
	"slices"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/diff"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// changedFiles returns the files that accepted edits of the turn have changed, in
// the order of their first edit.
func (t *Turn) changedFiles() []transcript.FileSummary {
	var files []transcript.FileSummary
	for _, cs := range t.session.Agent.Options.Ledger.List(t.session.SessionID, "", "") {
		if cs.TurnID != t.ID {
			continue
		}
		for _, f := range cs.Files {
			added, removed, any := accepted(cs, f)
			if !any {
				continue
			}
			uri := cmp.Or(f.Spelling, string(f.URI))
			i := slices.IndexFunc(files, func(s transcript.FileSummary) bool { return s.URI == uri })
			if i < 0 {
				i, files = len(files), append(files, transcript.FileSummary{URI: uri})
			}
			files[i].Added += added
			files[i].Removed += removed
			files[i].ChangeSetID = cs.ID
		}
	}
	return files
}

// accepted counts the lines that the accepted hunks of a file add and remove, and
// reports whether there are such hunks.
func accepted(cs ledger.ChangeSet, f ledger.FileChange) (added, removed int, any bool) {
	for _, h := range f.Hunks {
		if !h.State.Applied() || cs.Done(h) {
			continue
		}
		any = true
		for _, b := range diff.Lines(h.OldText, h.NewText) {
			added += b.New.End - b.New.Line
			removed += b.Old.End - b.Old.Line
		}
	}
	return added, removed, any
}
