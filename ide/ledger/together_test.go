package ledger_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/ide/ledger"
)

// Changes that are accepted together make the text that was proposed last, in whatever
// order the decision names them, also where lines repeat.
func TestChangesAmongRepeatedLinesAreAcceptedTogether(t *testing.T) {
	runs := 600
	if testing.Short() {
		runs = 100
	}
	for seed := range runs {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		lines := func(n int) []string {
			var l []string
			for range n {
				l = append(l, []string{"", "}", "a", "b", "\treturn"}[r.IntN(5)])
			}
			return l
		}
		whole := func(l []string) string {
			if len(l) == 0 {
				return ""
			}
			return strings.Join(l, "\n") + "\n"
		}
		now := lines(3 + r.IntN(20))
		first := whole(now)
		var texts []string
		for range 1 + r.IntN(4) {
			for range 1 + r.IntN(4) {
				at := r.IntN(len(now) + 1)
				to := at + r.IntN(min(4, len(now)-at+1))
				now = append(append(append([]string{}, now[:at]...), lines(r.IntN(4))...), now[to:]...)
			}
			texts = append(texts, whole(now))
		}
		open := r.IntN(2) == 0
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.write("a", first)
			if open {
				w.e.Open(w.uri("a"), first)
			}
			var sets []ledger.ChangeSet
			view := first
			for _, text := range texts {
				if text != view {
					sets = append(sets, w.propose("a", text))
					view = text
				}
			}
			var ds []ledger.Decision
			for _, s := range sets {
				if r.IntN(2) == 0 {
					ds = append(ds, ledger.Decision{ChangeSetID: s.ID, Action: ledger.Accept})
					continue
				}
				for _, f := range s.Files {
					for _, h := range f.Hunks {
						ds = append(ds, ledger.Decision{ChangeSetID: s.ID, HunkID: h.ID, Action: ledger.Accept})
					}
				}
			}
			r.Shuffle(len(ds), func(i, j int) { ds[i], ds[j] = ds[j], ds[i] })
			var log []string
			for len(ds) > 0 { // in one decision, or in a few
				n := 1 + r.IntN(len(ds))
				if r.IntN(2) == 0 {
					n = len(ds)
				}
				w.resolve(ds[:n]...)
				log = append(log, fmt.Sprint(ds[:n]))
				ds = ds[n:]
			}
			got := w.disk("a")
			if open {
				got = w.text("a")
			}
			if got != view {
				var states []string
				for _, s := range sets {
					states = append(states, w.states(s.ID))
				}
				t.Errorf("seed %d, open %v: from %q by %q it is %q: %s", seed, open, first, texts, got, fmt.Sprint(states)+fmt.Sprint(log))
			}
		})
	}
}
