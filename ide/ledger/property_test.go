package ledger_test

import (
	"context"
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

// dice makes choices from a seed, or from a list that rapid shrinks.
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
	docs  []*model
	steps [][]*model // the editor's undo stack: the documents changed by each step
	back  [][]*model // its redo stack
	lines int
	ends  []string // line ends
	fatal func(format string, args ...any)
}

// newPlay opens one or two random documents.
func newPlay(w *world, d dice, fatal func(string, ...any)) *play {
	p := &play{world: w, dice: d, fatal: fatal}
	p.ends = [][]string{{"\n"}, {"\n"}, {"\r\n"}, {"\n", "\r\n"}}[p.IntN(4)]
	for i := range 1 + p.IntN(2) {
		text := p.text(d.IntN(24))
		if d.IntN(4) == 0 {
			text = strings.TrimRight(text, "\r\n")
		}
		uri := w.uri([]string{"untitled:a", "untitled:b"}[i])
		p.docs = append(p.docs, newModel(ide.ParseURI(uri), text))
		w.e.Open(uri, text)
	}
	w.e.OnMade = p.made
	w.e.Merged = d.IntN(3) == 0
	w.e.Whole = d.IntN(6) == 0
	for _, m := range p.docs {
		m.blurred = w.e.Whole
	}
	return p
}

// doc picks a document.
func (p *play) doc() *model { return p.docs[p.IntN(len(p.docs))] }

// did records a step of the editor.
func (p *play) did(docs ...*model) {
	if len(docs) > 0 {
		p.steps, p.back = append(p.steps, docs), nil
	}
}

// made applies an edit by the ledger that the editor has made.
func (p *play) made(e ide.Edit) {
	var docs []*model
	for _, f := range e.Files {
		for _, m := range p.docs {
			if m.uri == f.Document.URI && len(f.Splices) > 0 {
				m.made(f.Splices)
				docs = append(docs, m)
			}
		}
	}
	p.did(docs...)
}

// travel applies an undo or a redo.
func (p *play) travel(from, to *[][]*model, move func(*model)) {
	n := len(*from) - 1
	if n < 0 {
		return
	}
	for _, m := range (*from)[n] {
		move(m)
	}
	*from, *to = (*from)[:n], append(*to, (*from)[n])
}

// text returns that many lines, with many duplicates.
func (p *play) text(lines int) string {
	var s strings.Builder
	for range lines {
		s.WriteString([]string{"}", "", "a", "b", "\treturn", p.mark(), p.mark()}[p.IntN(7)] + p.end())
	}
	return s.String()
}

// end returns a line end.
func (p *play) end() string { return p.ends[p.IntN(len(p.ends))] }

// mark returns a unique text.
func (p *play) mark() string {
	p.lines++
	return "n" + strconv.Itoa(p.lines)
}

// line returns a unique line.
func (p *play) line() string { return p.mark() + p.end() }

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
		p.travel(&p.steps, &p.back, func(m *model) { m.travel(&m.undo, &m.redo) })
	default:
		p.e.Redo()
		p.travel(&p.back, &p.steps, func(m *model) { m.travel(&m.redo, &m.undo) })
	}
	p.e.Wait()
	paused := p.IntN(2) == 0
	if paused {
		p.pause()
	}
	for _, m := range p.docs {
		if err := m.check(p.e.Text(string(m.uri)), p.l.List("", "", ""), paused); err != nil {
			p.fatal("%s: %v\nafter\n%s", m.uri, err, strings.Join(m.events, "\n"))
		}
	}
}

// typeSomething types, deletes or pastes inside lines or whole lines.
func (p *play) typeSomething() {
	m := p.doc()
	uri := string(m.uri)
	text := ide.NewText(p.e.Text(uri))
	a := p.IntN(text.Len() + 1)
	var b int
	var new string
	if p.IntN(2) == 0 { // whole lines
		a = text.LineStart(p.IntN(text.Lines()))
		b = text.LineStart(text.LineAt(a) + p.IntN(4)*p.IntN(2))
		new = p.text(p.IntN(3))
	} else {
		b = min(text.Len(), a+p.IntN(6)*p.IntN(3))
		a, b = outside(text, a), outside(text, b)
		new = []string{"", "x", p.end(), "y" + p.end(), "}"}[p.IntN(5)]
	}
	if a == b && new == "" {
		new = "z"
	}
	if text.Slice(a, b) == new {
		return
	}
	m.typed(a, b, new)
	p.did(m)
	p.e.Type(uri, a, b, new)
}

// outside moves an offset out of a line end, where no cursor can be.
func outside(t *ide.Text, at int) int {
	if at > 0 && at < t.Len() && t.Slice(at-1, at+1) == "\r\n" {
		return at - 1
	}
	return at
}

// propose replaces, adds and removes lines of a session's view of the documents.
func (p *play) propose() {
	session := []string{"s", "s", "other"}[p.IntN(3)]
	ctx := context.Background()
	proposal := ledger.Proposal{SessionID: session, Title: "a change"}
	for _, m := range p.docs {
		if len(p.docs) > 1 && p.IntN(3) == 0 {
			continue
		}
		f, err := p.l.View(ctx, session, string(m.uri))
		if err != nil {
			p.fatal("view: %v", err)
		}
		if text := p.edited(f.Text); text != f.Text.String() {
			proposal.Files = append(proposal.Files, ledger.Proposed{URI: m.uri, Op: ledger.Modify, Base: f, New: text})
		}
	}
	if p.IntN(6) == 0 { // the user types while the model thinks
		p.typeSomething()
	}
	if len(proposal.Files) == 0 {
		return
	}
	before := p.l.List("", "", "")
	cs, err := p.l.Propose(ctx, proposal)
	if err != nil {
		p.fatal("propose: %v", err)
	}
	for _, m := range p.docs {
		m.proposed(cs, before)
	}
}

// edited returns a text with lines replaced, added and removed.
func (p *play) edited(text *ide.Text) string {
	lines := linesOf(text)
	for range 1 + p.IntN(3) {
		i := p.IntN(len(lines))
		switch p.IntN(3) {
		case 0:
			lines[i] = p.line()
		case 1:
			lines[i] += p.line()
		case 2:
			lines[i] = ""
		}
	}
	return strings.Join(lines, "")
}

// linesOf returns the lines of a text with their ends.
func linesOf(t *ide.Text) []string {
	l := make([]string, t.Lines())
	for i := range l {
		l[i] = t.Slice(t.LineStart(i), t.LineStart(i+1))
	}
	return l
}

// decide decides on a hunk or a change set while the editor behaves realistically.
func (p *play) decide() {
	sets := p.l.List("", "", "")
	if len(sets) == 0 {
		return
	}
	cs := sets[max(p.IntN(len(sets)), p.IntN(len(sets)))]
	d := ledger.Decision{ChangeSetID: cs.ID, Action: []ledger.Action{ledger.Accept, ledger.Accept, ledger.Accept, ledger.Reject, ledger.Reopen}[p.IntN(5)]}
	if hunks := cs.Files[p.IntN(len(cs.Files))].Hunks; p.IntN(3) > 0 {
		h := hunks[p.IntN(len(hunks))]
		d.HunkID = h.ID
		if d.Action == ledger.Accept && h.State == ledger.Pending && p.IntN(5) == 0 {
			text := p.line()
			d.Text = &text
			for _, m := range p.docs {
				m.retext(h.ID, text)
			}
		}
	}
	p.e.OnEdit = p.answer
	for _, m := range p.docs {
		m.decided(d)
	}
	r, err := p.l.Resolve(context.Background(), []ledger.Decision{d}, "")
	if err != nil {
		p.fatal("resolve: %v", err)
	}
	for _, c := range r.Conflicts {
		for _, m := range p.docs {
			m.fail(c.HunkID, c.Reason)
		}
	}
}

// answer picks what the editor does with an edit.
func (p *play) answer(int, ide.Edit) idetest.Answer {
	switch p.IntN(15) {
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
	case 9:
		return idetest.Answer{Pieces: time.Second}
	}
	return idetest.Answer{}
}

// A model that is independent of the ledger tracks every byte of the document: the text
// is always the result of the merge, bytes outside accepted hunks are the user's, and
// the position of every hunk matches its state. EMENDO_LEDGER_RUNS sets the number of
// runs.
func TestTextEqualsTheMerge(t *testing.T) {
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

// The same with choices that rapid shrinks on failure.
func TestTextEqualsTheMergeInFewSteps(t *testing.T) {
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
