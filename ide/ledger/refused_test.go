package ledger_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/ide/ledger"
)

// A change set that is accepted after its file has changed on disk is decided as a
// whole: what the resolution reports as applied is accepted and in the file, the rest
// is not, has a reason, and nothing else has changed.
func TestAcceptingAfterAnyChangeDecidesEveryHunk(t *testing.T) {
	runs := 1500
	if testing.Short() {
		runs = 500
	}
	for _, open := range []bool{false, true} {
		t.Run(fmt.Sprintf("open %t", open), func(t *testing.T) {
			w := newWorld(t)
			refused := 0
			for seed := range runs {
				d := rand.New(rand.NewPCG(uint64(seed), 13))
				old := fewWords(d, 16)
				proposed, now := shuffled(d, old), shuffled(d, old)
				if d.IntN(2) == 0 {
					now = fewWords(d, 4)
				}
				if d.IntN(3) == 0 {
					now = strings.TrimSuffix(now, "\n")
				}
				if old == proposed {
					continue
				}
				name := fmt.Sprint(seed)
				w.write(name, old)
				cs := w.propose(name, proposed)
				w.write(name, now)
				if open {
					w.e.Open(w.uri(name), now)
				}
				w.view(name) // notices that the file has changed
				there := w.accepted(cs.ID)
				r := w.decide(cs.ID, 0, ledger.Accept)
				text := w.disk(name)
				if open {
					text = w.text(name)
				}
				if problem := undecided(r, there, now, text); problem != "" {
					t.Errorf("seed %d: %s\n%q to %q, found as %q, is %q\n%+v\n%+v", seed, problem, old, proposed, now, text, r.ChangeSets[0].Files[0].Hunks, r.Conflicts)
				}
				if len(r.Conflicts) > 0 && len(r.Applied) > 0 {
					refused++
				}
				if open {
					w.e.Close(w.uri(name))
				}
			}
			if refused < runs/20 {
				t.Errorf("only %d of %d change sets were applied in part", refused, runs)
			}
		})
	}
}

// accepted returns the IDs of the accepted hunks of a change set.
func (w *world) accepted(id string) map[string]bool {
	w.t.Helper()
	cs, err := w.l.Get(id)
	if err != nil {
		w.t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, h := range cs.Files[0].Hunks {
		ids[h.ID] = h.State == ledger.Accepted
	}
	return ids
}

// undecided checks the resolution of a change set of one file that was accepted. The
// text of the hunks in there was in the file before.
func undecided(r ledger.Resolution, there map[string]bool, before, after string) (problem string) {
	conflicts := map[string]string{}
	for _, c := range r.Conflicts {
		conflicts[c.HunkID] = c.Reason
	}
	var added []ledger.Hunk
	for _, h := range r.ChangeSets[0].Files[0].Hunks {
		reason, refused := conflicts[h.ID]
		applied := slices.Contains(r.Applied, h.ID)
		switch {
		case h.State == ledger.Pending:
			return h.ID + " is pending"
		case applied == refused:
			return fmt.Sprintf("%s: applied %t, refused %t", h.ID, applied, refused)
		case applied != (h.State == ledger.Accepted):
			return fmt.Sprintf("%s: applied %t, but %s", h.ID, applied, h.State)
		case refused && (reason == "" || h.Reason == ""):
			return h.ID + " is refused without a reason"
		case applied && after[h.A:h.B] != h.NewText:
			return h.ID + " is not in the file"
		case applied && !there[h.ID]:
			added = append(added, h)
		}
	}
	if !undoes(added, after, before) {
		return "the accepted hunks do not make this text"
	}
	return ""
}

// undoes reports whether a text without these hunks is another one. Those at the same
// position are tried in every order.
func undoes(hunks []ledger.Hunk, after, before string) bool {
	if len(hunks) == 0 {
		return after == before
	}
	last := slices.MaxFunc(hunks, func(x, y ledger.Hunk) int { return x.A - y.A })
	for i, h := range hunks {
		if h.A == last.A && undoes(slices.Delete(slices.Clone(hunks), i, i+1), after[:h.A]+h.OldText+after[h.B:], before) {
			return true
		}
	}
	return false
}

// fewWords returns up to so many lines, with few different ones.
func fewWords(d dice, lines int) string {
	var s strings.Builder
	for range d.IntN(lines + 1) {
		s.WriteString("xyzab"[d.IntN(5):][:1] + "\n")
	}
	return s.String()
}

// shuffled returns a text with some lines removed and others added.
func shuffled(d dice, text string) string {
	var s strings.Builder
	for l := range strings.SplitAfterSeq(text, "\n") {
		switch d.IntN(6) {
		case 0:
		case 1:
			s.WriteString(l + fewWords(d, 1))
		default:
			s.WriteString(l)
		}
	}
	return s.String()
}

// What was to be applied at once is shown as waiting as soon as that has failed.
func TestWhatCouldNotBeAppliedWaits(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(w *world, id string)
	}{
		{"cancelled before", func(w *world, id string) {
			ctx, cancel := context.WithCancel(w.t.Context())
			cancel()
			if _, err := w.l.Resolve(ctx, []ledger.Decision{{ChangeSetID: id, Action: ledger.Accept, Unasked: true}}, ""); err == nil {
				w.t.Error("it was not cancelled")
			}
		}},
		{"contradictory", func(w *world, id string) {
			ds := []ledger.Decision{{ChangeSetID: id, Action: ledger.Accept}, {ChangeSetID: id, Action: ledger.Reject}}
			if _, err := w.l.Resolve(w.t.Context(), ds, ""); err == nil {
				w.t.Error("it was not refused")
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.open("a", "one\n")
			f := w.view("a")
			var last ledger.ChangeSet
			w.l.Watch(func(cs ledger.ChangeSet, _ bool) { last = cs })
			cs, err := w.l.Propose(t.Context(), ledger.Proposal{SessionID: "s", Applies: true, Files: []ledger.Proposed{{Path: f.Path, Op: ledger.Modify, Base: f, New: "two\n"}}})
			if err != nil || !last.Applies {
				t.Fatalf("proposed %+v: %v", last, err)
			}
			c.do(w, cs.ID)
			if last.Applies || last.State != ledger.Pending {
				t.Errorf("told is %+v", last)
			}
		})
	}
}
