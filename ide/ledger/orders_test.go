package ledger_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/ide/ledger"
)

var orders = flag.Int("orders", 40, "how many sets of verdicts TestTheOrderOfVerdictsDoesNotMatter resolves, in two orders each")

// site is a line of the file with hunks on top of each other, and how many of them are applied in
// the end. The others are rejected if the first of them is, or left without it.
type site struct {
	line     string
	hunks    []string // by the order of their proposals
	edits    []func(string) string
	applied  int // before the verdicts
	in       int
	rejected bool
	left     bool
	last     bool // the last one is rejected by itself
}

func (s *site) text() string {
	text := s.line
	for _, f := range s.edits[:s.in] {
		text = f(text)
	}
	return text
}

// ordered is a file with hunks in one window.
type ordered struct {
	*world
	sites []*site
	lines []string // between the sites
	final []string // what becomes of them
	log   []string
}

// newOrdered proposes changes up to five deep, some of which are applied unasked.
func newOrdered(w *world, r *rand.Rand) *ordered {
	o := &ordered{world: w}
	for i := range 2 + r.IntN(3) {
		o.lines = append(o.lines, fmt.Sprintf("between %d\n", i))
		o.sites = append(o.sites, &site{line: fmt.Sprintf("site %d\n", i)})
	}
	o.final = slices.Clone(o.lines)
	w.open("a", o.whole(o.lines, func(s *site) string { return s.line }))
	for k := range 1 + r.IntN(5) {
		text := w.view("a").Text.String()
		var of []*site
		for _, s := range o.sites {
			if r.IntN(3) == 0 && len(of) > 0 {
				continue
			}
			edit := []func(string) string{
				func(t string) string { return fmt.Sprintf("v%d %s", k, t) },
				func(t string) string {
					first, _, _ := strings.Cut(t, "\n")
					return fmt.Sprintf("w%d %s\nbelow %d of %s", k, first, k, s.line)
				},
				func(t string) string { return fmt.Sprintf("whole %d of %s", k, s.line) },
			}[r.IntN(3)]
			before := s.line
			for _, f := range s.edits {
				before = f(before)
			}
			text = replaceOnce(text, "before\n"+before, "before\n"+edit(before))
			s.edits, of = append(s.edits, edit), append(of, s)
		}
		cs := w.propose("a", text)
		for i, s := range of {
			s.hunks = append(s.hunks, cs.Files[0].Hunks[i].ID)
		}
		if r.IntN(3) == 0 {
			w.resolve(ledger.Decision{ChangeSetID: cs.ID, Action: ledger.Accept, Unasked: true})
			for _, s := range of {
				s.applied = len(s.hunks)
			}
		}
	}
	return o
}

// whole returns the text of the file.
func (o *ordered) whole(lines []string, at func(*site) string) string {
	var b strings.Builder
	for i, s := range o.sites {
		b.WriteString("1\n2\n3\n4\n" + lines[i] + "5\n6\n7\nbefore\n" + at(s) + "after\n")
	}
	return b.String()
}

// verdicts returns decisions that do not contradict each other, and sets what they lead to.
func (o *ordered) verdicts(r *rand.Rand) (ds []ledger.Decision) {
	for _, s := range o.sites {
		n := len(s.hunks)
		verdict := func(i int, a ledger.Action) {
			id := s.hunks[i]
			set, _, _ := strings.Cut(id, ".")
			ds = append(ds, ledger.Decision{ChangeSetID: set, HunkID: id, Action: a, Leave: i == s.in && s.left})
		}
		if n == 0 {
			continue
		}
		s.left = r.IntN(3) == 0
		s.in = r.IntN(n + 1)
		for i := range n {
			switch {
			case i < s.in && i < s.applied && r.IntN(4) == 0:
				verdict(i, ledger.Keep)
			case i < s.in && i >= s.applied && (i == s.in-1 || r.IntN(4) == 0):
				verdict(i, ledger.Accept)
			case i == s.in && i < s.applied:
				s.rejected = true
				verdict(i, ledger.Undo)
			case i == s.in && r.IntN(2) == 0:
				s.rejected = true
				verdict(i, ledger.Reject)
			case i > s.in && s.rejected && i >= s.applied && (!s.left || i == n-1) && r.IntN(4) == 0:
				s.last = i == n-1
				verdict(i, ledger.Reject)
			}
		}
	}
	return ds
}

// give resolves the verdicts in a random order and in groups, with what else happens meanwhile.
func (o *ordered) give(ds []ledger.Decision, changed []int, r *rand.Rand, restarts bool) {
	var steps []func()
	for len(ds) > 0 {
		n := 1 + r.IntN(len(ds))
		some := ds[:n]
		steps = append(steps, func() {
			r := o.resolve(some...)
			for _, d := range some {
				o.note("%s %s", d.Action, d.HunkID)
			}
			for _, c := range r.Conflicts {
				o.note("  conflict %s: %s", c.HunkID, c.Reason)
			}
		})
		ds = ds[n:]
	}
	for _, i := range changed {
		o.final[i] = fmt.Sprintf("changed %d\n", i)
		steps = append(steps, func() { o.change(i, r.IntN(3)) })
	}
	for range r.IntN(5) {
		steps = append(steps, func() { o.disturb(r, restarts) })
	}
	r.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	for _, f := range steps {
		f()
		o.e.Wait()
		if r.IntN(3) == 0 {
			o.pause()
		}
	}
}

func (o *ordered) note(format string, args ...any) {
	o.log = append(o.log, fmt.Sprintf(format, args...))
}

// change changes a line between the sites: the user does, another program, or another window.
func (o *ordered) change(i, by int) {
	old, new := o.lines[i], o.final[i]
	o.note("change by %d", by)
	if by == 0 {
		o.typed("a", old, new)
		return
	}
	o.reopened(func() {
		text := replaceOnce(o.disk("a"), old, new)
		if by == 1 {
			o.write("new", text)
			if err := os.Rename(o.path("new"), o.path("a")); err != nil { // a reader finds the file whole
				o.t.Fatal(err)
			}
			return
		}
		second := newWorldIn(o.t, o.dir)
		second.resolve(ledger.Decision{ChangeSetID: second.propose("a", text).ID, Action: ledger.Accept, Unasked: true})
	})
}

// reopened saves and closes the file for a while.
func (o *ordered) reopened(meanwhile func()) {
	o.e.SaveFile(o.uri("a"))
	o.e.Close(o.uri("a"))
	meanwhile()
	o.e.Open(o.uri("a"), o.disk("a"))
}

// disturb does what changes nothing in the end.
func (o *ordered) disturb(r *rand.Rand, restarts bool) {
	n := r.IntN(6)
	o.note("disturb %d", n)
	switch {
	case n == 0:
		o.e.SaveFile(o.uri("a"))
	case n == 1:
		o.reopened(o.pause)
	case n == 2 && o.e.Undo() != "":
		o.e.Redo()
	case n == 3:
		at := r.IntN(len(o.text("a")))
		o.e.Type(o.uri("a"), at, at, "x\n"[:1+r.IntN(2)])
		if r.IntN(2) == 0 {
			o.pause()
		}
		o.e.Undo()
	case restarts:
		o.reopened(func() {
			sets := o.l.List("", "", "")
			o.l.Close()
			o.world = newWorldIn(o.t, o.dir)
			if err := o.l.Restore(context.Background(), sets); err != nil {
				o.t.Fatal(err)
			}
		})
	}
}

// check compares the file and the states with the reference.
func (o *ordered) check() error {
	if got, want := o.text("a"), o.whole(o.final, (*site).text); got != want {
		return fmt.Errorf("the text is\n%s\nwant\n%s", got, want)
	}
	states := map[string]ledger.State{}
	for _, cs := range o.l.List("", "", "") {
		for _, h := range cs.Hunks(nil) {
			states[h.ID] = h.State
		}
	}
	for _, s := range o.sites {
		for i, id := range s.hunks {
			want := ledger.Pending
			switch {
			case i < s.in:
				want = ledger.Accepted
			case s.rejected && s.left && i > s.in && i >= s.applied && (i < len(s.hunks)-1 || !s.last):
				want = ledger.Superseded
			case s.rejected:
				want = ledger.Rejected
			}
			// When the editor takes an undo back and repeats it, what was left on top is judged by the text.
			if want == ledger.Superseded && s.in < s.applied && states[id] == ledger.Conflicted {
				want = ledger.Conflicted
			}
			if states[id] != want {
				return fmt.Errorf("%s, hunk %d of %d at its place, is %s, want %s", id, i+1, len(s.hunks), states[id], want)
			}
		}
	}
	return nil
}

// Verdicts that do not contradict each other lead to the text and the states of a reference that
// knows only who is on top of whom, in whatever order and groups they come, while the user types,
// undoes and saves, other programs and windows write the file, and emendo starts again.
func TestTheOrderOfVerdictsDoesNotMatter(t *testing.T) {
	for seed := range uint64(*orders) {
		for order := range uint64(2) {
			synctest.Test(t, func(t *testing.T) {
				r := rand.New(rand.NewPCG(seed, 14))
				restarts := r.IntN(3) == 0
				o := newOrdered(newWorld(t), r)
				ds := o.verdicts(r)
				changed := r.Perm(len(o.lines))[:r.IntN(len(o.lines)+1)]
				its := rand.New(rand.NewPCG(seed, 15+order))
				its.Shuffle(len(ds), func(i, j int) { ds[i], ds[j] = ds[j], ds[i] })
				o.give(ds, changed, its, restarts)
				if slices.ContainsFunc(o.sites, func(s *site) bool { return s.left }) {
					o.pause() // until then what was left may be taken for pending
				}
				if err := o.check(); err != nil {
					t.Errorf("seed %d, order %d, restarts %v: %v\nafter\n%s", seed, order, restarts, err, strings.Join(o.log, "\n"))
				}
			})
		}
		if t.Failed() {
			return
		}
	}
}
