package ledger_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/emendo-dev/emendo/ide/ledger"
)

// TestNobodyEditedWhatOnlyTheModelChanged makes random edits of one file that build
// on each other and are all accepted: no hunk may count as edited by the user.
func TestNobodyEditedWhatOnlyTheModelChanged(t *testing.T) {
	dir := t.TempDir()
	files := 0
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorldIn(t, dir)
		files++
		name, marks := fmt.Sprintf("f%d.txt", files), 0
		lines := func(n int) []string {
			var l []string
			for range n {
				marks++
				l = append(l, rapid.SampledFrom([]string{"}\n", "\n", "a\n", fmt.Sprintf("line %d\n", marks), fmt.Sprintf("line %d\n", marks)}).Draw(rt, "line"))
			}
			return l
		}
		text := lines(rapid.IntRange(1, 12).Draw(rt, "lines"))
		created := rapid.Bool().Draw(rt, "created")
		opened := !created && rapid.Bool().Draw(rt, "opened")
		switch {
		case opened:
			w.open(name, strings.Join(text, ""))
		case !created:
			w.write(name, strings.Join(text, ""))
		}
		later := rapid.Bool().Draw(rt, "accepted together")
		var sets []string
		for i := range rapid.IntRange(2, 5).Draw(rt, "edits") {
			before := strings.Join(text, "")
			for range rapid.IntRange(1, 3).Draw(rt, "changes") {
				a := rapid.IntRange(0, len(text)).Draw(rt, "from")
				b := rapid.IntRange(a, min(len(text), a+3)).Draw(rt, "to")
				text = append(append(append([]string{}, text[:a]...), lines(rapid.IntRange(0, 3).Draw(rt, "new"))...), text[b:]...)
			}
			now := strings.Join(text, "")
			var cs ledger.ChangeSet
			switch {
			case created && i == 0:
				cs = w.proposeFile(ledger.Proposed{Path: w.path(name), Op: ledger.Create, New: now})
			case before == now || w.view(name).Text.String() == now:
				continue
			default:
				cs = w.propose(name, now)
			}
			sets = append(sets, cs.ID)
			if !later {
				w.decide(cs.ID, 0, ledger.Accept)
			}
		}
		for _, id := range sets {
			if later {
				w.decide(id, 0, ledger.Accept)
			}
		}
		got := w.disk(name)
		if opened {
			got = w.text(name)
		}
		if want := strings.Join(text, ""); !later && got != want {
			rt.Fatalf("the file has %q, want %q", got, want)
		}
		for _, cs := range w.l.List("s", "", "") {
			for _, f := range cs.Files {
				for _, h := range f.Hunks { // accepted together, one may be the base of another
					if h.Edited || !later && h.State != ledger.Accepted {
						rt.Fatalf("hunk %s is %s (%s), edited %t: %q to %q", h.ID, h.State, h.Reason, h.Edited, h.OldText, h.NewText)
					}
				}
			}
		}
	})
}
