package ledger_test

import (
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/ide/ledger"
)

func TestConflictNamesTheNearestPassage(t *testing.T) {
	const text = "func one() {\n\treturn 1\n}\n\nfunc two() {\n\treturn 2\n}\n\nfunc copied() {\n\t\treturn 2\n}\n"
	for _, c := range []struct{ name, old, new, want string }{
		{name: "what was typed in its place", old: "func two() {\n\treturn 2\n", new: "func two() {\n\treturn 22\n", want: "func two() {\n\treturn 22\n"},
		{name: "the lines most like it when it is gone", old: "func two() {\n\treturn 2\n}\n\n", want: "func copied() {\n\t\treturn 2\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.open("a.go", text)
				w.propose("a.go", replaceOnce(text, "func two() {\n\treturn 2\n", "func second() {\n\treturn two\n"))
				w.typed("a.go", c.old, c.new)
				r := w.decide("set1", 0, ledger.Accept)
				if len(r.Conflicts) != 1 || r.Conflicts[0].Nearest == nil {
					t.Fatalf("got %+v", r)
				}
				w.want("the passage", r.Conflicts[0].Nearest.Text, c.want)
			})
		})
	}
}
