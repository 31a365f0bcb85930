package ledger_test

import (
	"context"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/ide/ledger"
)

// marks says of the hunks of a change set whether a commit has them.
func (w *world) marks(id string) string {
	w.t.Helper()
	cs, err := w.l.Get(id)
	if err != nil {
		w.t.Fatal(err)
	}
	var l []string
	for _, h := range cs.Hunks(nil) {
		switch {
		case h.State != ledger.Accepted:
			l = append(l, string(h.State))
		case h.Committed:
			l = append(l, "committed")
		case h.Reviewed():
			l = append(l, "reviewed")
		default:
			l = append(l, "-")
		}
	}
	return strings.Join(l, " ")
}

// inCommit looks for the hunks of a file in a commit with a text.
func (w *world) inCommit(name, text string, users bool) {
	w.t.Helper()
	if !w.l.NoteCommit(context.Background(), []ledger.InCommit{{ReviewFile: ledger.ReviewFile{Path: w.path(name)}, Exists: true, Text: &text}}, users) {
		w.t.Error("it could not look")
	}
}

func TestLinesThatACommitHas(t *testing.T) {
	text := capitals(numbered(30), 10, 20)
	longer := strings.Replace(text, "line 15\n", "", 1)
	for _, c := range []struct {
		name, committed, want string
	}{
		{"all", text, "reviewed reviewed"},
		{"none", numbered(30), "- -"},
		{"one of two", capitals(numbered(30), 10), "reviewed -"},
		{"the third line before one differs", capitals(text, 7), "- reviewed"},
		{"the fourth", capitals(text, 6), "reviewed reviewed"},
		{"the third line after one differs", capitals(text, 13), "- reviewed"},
		{"the fourth after", capitals(text, 14), "reviewed reviewed"},
		{"a line was added before the third before", strings.Replace(text, "line 7\n", "new\nline 7\n", 1), "reviewed reviewed"},
		{"a line was added after it", strings.Replace(text, "line 8\n", "new\nline 8\n", 1), "- reviewed"},
		{"a line between is gone", longer, "reviewed reviewed"},
		{"a line in three is gone", strings.Replace(text, "line 12\n", "", 1), "- reviewed"},
		{"other line ends", strings.ReplaceAll(text, "\n", "\r\n"), "- -"},
		{"nothing", "", "- -"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.write("a", numbered(30))
			id := w.record(w.made("a", numbered(30), text)).ID
			w.inCommit("a", c.committed, true)
			w.want("the hunks", w.marks(id), c.want)
		})
	}
}

// At the ends of a file there are fewer than three lines, and none may be there in the commit.
func TestTheEndsOfAFileInACommit(t *testing.T) {
	text := capitals(numbered(9), 2, 8)
	for _, c := range []struct{ name, committed, want string }{
		{"the same", text, "reviewed reviewed"},
		{"a line before the first", "new\n" + text, "- reviewed"},
		{"a line after the last", text + "new\n", "reviewed -"},
		{"no line end", strings.TrimSuffix(text, "\n"), "reviewed -"},
	} {
		w := newWorld(t)
		w.write("a", numbered(9))
		id := w.record(w.made("a", numbered(9), text)).ID
		w.inCommit("a", c.committed, true)
		w.want(c.name, w.marks(id), c.want)
	}
}

// Which of many lines that are alike was added nobody can tell.
func TestLinesAlikeInACommit(t *testing.T) {
	before, after := numbered(9)+strings.Repeat("x\n", 9)+"end\n", numbered(9)+strings.Repeat("x\n", 10)+"end\n"
	w := newWorld(t)
	w.write("a", before)
	id := w.record(w.made("a", before, after)).ID
	w.inCommit("a", before, true)
	w.want("without it", w.marks(id), "-")
	w.inCommit("a", after, true)
	w.want("with it", w.marks(id), "reviewed")
}

// What a commit of somebody else's has is to be reviewed all the same, after a restart too, until
// the user decides.
func TestWhatSomebodyElseCommitted(t *testing.T) {
	w := newWorld(t)
	text := capitals(numbered(30), 10, 20)
	w.write("a", numbered(30))
	id := w.record(w.made("a", numbered(30), text)).ID
	var told []string
	w.l.Watch(func(cs ledger.ChangeSet, rangesOnly bool) {
		for _, h := range cs.Hunks(func(h ledger.Hunk) bool { return h.Decided == cs.Version }) {
			told = append(told, h.ID)
		}
	})
	w.inCommit("a", text, false)
	w.want("the hunks", w.marks(id), "committed committed")
	w.want("who watches is told", strings.Join(told, " "), id+".1 "+id+".2")
	if l := w.l.ToReview(); len(l) > 0 {
		t.Errorf("nothing is to be looked for, but %v", l)
	}
	w.inCommit("a", text, true)
	w.want("a later commit", w.marks(id), "committed committed")

	again := newWorldIn(t, w.dir)
	if err := again.l.Restore(context.Background(), w.l.List("", "", "")); err != nil {
		t.Fatal(err)
	}
	again.want("after a restart", again.marks(id), "committed committed")
	again.decide(id, 1, ledger.Keep)
	again.decide(id, 2, ledger.Undo)
	again.want("decided", again.marks(id), "reviewed rejected")
	again.decide(id, 2, ledger.Reopen)
	again.want("applied again", again.marks(id), "reviewed -")
	again.want("the file", again.disk("a"), text)
}

func TestWhatMayBeInACommit(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"a", "b", "c"} {
		w.write(name, numbered(9))
	}
	w.open("c", numbered(9))
	w.record(w.made("a", numbered(9), capitals(numbered(9), 1)))
	w.decide(w.record(w.made("b", numbered(9), capitals(numbered(9), 1))).ID, 0, ledger.Keep)
	w.propose("c", capitals(numbered(9), 1))
	if l := w.l.ToReview(); len(l) != 1 || l[0].Path != w.path("a") || l[0].Open {
		t.Errorf("got %+v", l)
	}
	w.decide("set3", 0, ledger.Accept)
	if l := w.l.ToReview(); len(l) != 1 {
		t.Errorf("what the user accepted is reviewed: %+v", l)
	}
}

// A change set with hunks in many files is shown once.
func TestACommitOfManyFilesIsToldOnce(t *testing.T) {
	w := newWorld(t)
	after := capitals(numbered(9), 5)
	var made []ledger.RecordedFile
	var in []ledger.InCommit
	for _, name := range []string{"a", "b", "c"} {
		w.write(name, numbered(9))
		made = append(made, w.made(name, numbered(9), after))
		in = append(in, ledger.InCommit{ReviewFile: ledger.ReviewFile{Path: w.path(name)}, Exists: true, Text: &after})
	}
	id := w.record(made...).ID
	told := 0
	w.l.Watch(func(ledger.ChangeSet, bool) { told++ })
	w.l.NoteCommit(context.Background(), in, true)
	if w.want("the hunks", w.marks(id), "reviewed reviewed reviewed"); told != 1 {
		t.Errorf("it was told %d times", told)
	}
}
