package ledger_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/emendo-dev/emendo/ide/ledger"
)

// Accepting and undoing hunks in a closed file restores every byte, or reports that they
// cannot be undone.
func TestUndoRestoresEveryByte(t *testing.T) {
	starts := []string{"", "\xef\xbb\xbf", "\xff\xfe", "\xe9t\xe9 "} // prefixes that change the encoding
	whole := 0
	const runs = 60
	for seed := range runs {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := newWorld(t)
			p := &play{world: w, dice: rand.New(rand.NewPCG(uint64(seed), 11)), fatal: t.Fatalf}
			p.ends = [][]string{{"\n"}, {"\r\n"}, {"\n", "\r\n"}, {"\r"}}[p.IntN(4)]
			text := p.text(1 + p.IntN(20))
			if p.IntN(3) == 0 {
				text += "no end"
			}
			start := starts[p.IntN(len(starts))]
			if start == "\xff\xfe" {
				text = wide(text)
			}
			text = start + text
			w.write("a", text)
			for range 12 {
				p.changeOnDisk("a")
			}
			p.rejectAll(p.hunks(ledger.Pending))
			accepted := p.hunks(ledger.Accepted)
			for range 12 { // hunks are undone before those that they are based on
				p.rejectAll(accepted)
			}
			if refused := p.rejectAll(accepted); !refused {
				whole++
				w.want("the file", w.disk("a"), text)
			}
		})
	}
	if whole < runs*3/4 {
		t.Errorf("%d of %d files were restored", whole, runs)
	}
}

// wide returns a text encoded as UTF-16.
func wide(text string) string {
	var b []byte
	for _, c := range []byte(text) {
		b = append(b, c, 0)
	}
	return string(b)
}

// changeOnDisk proposes a change, or decides on a pending one.
func (p *play) changeOnDisk(name string) {
	if p.IntN(3) == 0 {
		f := p.view(name)
		if text := p.edited(f.Text); text != f.Text.String() {
			p.proposeFile(ledger.Proposed{Path: f.Path, Op: ledger.Modify, Base: f, New: text})
		}
		return
	}
	sets := p.l.List("", "", ledger.Pending)
	if len(sets) == 0 {
		return
	}
	cs := sets[p.IntN(len(sets))]
	h := cs.Files[0].Hunks[p.IntN(len(cs.Files[0].Hunks))]
	if h.State != ledger.Pending {
		return
	}
	d := ledger.Decision{ChangeSetID: cs.ID, HunkID: h.ID, Action: []ledger.Action{ledger.Accept, ledger.Accept, ledger.Reject}[p.IntN(3)]}
	r := p.resolve(d)
	if d.Action == ledger.Accept && !slices.Contains(r.Applied, h.ID) {
		p.fatal("%s is not accepted: %+v\n%q to %q in %q", h.ID, r.Conflicts, h.OldText, h.NewText, p.disk(name))
	}
}

// hunks returns the IDs of all hunks in a state.
func (p *play) hunks(state ledger.State) map[string]bool {
	ids := map[string]bool{}
	for _, cs := range p.l.List("", "", "") {
		for _, h := range cs.Files[0].Hunks {
			if h.State == state {
				ids[h.ID] = true
			}
		}
	}
	return ids
}

// rejectAll rejects hunks, newest first, and reports whether one could not be.
func (p *play) rejectAll(ids map[string]bool) (refused bool) {
	for _, cs := range slices.Backward(p.l.List("", "", "")) {
		for _, h := range cs.Files[0].Hunks {
			if ids[h.ID] {
				r := p.resolve(ledger.Decision{ChangeSetID: cs.ID, HunkID: h.ID, Action: ledger.Reject})
				refused = refused || len(r.Conflicts) > 0
			}
		}
	}
	return refused
}
