package present_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// withHunks runs f with an editor that draws hunks from the window's view.
func withHunks(t *testing.T, f func(d *drawing)) { withHunksAnd(t, nil, f) }

// withHunksAnd is [withHunks] with a model that answers.
func withHunksAnd(t *testing.T, replies []modeltest.Reply, f func(d *drawing)) {
	worldtest.Play(t, lsptest.Recorded("helix").With("experimental.emendo", worldtest.Obj{"view": 1, "changes": true}), replies, func(w *worldtest.World) {
		d := &drawing{World: w}
		w.Editor.Heard = d.heard
		f(d)
		for _, wrong := range d.late {
			t.Error(wrong)
		}
	})
}

// check opens the window's view again, and checks that the client had it all.
func (d *drawing) check() {
	d.Helper()
	synctest.Wait()
	items, hunks := d.fold.Items(), d.fold.Hunks()
	d.get("")
	if diff := cmp.Diff(items, d.fold.Items(), cmpopts.EquateEmpty()); diff != "" {
		d.Errorf("the client had something else (-drawn +there):\n%s", diff)
	}
	if diff := cmp.Diff(hunks, d.fold.Hunks(), cmpopts.EquateEmpty()); diff != "" {
		d.Errorf("the client had other hunks (-drawn +there):\n%s", diff)
	}
}

// onHunk does an action of the window's view.
func (d *drawing) onHunk(id, action string, more worldtest.Obj) (view.Step, error) {
	p := worldtest.Obj{"id": id, "actionId": action, "version": d.version}
	for k, v := range more {
		p[k] = v
	}
	var r struct{ Steps []view.Step }
	err := d.Editor.Call(d.Context(), "emendo/view/act", p, &r)
	synctest.Wait()
	if len(r.Steps) > 0 {
		return r.Steps[0], err
	}
	return view.Step{}, err
}

// only returns the only hunk.
func (d *drawing) only() view.HunkView {
	d.Helper()
	if len(d.fold.Hunks()) != 1 {
		d.Fatalf("there are the hunks %+v", d.fold.Hunks())
	}
	for _, h := range d.fold.Hunks() {
		return h
	}
	return view.HunkView{}
}

// change proposes another text in place of one in an open document.
func (d *drawing) change(uri, old, text string) lsptest.ChangeSet {
	d.Helper()
	cs := d.Propose(worldtest.Obj{"uri": uri, "range": d.RangeOf(uri, old), "newText": text, "title": "Change it"})
	synctest.Wait()
	return cs
}

// A proposal in an open file is drawn with its rows, moves with the text, and is accepted by
// its action, with a text of the user's too. It is gone then.
func TestAHunkIsDrawnAndDecided(t *testing.T) {
	withHunks(t, func(d *drawing) {
		d.get("")
		u := d.Open()
		d.change(u, "return 1", "return 11")
		h := d.only()
		want := []view.Row{
			{Mark: "-", Text: "func a() int { return 1 }", Words: [][2]int{{22, 23}}},
			{Mark: "+", Text: "func a() int { return 11 }", Words: [][2]int{{22, 24}}},
		}
		if diff := cmp.Diff(want, h.Rows); diff != "" || h.State != view.HunkPending || h.Label.Text != "+1 −1" || *h.Version != 1 {
			t.Errorf("drawn is %+v, whose rows are wrong by\n%s", h, diff)
		}
		files := d.files()
		if len(files) != 1 || files[0].ID != h.FileID || files[0].Title.Text != "main.go" || files[0].Place.URI != u {
			t.Errorf("drawn are the files %+v", files)
		}
		d.Typed(u, "return 2 }\n", "return 2 }\n\n") // from now on the welcome says that it is not saved
		d.Advance()
		before := d.version
		d.Typed(u, "package main\n", "package main\n\n// two\n")
		d.Advance()
		if moved := d.only(); moved.Range.Start.Line != h.Range.Start.Line+2 || *moved.Version != 3 || d.version != before+1 {
			t.Errorf("two lines above it moved it from %+v to %+v", h.Range, moved.Range)
		}
		d.check()

		step, err := d.onHunk(h.ID, "edit", nil)
		if err != nil || step.Edit == nil || *step.Edit != "func a() int { return 11 }\n" || step.Place.URI != u {
			t.Errorf("to be edited is %+v: %v", step, err)
		}
		step, err = d.onHunk(h.ID, "show", nil)
		if err != nil || len(step.Diff) != 1 || step.Diff[0].Old != d.Editor.Text(u) || !strings.Contains(step.Diff[0].New, "return 11 ") {
			t.Errorf("to be compared is %+v: %v", step, err)
		}
		if _, err := d.onHunk(h.ID, "edit", worldtest.Obj{"text": "func a() int { return 12 }"}); err != nil { // its line ends as before
			t.Error(err)
		}
		if len(d.fold.Hunks())+len(d.files()) != 0 || !strings.Contains(d.Editor.Text(u), "return 12 }\n\n//") {
			t.Errorf("left are %+v and %+v, and the text is %q", d.fold.Hunks(), d.fold.Items(), d.Editor.Text(u))
		}
		_, err = d.onHunk(h.ID, "accept", nil)
		d.Refused(err, rpc.InvalidParams, "")
		if seen := d.Editor.Seen(); len(seen.ChangeSets) != 0 {
			t.Errorf("the change sets %+v were sent, too", seen.ChangeSets)
		}
	})
}

// What came after the version that the user saw is not decided, neither alone nor with all
// others.
func TestALaterHunkIsNotDecided(t *testing.T) {
	withHunks(t, func(d *drawing) {
		d.get("")
		u := d.Open()
		d.change(u, "return 1", "return 11")
		seen, first := d.version, d.only()
		d.change(u, "return 2", "return 22")
		file := first.FileID
		for id := range d.fold.Hunks() {
			if id != first.ID {
				_, err := d.onHunk(id, "accept", worldtest.Obj{"version": seen})
				d.Refused(err, rpc.RequestFailed, "")
			}
		}
		if _, err := d.onHunk(file, "reject", worldtest.Obj{"version": seen}); err != nil {
			t.Error(err)
		}
		if left := d.only(); left.ID == first.ID || left.State != view.HunkPending {
			t.Errorf("left is %+v", left)
		}
		if _, err := d.onHunk(file, "accept", nil); err != nil {
			t.Error(err)
		}
		if got := d.Editor.Text(u); !strings.Contains(got, "return 1 ") || !strings.Contains(got, "return 22 ") || len(d.fold.Hunks()) != 0 {
			t.Errorf("the text is %q, and left are %+v", got, d.fold.Hunks())
		}
	})
}

// What was decided at once is told with what undoes it, and is pending again after that.
func TestWhatWasDecidedAtOnceIsReopened(t *testing.T) {
	withHunks(t, func(d *drawing) {
		d.get("")
		u := d.Open()
		before := d.Editor.Text(u)
		d.change(u, "return 1", "return 11")
		d.change(u, "return 2", "return 22")
		act := func(id, action string) (notice *view.Item, err error) {
			var r struct{ Notice *view.Item }
			err = d.Editor.Call(d.Context(), "emendo/view/act", worldtest.Obj{"id": id, "actionId": action, "version": d.version}, &r)
			synctest.Wait()
			return r.Notice, err
		}
		done, err := act(view.StatusID, view.AcceptAll)
		if err != nil || done == nil || done.Title.Text != "Accepted 2 changes." || len(done.Actions) != 1 || done.Actions[0].Title.Text != "Undo" {
			t.Fatalf("told is %+v, %v", done, err)
		}
		if got := d.Editor.Text(u); !strings.Contains(got, "return 11 ") || !strings.Contains(got, "return 22 ") || len(d.fold.Hunks()) != 0 {
			t.Errorf("the text is %q, and left are %+v", got, d.fold.Hunks())
		}
		if more, err := act(done.ID, done.Actions[0].ID); err != nil || more != nil {
			t.Errorf("undone is it with %+v, %v", more, err)
		}
		if got := d.Editor.Text(u); got != before || len(d.fold.Hunks()) != 2 {
			t.Errorf("the text is %q, and pending are %+v", got, d.fold.Hunks())
		}
		_, err = act("decided-long-ago", view.Reopen)
		d.Refused(err, rpc.InvalidParams, "")
	})
}

// Hunks beside one that is typed into have not moved, but are of another version from then on: a
// list of lines is there all the same.
func TestHunksOfAnotherVersionHaveNotMoved(t *testing.T) {
	withHunks(t, func(d *drawing) {
		d.get("")
		u := d.Open()
		d.change(u, "return 1", "return 11")
		d.change(u, "return 2", "return 22")
		var heard string
		d.Editor.Heard = func(method string, raw json.RawMessage) {
			if method == "emendo/view/didChange" {
				heard += string(raw)
			}
			d.heard(method, raw)
		}
		d.Typed(u, "return 2", "return 3")
		d.AdvanceBy(2 * time.Second) // the typing has paused
		if !strings.Contains(heard, `"version":2,"lines":[]`) || !strings.Contains(heard, `"conflicted"`) {
			t.Errorf("told is %s", heard)
		}
		d.check()
	})
}

// What is applied without a question is never shown as if it waited for the user.
func TestWhatIsAppliedUnaskedNeverWaits(t *testing.T) {
	withHunksAnd(t, []modeltest.Reply{worldtest.TwoHunks(), worldtest.Say("Done.")}, func(d *drawing) {
		d.get("")
		d.Open()
		id := d.Session(worldtest.Obj{"mode": "auto_edit"})
		var heard string
		d.Editor.Heard = func(method string, raw json.RawMessage) {
			if method == "emendo/view/didChange" {
				heard += string(raw)
			}
			d.heard(method, raw)
		}
		d.Editor.Applies = d.Advance // what is told meanwhile arrives
		d.Prompt(id, "Change it")
		d.Advance()
		if strings.Contains(heard, `"state":"pending"`) || strings.Count(heard, `"state":"unreviewed"`) < 2 {
			t.Errorf("told is %s", heard)
		}
		d.check()
	})
}

// 100 keys at the top of a file with 500 proposed changes, at night 3,000, cost a few hundred
// bytes each, and an accepted one brings only itself and its file.
func TestKeysAboveManyHunksAreCheap(t *testing.T) {
	withHunks(t, func(d *drawing) {
		hunks := 500
		if *whole {
			hunks = 3000
		}
		var old, new strings.Builder
		for i := range hunks {
			for _, b := range []*strings.Builder{&old, &new} {
				fmt.Fprintf(b, "same %d\nsame\nsame\nsame\n", i)
			}
			fmt.Fprintf(&old, "old line %d\n", i)
			fmt.Fprintf(&new, "new line %d\n", i)
		}
		u := d.URI("big.txt")
		d.Write("big.txt", old.String())
		d.Editor.Open(u, old.String())
		d.Propose(worldtest.Obj{"uri": u, "newText": new.String(), "title": "All"})
		before := d.Wire.Load()
		d.get("")
		if size := d.Wire.Load() - before; len(d.fold.Hunks()) != hunks || size > int64(hunks)<<10 {
			t.Errorf("%d hunks are %d bytes", len(d.fold.Hunks()), size)
		}
		d.Advance()
		before = d.Wire.Load()
		for range 100 {
			d.Editor.Type(u, 0, 0, "\n")
			d.Advance()
		}
		if each := (d.Wire.Load() - before) / 100; each > 300 {
			t.Errorf("a key costs %d bytes", each)
		}
		for id := range d.fold.Hunks() {
			before = d.Wire.Load()
			if _, err := d.onHunk(id, "accept", nil); err != nil {
				t.Error(err)
			}
			if size := d.Wire.Load() - before; size > 4000 {
				t.Errorf("an accepted hunk costs %d bytes", size)
			}
			break
		}
		d.check()
	})
}

// files returns the changed files that the window's view has.
func (d *drawing) files() (l []view.Item) {
	for _, i := range d.fold.Items() {
		if i.Kind == view.KindFile {
			l = append(l, i)
		}
	}
	return l
}

// All of a session are those that its status has counted: one that came after that waits, even
// if something else was sent since.
func TestAllAreThoseThatTheStatusCounted(t *testing.T) {
	w := worldtest.NewWorld(t, []modeltest.Reply{worldtest.Say("Hello."), worldtest.Say("Hi.")})
	synctest.Test(t, func(t *testing.T) {
		w.T = t
		w.Start(lsptest.Recorded("helix").With("experimental.emendo", worldtest.Obj{"view": 1, "changes": true}))
		defer w.End()
		var mu sync.Mutex
		var version int64
		id := w.Session(nil)
		w.Editor.Heard = func(method string, raw json.RawMessage) {
			var p struct {
				SessionID string
				Version   int64
			}
			mu.Lock()
			defer mu.Unlock()
			if method == "emendo/view/didChange" && json.Unmarshal(raw, &p) == nil && p.SessionID == id {
				version = p.Version
			}
		}
		propose := func(uri, old, text string) {
			w.Propose(worldtest.Obj{"sessionId": id, "uri": uri, "range": w.RangeOf(uri, old), "newText": text, "title": "Change it"})
			synctest.Wait()
		}
		w.Prompt(id, "Hello")
		w.Call("emendo/view/get", worldtest.Obj{}, nil)
		w.Call("emendo/view/get", worldtest.Obj{"sessionId": id}, nil)
		u := w.Open()
		propose(u, "return 1", "return 11")
		time.Sleep(600 * time.Millisecond) // until the status has counted it, a moment ago
		synctest.Wait()
		propose(u, "return 2", "return 22")
		before := version
		w.Prompt(id, "Hi")
		if version == before {
			t.Fatal("nothing was sent since")
		}
		all := func() error {
			return w.Editor.Call(w.Context(), "emendo/view/act", worldtest.Obj{"sessionId": id, "id": view.StatusID, "actionId": view.AcceptAll, "version": version}, nil)
		}
		states := func() (l []string) {
			for _, cs := range w.Sets(nil) {
				for _, f := range cs.Files {
					for _, h := range f.Hunks {
						l = append(l, h.State)
					}
				}
			}
			slices.Sort(l)
			return l
		}
		if err := all(); err != nil || !slices.Equal(states(), []string{"accepted", "pending"}) {
			t.Errorf("the hunks are %s, %v", states(), err)
		}
		w.Advance()
		if err := all(); err != nil || !slices.Equal(states(), []string{"accepted", "accepted"}) {
			t.Errorf("later the hunks are %s, %v", states(), err)
		}
	})
}
