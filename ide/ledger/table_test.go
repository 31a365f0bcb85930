package ledger_test

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/idetest"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// The text of the file with the hunk's old text, its new one, and with neither.
const (
	oldText = "top\na\nend\n"
	newText = "top\nb\nend\n"
)

// Every cell of the table of a hunk holds, for a proposal and for what was applied unasked: in an
// open document, with decisions, typing, other programs and commits.
func TestEveryCellOfTheTable(t *testing.T) {
	for _, c := range slices.Concat(ledger.Rows()...) {
		for _, unasked := range []bool{false, true} {
			if c.Situation == "pending" && unasked || c.Situation == "unreviewed" && !unasked {
				continue // there is no such hunk
			}
			if c.Situation == "lost" && unasked {
				continue // only decisions on a proposal lose it
			}
			t.Run(fmt.Sprintf("%s, %s, unasked %t", c.Event, c.Situation, unasked), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t)
					s := w.standing(c, unasked)
					before := s.seen()
					s.happen(c.Event)
					s.want("the hunk", s.seen(), s.after(c.Effect, before))
					if got, want := s.refused, c.Effect == "unfit"; got != want {
						t.Errorf("among the conflicts: %t, want %t", got, want)
					}
				})
			})
		}
	}
}

// The table of docs/decisions/ledger.md is that of the code.
func TestTheTableIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/decisions/ledger.md")
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]string{
		"unfit":    "–",
		"stays":    "stays",
		"putIn":    "accepted",
		"turnDown": "rejected",
		"keep":     "reviewed",
		"takeBack": "old text back, rejected",
		"withdraw": "old text back, then as with its old text",
		"ask":      "pending; one applied unasked is applied again",
		"wait":     "pending; one applied unasked is rejected",
		"apply":    "accepted; one applied unasked as it was",
		"edit":     "`edited`",
		"conflict": "conflicted after a pause of 1.5 s",
		"follow":   "followed on the disk",
		"drop":     "no longer followed",
	}
	events := map[string]string{"old text": "its old text comes", "new text": "its new text comes", "other text": "other text comes into it", "base gone": "a hunk that it builds on is rejected", "close": "its document closes, or emendo starts again", "commit": "a commit of the user's has its text"}
	for _, cells := range ledger.Rows() {
		row := "| " + cmp.Or(events[cells[0].Event], "`"+cells[0].Event+"`") + " |"
		for _, c := range cells {
			row += " " + words[c.Effect] + " |"
		}
		if !strings.Contains(string(page), "\n"+row+"\n") {
			t.Errorf("docs/decisions/ledger.md has no row %s", row)
		}
	}
}

// standing is a hunk that something happens to.
type standing struct {
	*world
	cell    ledger.Cell
	id      string // of its change set
	base    string // of that of the hunk that it builds on; empty: none
	unasked bool
	refused bool // the decision on it was
}

// seen is what there is of a hunk.
type seen struct {
	state, text string
	decided     bool
	edited      bool
}

// standing brings a hunk into a situation.
func (w *world) standing(c ledger.Cell, unasked bool) *standing {
	w.t.Helper()
	s := &standing{world: w, cell: c, unasked: unasked}
	w.open("a.txt", oldText)
	accept := ledger.Decision{Action: ledger.Accept, Unasked: unasked}
	decide := func(id string, d ledger.Decision) {
		d.ChangeSetID = id
		w.resolve(d)
	}
	if c.Event == "base gone" {
		s.base = w.propose("a.txt", "top\nbase\nend\n").ID
		if c.Situation == "unreviewed" || c.Situation == "reviewed" {
			decide(s.base, accept)
		}
	}
	s.id = w.propose("a.txt", newText).ID
	switch c.Situation {
	case "unreviewed":
		decide(s.id, accept)
	case "reviewed":
		decide(s.id, accept)
		if unasked {
			decide(s.id, ledger.Decision{Action: ledger.Keep})
		}
	case "rejected":
		if unasked {
			decide(s.id, accept)
		}
		decide(s.id, ledger.Decision{Action: ledger.Reject})
	case "lost":
		if slices.Contains([]string{"old text", "new text", "other text"}, c.Event) {
			w.typed("a.txt", "a", "x")
			w.pause()
			break
		}
		w.e.OnEdit = func(int, ide.Edit) idetest.Answer { return idetest.Answer{Refuse: ide.ErrRefused} }
		decide(s.id, accept)
		w.e.OnEdit = nil
	}
	return s
}

func (s *standing) hunk() ledger.Hunk {
	s.t.Helper()
	cs, err := s.l.Get(s.id)
	if err != nil {
		s.t.Fatal(err)
	}
	return cs.Files[0].Hunks[0]
}

func (s *standing) seen() seen {
	h := s.hunk()
	text := s.text("a.txt")
	if s.cell.Event == "close" {
		text = "" // the editor has it no more
	}
	return seen{string(h.State), text, h.Reviewed(), h.Edited}
}

// happen has an event happen.
func (s *standing) happen(event string) {
	s.t.Helper()
	set := func(text string) {
		now := s.text("a.txt")
		if now == text { // it is given again
			s.e.Type(s.uri("a.txt"), len("top\n"), len(now)-len("end\n"), "y\n")
			now = s.text("a.txt")
		}
		s.e.Type(s.uri("a.txt"), len("top\n"), len(now)-len("end\n"), text[len("top\n"):len(text)-len("end\n")])
		s.pause()
	}
	switch event {
	case "old text":
		set(oldText)
	case "new text":
		set(newText)
	case "other text":
		set("top\nother\nend\n")
	case "base gone":
		s.resolve(ledger.Decision{ChangeSetID: s.base, Action: ledger.Reject})
	case "close":
		text := s.text("a.txt")
		s.write("a.txt", text)
		s.e.Close(s.uri("a.txt"))
		s.pause()
		s.write("a.txt", "first\n"+text)
		s.view("a.txt") // reads it
	case "commit":
		s.inCommit("a.txt", s.text("a.txt"), true)
	default:
		r := s.resolve(ledger.Decision{ChangeSetID: s.id, HunkID: s.id + ".1", Action: ledger.Action(event)})
		s.refused = len(r.Conflicts) > 0
	}
}

// after returns what an effect makes of the hunk.
func (s *standing) after(effect string, before seen) seen {
	s.t.Helper()
	is := before
	switch effect {
	case "unfit", "stays":
	case "putIn", "apply":
		is = seen{"accepted", newText, true, false}
		if effect == "apply" && s.unasked {
			is.decided = false // as it was before
		}
	case "turnDown":
		is.state, is.decided = "rejected", true
	case "keep":
		is.decided = true
	case "takeBack":
		is = seen{"rejected", oldText, true, false}
	case "ask":
		is = seen{"pending", oldText, false, false}
		if s.unasked {
			is = seen{"accepted", newText, false, false}
		}
	case "withdraw", "wait":
		is = seen{"pending", oldText, false, false}
		if s.unasked {
			is = seen{"rejected", oldText, effect == "withdraw" || before.decided, false}
		}
	case "edit":
		is.edited = true
	case "conflict":
		is = seen{"conflicted", "", false, false}
	case "follow", "drop":
		if at := s.hunk().Range.Start.Line; (at == 2) != (effect == "follow") {
			s.t.Errorf("after a line above the hunk is on line %d", at)
		}
	default:
		s.t.Fatalf("no such effect: %s", effect)
	}
	switch s.cell.Event {
	case "other text":
		is.text = "top\nother\nend\n"
	case "base gone":
		is.text = oldText
	}
	return is
}

// want compares what there is of a hunk with what there should be.
func (s *standing) want(what string, got, want seen) {
	s.t.Helper()
	if got != want {
		s.t.Errorf("%s: got %+v, want %+v", what, got, want)
	}
}
