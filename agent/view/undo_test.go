package view_test

import (
	"fmt"
	"testing"

	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// BenchmarkUndoPreview measures the question before many edits are undone beside its floor,
// which is as many questions about one edit.
func BenchmarkUndoPreview(b *testing.B) {
	const hunks = 4000
	undoing := func(n int) view.Undoing {
		u := view.Undoing{ID: "u", Sets: []ledger.ChangeSet{{ID: "s"}}}
		f := ledger.FileChange{Path: "/w/a.go", Op: ledger.Modify}
		for i := range n {
			id := fmt.Sprint(i)
			f.Hunks = append(f.Hunks, ledger.Hunk{ID: id, OldText: "a\n", NewText: "b\n"})
			u.Decisions = append(u.Decisions, ledger.Decision{ChangeSetID: "s", HunkID: id, Action: ledger.Undo})
		}
		u.Sets[0].Files = []ledger.FileChange{f}
		return u
	}
	b.Run("preview", func(b *testing.B) {
		u := undoing(hunks)
		for b.Loop() {
			u.Question()
		}
	})
	b.Run("floor", func(b *testing.B) {
		u := undoing(1)
		for b.Loop() {
			for range hunks {
				u.Question()
			}
		}
	})
}
