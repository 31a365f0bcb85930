package ledger_test

import (
	"testing"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/idetest"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// openAndClosed returns a world with the open file a.go, in which a change of line 3 is
// proposed, and the closed file b.go. Both have the text.
func openAndClosed(t *testing.T, text string) *world {
	w := newWorld(t)
	w.open("a.go", text)
	w.write("b.go", text)
	w.propose("a.go", capitals(text, 3))
	return w
}

// While the editor makes its part of a group, another program changes the closed file
// of the group, and a session reads that.
func TestClosedFileChangesWhileTheEditorApplies(t *testing.T) {
	base := numbered(9)
	for _, c := range []struct {
		name, disk, want string
	}{
		{"lines before the hunk", "mine\n" + base, "mine\n" + capitals(base, 8)},
		{"nothing is left", "", ""},
		{"the hunk", capitals(base, 8), capitals(base, 8)},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := openAndClosed(t, base)
			w.propose("b.go", capitals(base, 8))
			w.e.OnEdit = func(int, ide.Edit) idetest.Answer {
				return idetest.Answer{AfterEcho: func() {
					w.write("b.go", c.disk)
					w.view("b.go")
				}}
			}
			w.resolve(ledger.Decision{ChangeSetID: "set1", Action: ledger.Accept}, ledger.Decision{ChangeSetID: "set2", Action: ledger.Accept})
			w.want("a.go", w.text("a.go"), capitals(base, 3))
			w.want("b.go", w.disk("b.go"), c.want)
		})
	}
}

// A closed file is deleted as it was when that was decided, or not at all.
func TestFileToDeleteChangesWhileTheEditorApplies(t *testing.T) {
	base := numbered(9)
	w := openAndClosed(t, base)
	f := w.view("b.go")
	w.proposeFile(ledger.Proposed{Path: f.Path, Op: ledger.Delete, Base: f})
	w.e.OnEdit = func(int, ide.Edit) idetest.Answer {
		return idetest.Answer{AfterEcho: func() {
			w.write("b.go", "mine\n")
			w.view("b.go")
		}}
	}
	w.resolve(ledger.Decision{ChangeSetID: "set1", Action: ledger.Accept}, ledger.Decision{ChangeSetID: "set2", Action: ledger.Accept})
	w.want("b.go", w.disk("b.go"), "mine\n")
}

func TestClosedFileIsRenamedWhileTheEditorApplies(t *testing.T) {
	base := numbered(9)
	w := openAndClosed(t, base)
	w.propose("b.go", capitals(base, 8))
	w.e.OnEdit = func(int, ide.Edit) idetest.Answer {
		return idetest.Answer{AfterEcho: func() {
			w.moved("b.go", "c.go")
			w.w.Rename(w.uri("b.go"), w.uri("c.go"))
		}}
	}
	w.resolve(ledger.Decision{ChangeSetID: "set1", Action: ledger.Accept}, ledger.Decision{ChangeSetID: "set2", Action: ledger.Accept})
	w.want("b.go", w.disk("b.go"), "missing")
	w.want("c.go", w.disk("c.go"), capitals(base, 8))
}

// The race detector sees what is not locked.
func TestClosedFileIsRenamedWhileItIsWritten(t *testing.T) {
	base := numbered(9)
	w := newWorld(t)
	w.write("b.go", base)
	w.propose("b.go", capitals(base, 8))
	begun, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		w.w.Rename(w.uri("b.go"), w.uri("c.go"))
		close(begun)
		for range 300 {
			w.w.Rename(w.uri("c.go"), w.uri("b.go"))
			w.w.Rename(w.uri("b.go"), w.uri("c.go"))
		}
		w.w.Rename(w.uri("c.go"), w.uri("b.go"))
	}()
	<-begun
	w.decide("set1", 0, ledger.Accept)
	<-over
	if got := w.disk("b.go"); got != base && got != capitals(base, 8) {
		t.Errorf("got %q", got)
	}
}
