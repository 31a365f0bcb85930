package view_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/agent/view/viewtest"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/tools"
)

// sequencesFile has changes and what they make, for the folds of all clients.
const sequencesFile = "testdata/sequences.json"

// sequenceStep has changes for a client, or a view that it begins with again, or the page before
// its first item, and now and then what it has after them. Hunks are in no order.
type sequenceStep struct {
	View      *view.View      `json:"view,omitempty"`
	Earlier   *view.View      `json:"earlier,omitempty"`
	Changes   []view.Change   `json:"changes"`
	Items     []view.Item     `json:"items,omitzero"`
	Questions []view.Question `json:"questions,omitzero"`
	Hunks     []view.HunkView `json:"hunks,omitzero"`
}

// play has the fold of Go play a step, which then has what the step says.
func (s sequenceStep) play(t *testing.T, f *viewtest.Fold) *viewtest.Fold {
	t.Helper()
	if s.View != nil {
		f = viewtest.New(s.View.Items)
		f.Questions = slices.Clone(s.View.Questions)
		f.SetHunks(s.View.Hunks)
	}
	if s.Earlier != nil {
		f.Earlier(s.Earlier.Items)
	}
	f.Apply(s.Changes)
	if s.Items != nil {
		if diff := differ(s.Items, f.Items(), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("the fold has other items (-there +drawn):\n%s", diff)
		}
	}
	if s.Questions != nil {
		if diff := differ(s.Questions, f.Questions, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("the fold has other questions (-there +drawn):\n%s", diff)
		}
	}
	if s.Hunks != nil {
		whole := viewtest.New(nil)
		whole.SetHunks(s.Hunks)
		if diff := differ(whole.Hunks(), f.Hunks(), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("the fold has other hunks (-there +drawn):\n%s", diff)
		}
	}
	return f
}

// longOutput is a command that writes more than a client keeps.
func longOutput() (steps []sequenceStep) {
	c, all16 := newConversation(), ""
	add := func(e transcript.Event) {
		c.Add(transcript.Update{TurnID: "turn", Event: e})
		s := sequenceStep{Changes: c.Changes()}
		s.Items = all(c)
		steps = append(steps, s)
	}
	c.Run("turn")
	add(transcript.ToolCall{CallID: "call", Title: "make", Kind: tools.Execute, Args: json.RawMessage(`{"command":"make"}`)})
	for i := range 5 {
		all16 += strings.Repeat(fmt.Sprintf("line %d 😀\n", i), 700)
		if over := len(all16) - 16<<10; over > 0 {
			_, all16, _ = strings.Cut(all16[over:], "\n")
		}
		add(transcript.ToolUpdate{CallID: "call", State: transcript.Executing, Live: all16})
	}
	return steps
}

// prompts is a queue whose prompts move, are taken and come.
func prompts() (steps []sequenceStep) {
	c := newConversation()
	for _, order := range []string{"abc", "cab", "dcb", "bdce", "e", ""} {
		var l []view.Queued
		for _, id := range order {
			l = append(l, waiting(string(id), "prompt "+string(id)))
		}
		c.Queue(l, len(l) == 1)
		if len(l) == 4 {
			c.Add(transcript.Update{TurnID: "turn", Event: transcript.UserChunk{MessageID: "b", Block: l[0].Blocks[0]}})
			c.Add(transcript.Update{TurnID: "turn", Event: transcript.TurnEnded{StopReason: transcript.EndTurn}})
		}
		steps = append(steps, sequenceStep{Changes: c.Changes(), Items: all(c)})
	}
	return steps
}

// windows draws what happens in the window: change sets that are proposed, decided, moved and
// opened, tasks that stand below another, and a client that begins again in between.
func windows(t *rapid.T) (steps []sequenceStep) {
	w := view.NewWindow()
	w.ForgetHunks(view.Options{Encoding: ide.UTF16})
	p := &proposals{t: t, files: map[string]*proposedFile{}}
	for n := range 60 {
		switch id := fmt.Sprint("task", rapid.IntRange(0, 2).Draw(t, "id")); rapid.IntRange(0, 9).Draw(t, "do") {
		case 0:
			w.Drop(id)
		case 1:
			i := view.Item{ID: id, Kind: view.KindTask, Title: view.Text{Text: fmt.Sprint(n)}}
			if _, ok := w.Item("task0"); ok && id != "task0" && rapid.Bool().Draw(t, "below") {
				i.Parent = "task0"
			}
			w.Put(i)
		default:
			p.step(w)
		}
		switch {
		case n%20 == 19: // it begins again, with more than it was sent
			_, items, hunks := w.Whole(0)
			v := &view.View{Items: items, Hunks: hunks, Questions: []view.Question{}, Verbs: []view.Action{}}
			steps = append(steps, sequenceStep{View: v, Changes: []view.Change{}, Items: items, Hunks: hunks})
		case n%8 == 3:
			s := sequenceStep{Changes: w.Changes(view.Due{Status: true, Moves: true})}
			_, s.Items, s.Hunks = w.Whole(0)
			steps = append(steps, s)
		case n%2 == 1:
			steps = append(steps, sequenceStep{Changes: w.Changes(view.Due{Moves: rapid.Bool().Draw(t, "moves")})})
		}
	}
	return steps
}

// pages draws a conversation that goes on while a client fetches what is before its first item.
func pages(t *rapid.T) (steps []sequenceStep) {
	g, c, twin := &events{t: t, short: true}, newConversation(), newConversation()
	add := func(n int) {
		for range n {
			u := g.next()
			c.Add(u)
			twin.Add(u)
		}
	}
	add(60)
	has := map[string]bool{}
	get := func(first string) *view.View {
		v := &view.View{Questions: []view.Question{}, Hunks: []view.HunkView{}, Verbs: []view.Action{}}
		v.Items, v.Earlier = c.Page(view.Page{Before: first, Items: 5, Bytes: 1 << 30, Bodies: true})
		for _, i := range v.Items {
			has[i.ID] = true
		}
		return v
	}
	v := get("")
	steps = append(steps, sequenceStep{View: v, Changes: []view.Change{}})
	for v.Earlier {
		add(3)
		if _, there := c.Item(viewtest.First(v.Items)); !there {
			break
		}
		v = get(viewtest.First(v.Items))
		s := sequenceStep{Earlier: v, Changes: c.Changes()}
		for _, change := range s.Changes {
			if change.Item != nil {
				has[change.Item.ID] = true
			}
		}
		s.Items = slices.DeleteFunc(all(twin), func(i view.Item) bool { return !has[i.ID] || i.Parent != "" && !has[i.Parent] })
		steps = append(steps, s)
	}
	return steps
}

// questions come, are replaced where they stand and elsewhere, and go, together with what is
// below an item.
func questions() []sequenceStep {
	q := func(id, title string) *view.Question {
		return &view.Question{ID: id, Title: view.Text{Text: title}, Parts: []view.Part{}, Lines: []view.Line{}, Options: []view.Action{}}
	}
	turn, call := &view.Item{ID: "t", Kind: view.KindTurn}, &view.Item{ID: "t/call", Parent: "t", Kind: view.KindCall}
	return []sequenceStep{
		{Changes: []view.Change{{Item: turn}, {Item: call}, {Question: q("a", "1")}, {Question: q("b", "1")}}, Questions: []view.Question{*q("a", "1"), *q("b", "1")}},
		{Changes: []view.Change{{Question: q("a", "2")}, {Question: q("c", "1"), After: view.Behind("a")}}, Questions: []view.Question{*q("a", "2"), *q("c", "1"), *q("b", "1")}},
		{Changes: []view.Change{{Question: q("b", "2"), After: view.Behind("")}}, Questions: []view.Question{*q("b", "2"), *q("a", "2"), *q("c", "1")}},
		{Changes: []view.Change{{Drop: []string{"a", "t"}}}, Items: []view.Item{}, Questions: []view.Question{*q("b", "2"), *q("c", "1")}},
		{View: &view.View{Items: []view.Item{*turn}, Questions: []view.Question{*q("d", "1")}, Hunks: []view.HunkView{}, Verbs: []view.Action{}}, Changes: []view.Change{}, Items: []view.Item{*turn}, Questions: []view.Question{*q("d", "1")}},
		{Changes: []view.Change{{Drop: []string{"d", "no such"}}}, Items: []view.Item{*turn}, Questions: []view.Question{}},
	}
}

// The clients in other languages play the same sequences. They are those of today's fold.
func TestSequencesAreThoseOfTheFold(t *testing.T) {
	drawn := rapid.Custom(func(t *rapid.T) []sequenceStep {
		g, c := &events{t: t, short: true}, newConversation()
		var steps []sequenceStep
		for n := range 40 {
			u := g.next()
			g.fold(u, c)
			if n%3 > 0 {
				continue
			}
			s := sequenceStep{Changes: c.Changes()}
			if n%13 == 0 {
				s.Items = all(c)
			}
			steps = append(steps, s)
		}
		return steps
	})
	var sequences [][]sequenceStep
	for seed := range 10 {
		sequences = append(sequences, drawn.Example(seed+1))
	}
	for seed := range 4 {
		sequences = append(sequences, rapid.Custom(windows).Example(seed+1))
	}
	for seed := range 3 {
		sequences = append(sequences, rapid.Custom(pages).Example(seed+1))
	}
	sequences = append(sequences, longOutput(), prompts(), questions())
	for _, steps := range sequences {
		f := viewtest.New(nil)
		for _, s := range steps {
			f = s.play(t, f)
		}
	}
	var b bytes.Buffer
	for n, steps := range sequences { // a step is one line
		b.WriteString(map[bool]string{true: "[[\n", false: "],[\n"}[n == 0])
		for i, s := range steps {
			raw, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			b.Write(raw)
			b.WriteString(map[bool]string{true: "\n", false: ",\n"}[i == len(steps)-1])
		}
	}
	b.WriteString("]]\n")
	if *update {
		if err := os.WriteFile(sequencesFile, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(sequencesFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("%s is of another fold: run go test ./agent/view -run Sequences -update, and the tests of the clients", sequencesFile)
	}
}
