package ledger_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/ide/ledger"
)

// moved renames a file or a folder on disk.
func (w *world) moved(from, to string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(w.path(to)), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Rename(w.path(from), w.path(to)); err != nil {
		w.t.Fatal(err)
	}
}

// Editors close and open the documents of a renamed file before or after they report the
// rename, or not at all if the file is closed.
func TestHunksFollowARenamedFile(t *testing.T) {
	base := numbered(25)
	for _, c := range []struct {
		name string
		from string // below the folder
		to   string
		do   func(w *world)
		want string // in the editor at the end, or on disk
	}{
		{name: "closed and opened before the report", from: "a.go", to: "b.go", do: func(w *world) {
			w.open("a.go", base)
			w.propose("a.go", capitals(base, 20))
			w.moved("a.go", "b.go")
			w.e.Close(w.uri("a.go"))
			w.e.Open(w.uri("b.go"), base)
			w.w.Rename(w.uri("a.go"), w.uri("b.go"))
		}},
		{name: "closed and opened after the report", from: "a.go", to: "b.go", do: func(w *world) {
			w.open("a.go", base)
			w.propose("a.go", capitals(base, 20))
			w.moved("a.go", "b.go")
			w.w.Rename(w.uri("a.go"), w.uri("b.go"))
			w.e.Close(w.uri("a.go"))
			w.e.Open(w.uri("b.go"), base)
		}},
		{name: "reported late", from: "a.go", to: "b.go", do: func(w *world) {
			w.open("a.go", base)
			w.propose("a.go", capitals(base, 20))
			w.moved("a.go", "b.go")
			w.e.Close(w.uri("a.go"))
			synctest.Wait() // the missing file was read
			w.e.Open(w.uri("b.go"), base)
			w.w.Rename(w.uri("a.go"), w.uri("b.go"))
		}},
		{name: "with unsaved text", from: "a.go", to: "b.go", do: func(w *world) {
			w.open("a.go", base)
			w.typed("a.go", "line 1\n", "line one\n")
			w.propose("a.go", capitals(w.text("a.go"), 20))
			w.moved("a.go", "b.go")
			text := w.text("a.go")
			w.w.Rename(w.uri("a.go"), w.uri("b.go"))
			w.e.Close(w.uri("a.go"))
			w.e.Open(w.uri("b.go"), text)
		}, want: capitals(replaceOnce(base, "line 1\n", "line one\n"), 20)},
		{name: "not open", from: "a.go", to: "b.go", do: func(w *world) {
			w.write("a.go", base)
			w.propose("a.go", capitals(base, 20))
			w.moved("a.go", "b.go")
			w.w.Rename(w.uri("a.go"), w.uri("b.go"))
		}},
		{name: "its folder is renamed", from: "one/deep/a.go", to: "two/deep/a.go", do: func(w *world) {
			w.write("x", "")
			w.moved("x", "one/deep/x")
			w.write("one/deep/a.go", base)
			w.propose("one/deep/a.go", capitals(base, 20))
			w.moved("one", "two")
			w.w.Rename(w.uri("one"), w.uri("two"))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				c.do(w)
				w.pause()
				w.pause()
				w.want("the states", w.states("set1"), "pending: pending")
				cs, _ := w.l.Get("set1")
				w.want("the path", cs.Files[0].Path, w.path(c.to))
				w.decide("set1", 0, ledger.Accept)
				text := w.disk(c.to)
				if cs.Files[0].Open {
					text = w.text(c.to)
				}
				if c.want == "" {
					c.want = capitals(base, 20)
				}
				w.want("the text", text, c.want)
				w.want("the old file", w.disk(c.from), "missing")
			})
		})
	}
}

// The hunks of a file that disappears without a rename soon become conflicted.
func TestADeletedFileMakesItsHunksConflicted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		base := numbered(25)
		w.open("a.go", base)
		w.propose("a.go", capitals(base, 20))
		if err := os.Remove(w.path("a.go")); err != nil {
			t.Fatal(err)
		}
		w.e.Close(w.uri("a.go"))
		w.pause()
		w.want("the states", w.states("set1"), "conflicted: conflicted")
	})
}

// If the new path already has hunks, those of the old one stay.
func TestARenameOntoAFileUnderReview(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		base := numbered(25)
		w.write("a.go", base)
		w.write("b.go", base)
		w.propose("a.go", capitals(base, 20))
		w.propose("b.go", capitals(base, 2))
		w.moved("a.go", "b.go")
		w.w.Rename(w.uri("a.go"), w.uri("b.go"))
		w.decide("set2", 0, ledger.Accept)
		w.want("the text", w.disk("b.go"), capitals(base, 2))
		w.want("the other", w.states("set1"), "pending: pending")
		w.decide("set1", 0, ledger.Accept)
		w.want("the other", w.states("set1"), "conflicted: conflicted")
		w.want("the text", w.disk("b.go"), capitals(base, 2))
	})
}

// The editor also reports renames that emendo makes.
func TestARenameThatWasProposedStaysUndoable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.open("a.go", "text\n")
		w.whole("a.go", ledger.Rename, "", "b.go")
		w.decide("set1", 0, ledger.Accept)
		w.w.Rename(w.uri("a.go"), w.uri("b.go"))
		w.pause()
		w.want("the states", w.states("set1"), "accepted: accepted")
		w.decide("set1", 0, ledger.Reject)
		w.want("the states", w.states("set1"), "rejected: rejected")
		w.want("the text", w.text("a.go"), "text\n")
	})
}

// Accepted hunks can be undone at the new path.
func TestAcceptedHunksOfARenamedFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		base := numbered(25)
		w.write("a.go", base)
		w.propose("a.go", capitals(base, 20))
		w.decide("set1", 0, ledger.Accept)
		w.moved("a.go", "b.go")
		w.w.Rename(w.uri("a.go"), w.uri("b.go"))
		w.pause()
		w.decide("set1", 0, ledger.Reject)
		w.want("the states", w.states("set1"), "rejected: rejected")
		w.want("the text", w.disk("b.go"), base)
	})
}
