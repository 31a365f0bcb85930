package ledger_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// mark follows lines of a file, from one line to before another.
func (w *world) mark(name string, from, to uint32, text string) {
	w.t.Helper()
	r := ide.Range{Start: ide.Position{Line: from}, End: ide.Position{Line: to}}
	ledger.MarksOf(w.l).Follow(context.Background(), ledger.Mark{ID: "m", Path: w.path(name), URI: ide.FileURI(w.path(name)), Range: r, Text: text})
}

// marked says where the mark is and what it has.
func (w *world) marked() string {
	ledger.MarksOf(w.l).Refresh(context.Background(), "m")
	m, ok := ledger.MarksOf(w.l).Get("m")
	if !ok {
		return "unknown"
	}
	gone := ""
	if m.Gone {
		gone = " gone"
	}
	return fmt.Sprintf("%d-%d %q%s", m.Range.Start.Line, m.Range.End.Line, m.Text, gone)
}

func TestMarksFollowTheEditor(t *testing.T) {
	w := newWorld(t)
	w.open("a", "one\ntwo\nthree\ntwo\n")
	w.mark("a", 1, 3, "two\nthree\n")
	w.typed("a", "one\n", "zero\none\n")
	w.want("after typing above", w.marked(), `2-4 "two\nthree\n"`)
	w.typed("a", "thr", "THR")
	w.want("after typing inside", w.marked(), `2-4 "two\nTHRee\n"`)
	w.typed("a", "two\nTHRee\n", "")
	w.want("after deleting the lines", w.marked(), `2-2 "two\nTHRee\n" gone`)
	w.typed("a", "zero\n", "")
	w.want("after typing above what is gone", w.marked(), `1-1 "two\nTHRee\n" gone`)
	w.e.Type(w.uri("a"), 0, 0, "zero\n")
	w.e.Type(w.uri("a"), 9, 9, "two\nTHRee\n")
	w.want("after an undo", w.marked(), `2-4 "two\nTHRee\n"`)
	ledger.MarksOf(w.l).Drop("m")
	w.want("unmarked", w.marked(), "unknown")
}

// An edit of emendo's moves marks as typing does, and undoing it brings them back.
func TestMarksFollowHunks(t *testing.T) {
	w := newWorld(t)
	w.open("a", "one\ntwo\nthree\n")
	w.mark("a", 1, 2, "two\n")
	w.propose("a", "zero\none\nTWO\nthree\n")
	w.decide("set1", 0, ledger.Accept)
	w.want("accepted", w.marked(), `2-3 "TWO\n"`)
	w.decide("set1", 0, ledger.Reject)
	w.want("undone", w.marked(), `1-2 "two\n"`)
}

func TestMarksOfClosedFilesFollowTheDisk(t *testing.T) {
	w := newWorld(t)
	w.write("a", "one\ntwo\nthree\n")
	w.mark("a", 1, 2, "two\n")
	w.write("a", "zero\none\ntwo\nthree\n")
	w.want("lines above", w.marked(), `2-3 "two\n"`)
	w.write("a", "zero\none\nthree\n")
	w.want("without the line", w.marked(), `2-2 "two\n" gone`)
	w.write("a", "two\nzero\none\nthree\n")
	w.want("the line elsewhere", w.marked(), `0-1 "two\n"`)
}

// After a restart lines are where they were, else where they occur once.
func TestMarksAreFoundByTheirText(t *testing.T) {
	w := newWorld(t)
	w.write("a", "x\ntwo\nx\n")
	w.mark("a", 0, 1, "two\n")
	w.want("moved", w.marked(), `1-2 "two\n"`)
	w.mark("a", 2, 3, "x\n")
	w.want("in place", w.marked(), `2-3 "x\n"`)
	w.mark("a", 1, 2, "x\n")
	w.want("ambiguous", w.marked(), `1-1 "x\n" gone`)
	w.mark("a", 9, 10, "y\n")
	w.want("past the end", w.marked(), `3-3 "y\n" gone`)
}
