package ledger_test

import (
	"os"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// The disk is read after the event, and watchers are notified.
func TestWatchersSeeTheDiskContentOfAClosedFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		base := numbered(25)
		w.open("a.go", base)
		w.propose("a.go", capitals(base, 20))
		w.e.Type(w.uri("a.go"), 0, 0, "unsaved\n")
		var seen []uint32
		w.l.Watch(func(cs ledger.ChangeSet, _ bool) { seen = append(seen, cs.Files[0].Hunks[0].Range.Start.Line) })
		w.e.Close(w.uri("a.go"))
		synctest.Wait()
		if len(seen) == 0 || seen[len(seen)-1] != 19 {
			t.Errorf("lines %v, want 19 last", seen)
		}
		w.l.Close()
	})
}

func TestReopenedFileHasTheEditorsText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		base := numbered(25)
		w.open("a.go", base)
		w.propose("a.go", capitals(base, 20))
		w.e.Close(w.uri("a.go"))
		w.e.Open(w.uri("a.go"), "more\n"+base)
		synctest.Wait()
		w.want("the states", w.states("set1"), "pending: pending")
		w.decide("set1", 0, ledger.Accept)
		w.want("the text", w.text("a.go"), "more\n"+capitals(base, 20))
	})
}

func TestFileClosedUnderOneNameStaysOpenUnderAnother(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // creating links needs special rights there
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		base := numbered(25)
		w.open("a.go", base)
		if err := os.Symlink(w.path("a.go"), w.path("link.go")); err != nil {
			t.Fatal(err)
		}
		w.propose("a.go", capitals(base, 20))
		w.e.Open(w.uri("link.go"), "more\n"+base)
		w.e.Type(w.uri("a.go"), 0, 0, "not there\n") // in the document that was opened first
		w.e.Close(w.uri("link.go"))
		w.want("the states", w.states("set1"), "pending: pending")
		w.decide("set1", 0, ledger.Accept)
		w.want("the text", w.e.Text(string(ide.FileURI(w.path("a.go")))), "not there\n"+capitals(base, 20))
		w.want("the disk", w.disk("a.go"), base)
	})
}
