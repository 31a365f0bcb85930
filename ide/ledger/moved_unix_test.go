//go:build unix

package ledger_test

import (
	"errors"
	"os"
	"testing"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// A link that was created in the path after the user approved an edit, for example by a
// background command, does not redirect the edit to another file, which may be protected.
func TestEditAppliesToTheApprovedPlace(t *testing.T) {
	const text = "[core]\n"
	for _, c := range []struct {
		name    string
		propose func(w *world)
		want    string // the states
	}{
		{"a new file", func(w *world) { w.whole("dir/new", ledger.Create, "evil\n", "") }, "conflicted: conflicted"},
		{"a change", func(w *world) { w.propose(w.path("dir/config"), text+"evil\n") }, "conflicted: conflicted"},
		{"a file that goes", func(w *world) { w.whole("dir/config", ledger.Delete, "", "") }, "accepted: accepted"}, // it was deleted from there
		{"a file that moves there", func(w *world) { w.whole("from", ledger.Rename, "", "dir/new") }, "conflicted: conflicted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			for _, dir := range []string{"dir", ".git"} {
				if err := os.Mkdir(w.path(dir), 0o755); err != nil {
					t.Fatal(err)
				}
				w.write(dir+"/config", text)
			}
			w.write("from", "evil\n")
			c.propose(w)
			if err := errors.Join(os.Rename(w.path("dir"), w.path("was")), os.Symlink(".git", w.path("dir"))); err != nil {
				t.Fatal(err)
			}
			_, err := w.l.Resolve(t.Context(), []ledger.Decision{{ChangeSetID: "set1", Action: ledger.Accept}}, "")
			if err != nil && !errors.Is(err, disk.ErrMoved) {
				t.Errorf("the error is %v", err)
			}
			w.want("the file that was there", w.disk(".git/config"), text)
			w.want("a new file there", w.disk(".git/new"), "missing")
			w.want("the states", w.states("set1"), c.want)
		})
	}
}
