package view_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/agent/view/viewtest"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// proposals are change sets that are proposed, decided and moved at random.
type proposals struct {
	t     *rapid.T
	sets  []*ledger.ChangeSet
	files map[string]*proposedFile
}

// proposedFile is a file as the editor has it.
type proposedFile struct {
	open    bool
	version int32
}

// states that hunks have, by whether they wait for the user.
var someStates = []ledger.Hunk{
	{State: ledger.Pending},
	{State: ledger.Pending, Formatted: true},
	{State: ledger.Accepted, Unasked: true, Undecided: true},
	{State: ledger.Conflicted, Reason: "the text there has changed"},
	{State: ledger.Rejected},
	{State: ledger.Accepted},
	{State: ledger.Superseded},
}

func (p *proposals) n(most int, what string) int { return rapid.IntRange(0, most).Draw(p.t, what) }

func (p *proposals) state() ledger.Hunk { return rapid.SampledFrom(someStates).Draw(p.t, "state") }

// propose adds a change set.
func (p *proposals) propose() *ledger.ChangeSet {
	cs := &ledger.ChangeSet{ID: fmt.Sprint("set", len(p.sets)), SessionID: fmt.Sprint("s", p.n(1, "session")), CallID: "call"}
	for range 1 + p.n(1, "files") {
		path := fmt.Sprintf("/w/%c.go", 'a'+p.n(2, "file"))
		if p.files[path] == nil {
			p.files[path] = &proposedFile{}
		}
		f := ledger.FileChange{Path: path, URI: ide.FileURI(path), Op: rapid.SampledFrom([]ledger.Op{ledger.Modify, ledger.Modify, ledger.Create, ledger.Delete, ledger.Rename}).Draw(p.t, "op")}
		if f.Op == ledger.Rename {
			f.NewPath = "/w/new.go"
		}
		for range 1 + p.n(2, "hunks") {
			h := p.state()
			h.ID = fmt.Sprintf("%s.%d", cs.ID, len(cs.Hunks(nil))+len(f.Hunks)+1)
			h.OldText, h.NewText = "a\nb\n", "a\nc\n"
			line := uint32(p.n(30, "line"))
			h.Range = ide.Range{Start: ide.Position{Line: line}, End: ide.Position{Line: line + 2}}
			f.Hunks = append(f.Hunks, h)
		}
		cs.Files = append(cs.Files, f)
	}
	p.sets = append(p.sets, cs)
	return cs
}

// step changes something and tells w.
func (p *proposals) step(w *view.Window) {
	if len(p.sets) == 0 || p.n(4, "step") == 0 {
		p.tell(w, p.propose())
		return
	}
	cs := rapid.SampledFrom(p.sets).Draw(p.t, "set")
	f := &cs.Files[p.n(len(cs.Files)-1, "which file")]
	h := &f.Hunks[p.n(len(f.Hunks)-1, "which hunk")]
	switch p.n(4, "what") {
	case 0:
		s := p.state()
		h.State, h.Reason, h.Unasked, h.Undecided = s.State, s.Reason, s.Unasked, s.Undecided
		p.tell(w, cs)
	case 1:
		file := p.files[f.Path]
		file.open, file.version = !file.open, 1
		p.tell(w, p.sets...)
	case 2:
		h.Range.End.Line += uint32(p.n(1, "grows"))
		p.tell(w, cs)
	default:
		from, by := uint32(p.n(30, "from")), p.n(4, "by")-2
		for _, cs := range p.sets {
			for _, o := range cs.Files {
				for i := range o.Hunks {
					if r := &o.Hunks[i].Range; o.Path == f.Path && r.Start.Line >= from && int(r.Start.Line)+by >= 0 {
						r.Start.Line, r.End.Line = uint32(int(r.Start.Line)+by), uint32(int(r.End.Line)+by)
					}
				}
			}
		}
		p.files[f.Path].version++
		p.tell(w, p.sets...)
	}
}

func (p *proposals) tell(w *view.Window, sets ...*ledger.ChangeSet) {
	for _, cs := range sets {
		cs.Version++
		c := *cs
		c.Files = nil
		for _, f := range cs.Files {
			f.Open, f.DocVersion = p.files[f.Path].open, p.files[f.Path].version
			f.Hunks = append([]ledger.Hunk{}, f.Hunks...)
			c.Files = append(c.Files, f)
		}
		w.PutChangeSet(c)
	}
}

// Whatever is put, dropped, proposed, decided and moved, a client that was sent the differences
// has what the window has, in its order.
func TestTheWindowIsDrawnFromDifferences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := view.NewWindow()
		w.ForgetHunks(view.Options{Encoding: ide.UTF16})
		p := &proposals{t: t, files: map[string]*proposedFile{}}
		atOnce := rapid.IntRange(0, 2).Draw(t, "hunks at once")
		w.Whole(atOnce)
		fold := viewtest.New(nil)
		apply := func(due view.Due) {
			changes, hunks := w.Changes(due), 0
			for _, c := range changes {
				if c.Hunk != nil {
					hunks++
				}
			}
			if atOnce > 0 && hunks > atOnce {
				t.Fatalf("%d hunks come at once, more than %d", hunks, atOnce)
			}
			fold.Apply(changes)
		}
		kinds := []view.Kind{view.KindWelcome, view.KindTask, view.KindNotice, view.KindStatus}
		for n := range rapid.IntRange(1, 40).Draw(t, "steps") {
			kind := rapid.SampledFrom(kinds).Draw(t, "kind")
			id := fmt.Sprint(kind, rapid.IntRange(0, 3).Draw(t, "id"))
			switch rapid.IntRange(0, 8).Draw(t, "do") {
			case 0:
				w.Drop(id)
			case 1:
				apply(view.Due{Status: rapid.Bool().Draw(t, "status"), Moves: rapid.Bool().Draw(t, "moves")})
			case 8:
				status, items, hunks := w.Whole(atOnce)
				fold = viewtest.New(items)
				fold.SetHunks(hunks)
				if status != nil {
					fold.Status = *status
				}
			case 2:
				i := view.Item{ID: id, Kind: kind, Title: view.Text{Text: fmt.Sprint(n)}}
				if kind == view.KindTask && id != "task0" && rapid.Bool().Draw(t, "below") {
					if _, ok := w.Item("task0"); ok {
						i.Parent = "task0"
					}
				}
				w.Put(i)
			default:
				p.step(w)
			}
		}
		for w.Changed() != (view.Due{}) {
			apply(view.Due{Status: true, Moves: true})
		}
		status, items, hunks := w.Whole(0)
		if diff := differ(items, fold.Items(), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("the client has something else (-there +drawn):\n%s", diff)
		}
		whole := viewtest.New(nil)
		whole.SetHunks(hunks)
		if diff := differ(whole.Hunks(), fold.Hunks(), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("the client has other hunks (-there +drawn):\n%s", diff)
		}
		if status != nil {
			if diff := differ(*status, fold.Status); diff != "" {
				t.Fatalf("the client has another status:\n%s", diff)
			}
		}
		if due := w.Changed(); due != (view.Due{}) {
			t.Fatalf("more has changed after everything was sent: %+v", due)
		}
	})
}
