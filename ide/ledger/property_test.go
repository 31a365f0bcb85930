package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/idetest"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// dice are where choices come from: a seed, or a list that rapid makes small.
type dice interface{ IntN(n int) int }

type drawn struct{ choices []int }

func (d *drawn) IntN(n int) int {
	if len(d.choices) == 0 {
		return 0
	}
	c := d.choices[0]
	d.choices = d.choices[1:]
	return c % n
}

// play is a run of random steps.
type play struct {
	*world
	dice
	m     *model
	uri   string
	lines int
	fatal func(format string, args ...any)
}

// newPlay opens a random document.
func newPlay(w *world, d dice, fatal func(string, ...any)) *play {
	p := &play{world: w, dice: d, uri: w.uri("untitled:a"), fatal: fatal}
	text := p.text(d.IntN(24))
	if d.IntN(4) == 0 {
		text = strings.TrimSuffix(text, "\n")
	}
	p.m = newModel(text)
	w.e.Open(p.uri, text)
	w.e.OnMade = p.m.made
	w.e.Merged = d.IntN(3) == 0
	w.e.Whole = d.IntN(6) == 0
	p.m.blurred = w.e.Whole
	return p
}

// text is that many lines, many of them alike.
func (p *play) text(lines int) string {
	var s strings.Builder
	for range lines {
		s.WriteString([]string{"}\n", "\n", "a\n", "b\n", "\treturn\n", p.line(), p.line()}[p.IntN(7)])
	}
	return s.String()
}

// line is one that is nowhere else.
func (p *play) line() string {
	p.lines++
	return "n" + strconv.Itoa(p.lines) + "\n"
}

func (p *play) step() {
	switch n := p.IntN(100); {
	case n < 40:
		p.typeSomething()
	case n < 52:
		p.propose()
	case n < 80:
		p.decide()
	case n < 92:
		p.e.Undo()
		p.m.travel(&p.m.undo, &p.m.redo)
	default:
		p.e.Redo()
		p.m.travel(&p.m.redo, &p.m.undo)
	}
	p.e.Wait()
	if err := p.m.check(p.e.Text(p.uri), p.l.List("", "", "")); err != nil {
		p.fatal("%v\nafter\n%s", err, strings.Join(p.m.events, "\n"))
	}
}

// typeSomething types, deletes or pastes inside lines or whole lines.
func (p *play) typeSomething() {
	text := ide.NewText(p.e.Text(p.uri))
	a := p.IntN(text.Len() + 1)
	var b int
	var new string
	if p.IntN(2) == 0 { // whole lines
		a = text.LineStart(p.IntN(text.Lines()))
		b = text.LineStart(text.LineAt(a) + p.IntN(4)*p.IntN(2))
		new = p.text(p.IntN(3))
	} else {
		b = min(text.Len(), a+p.IntN(6)*p.IntN(3))
		new = []string{"", "x", "\n", "y\n", "}"}[p.IntN(5)]
	}
	if a == b && new == "" {
		new = "z"
	}
	if text.Slice(a, b) == new {
		return
	}
	p.m.typed(a, b, new)
	p.e.Type(p.uri, a, b, new)
}

// propose replaces, adds and removes lines of a session's view.
func (p *play) propose() {
	session := []string{"s", "s", "other"}[p.IntN(3)]
	ctx := context.Background()
	f, err := p.l.View(ctx, session, p.uri)
	if err != nil {
		p.fatal("view: %v", err)
	}
	lines := strings.SplitAfter(f.Text.String(), "\n")
	for range 1 + p.IntN(3) {
		i := p.IntN(len(lines))
		switch p.IntN(3) {
		case 0:
			lines[i] = p.line()
		case 1:
			lines[i] += p.line()
			if !strings.HasSuffix(lines[i], "\n") {
				lines[i] += "\n"
			}
		case 2:
			lines[i] = ""
		}
	}
	if p.IntN(6) == 0 { // the user types while the model thinks
		p.typeSomething()
	}
	before := p.l.List("", "", "")
	cs, err := p.l.Propose(ctx, ledger.Proposal{SessionID: session, Title: "a change", Files: []ledger.Proposed{
		{URI: ide.URI(p.uri), Op: ledger.Modify, Base: f, New: strings.Join(lines, "")},
	}})
	if errors.Is(err, ledger.ErrNoChange) {
		return
	}
	if err != nil {
		p.fatal("propose: %v", err)
	}
	p.m.proposed(cs, before)
}

// decide decides a hunk or a change set while the editor does as editors do.
func (p *play) decide() {
	sets := p.l.List("", "", "")
	if len(sets) == 0 {
		return
	}
	cs := sets[max(p.IntN(len(sets)), p.IntN(len(sets)))]
	d := ledger.Decision{ChangeSetID: cs.ID, Action: []ledger.Action{ledger.Accept, ledger.Accept, ledger.Accept, ledger.Reject, ledger.Reopen}[p.IntN(5)]}
	if hunks := cs.Files[0].Hunks; p.IntN(3) > 0 {
		h := hunks[p.IntN(len(hunks))]
		d.HunkID = h.ID
		if d.Action == ledger.Accept && h.State == ledger.Pending && p.IntN(5) == 0 {
			text := p.line()
			d.Text = &text
			p.m.retext(h.ID, text)
		}
	}
	p.e.OnEdit = p.answer
	p.m.decided(d)
	r, err := p.l.Resolve(context.Background(), []ledger.Decision{d}, "")
	if err != nil {
		p.fatal("resolve: %v", err)
	}
	for _, c := range r.Conflicts {
		p.m.mu.Lock()
		p.m.events = append(p.m.events, "  conflict "+c.HunkID+": "+c.Reason)
		p.m.mu.Unlock()
		p.m.fail(c.HunkID)
	}
}

// answer is what the editor does with an edit.
func (p *play) answer(int, ide.Edit) idetest.Answer {
	switch p.IntN(14) {
	case 0:
		return idetest.Answer{Refuse: ide.ErrRefused}
	case 1:
		return idetest.Answer{Lie: true}
	case 2:
		return idetest.Answer{Before: p.typeSomething}
	case 3:
		return idetest.Answer{Echo: time.Second}
	case 4:
		return idetest.Answer{Late: 3 * time.Second}
	case 5:
		return idetest.Answer{Late: time.Second}
	case 6:
		return idetest.Answer{AfterEcho: p.typeSomething}
	case 7:
		return idetest.Answer{Never: true}
	case 8:
		return idetest.Answer{Echo: 3 * time.Second}
	}
	return idetest.Answer{}
}

// Every byte of the document is followed by a model that knows nothing of the
// ledger: the text is always what the merge says, bytes outside accepted hunks
// are the user's, and every hunk stands where its state says. More runs with
// EMENDO_LEDGER_RUNS.
func TestTheTextIsWhatTheMergeSays(t *testing.T) {
	runs, steps := 150, 60
	if n, err := strconv.Atoi(os.Getenv("EMENDO_LEDGER_RUNS")); err == nil {
		runs = n
	}
	for seed := range runs {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPlay(newWorld(t), rand.New(rand.NewPCG(uint64(seed), 7)), t.Fatalf)
				for range steps {
					p.step()
				}
			})
		})
	}
}

// The same with choices that rapid makes fewer when one fails.
func TestTheTextIsWhatTheMergeSaysInFewSteps(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := &drawn{rapid.SliceOfN(rapid.IntRange(0, 1000), 20, 400).Draw(r, "choices")}
		failed := ""
		synctest.Test(t, func(t *testing.T) {
			p := newPlay(newWorld(t), d, func(f string, args ...any) {
				failed = fmt.Sprintf(f, args...)
				runtime.Goexit()
			})
			for len(d.choices) > 0 {
				p.step()
			}
		})
		if failed != "" {
			r.Fatal(failed)
		}
	})
}
