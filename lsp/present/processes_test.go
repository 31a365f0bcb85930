package present_test

import (
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
	"github.com/emendo-dev/emendo/tools/aside"
)

// another starts another process, whose editor draws too.
func (d *drawing) another() *lsptest.Editor {
	d.Helper()
	e, err := lsptest.Start(lsptest.Recorded("helix").With("experimental.emendo", worldtest.Obj{"view": 1, "permission": true}), d.Dir, d.Serve)
	if err != nil {
		d.Fatal(err)
	}
	synctest.Wait()
	return e
}

// itemsOf returns what an editor is sent that opens a conversation.
func (d *drawing) itemsOf(e *lsptest.Editor, session string) []view.Item {
	d.Helper()
	var v view.View
	if err := e.Call(d.Context(), "emendo/view/get", worldtest.Obj{"sessionId": session, "bodies": true}, &v); err != nil {
		d.Fatal(err)
	}
	return v.Items
}

// idsOf returns the IDs of items, in order.
func idsOf(items []view.Item) (l []string) {
	for _, i := range items {
		l = append(l, i.ID)
	}
	return l
}

// What another process did, a rewind included, comes before the next prompt, and then both
// have the same. A copy has the same ids, and so has what is loaded again.
func TestTwoProcessesDrawTheSame(t *testing.T) {
	replies := []modeltest.Reply{
		{modeltest.Think("Hm."), modeltest.Say("I look."), modeltest.Call("read_file", `{"file_path":"main.go"}`)},
		worldtest.Say("Two functions."), worldtest.Say("Again."), worldtest.Say("Instead."), worldtest.Say("Third."),
	}
	play(t, replies, func(d *drawing) {
		id := d.Session(nil)
		d.get(id)
		d.Prompt(id, "first")
		d.Prompt(id, "second")
		other := d.another()
		if diff := cmp.Diff(d.fold.Items(), d.itemsOf(other, id)); diff != "" {
			t.Errorf("another process shows something else (-here +there):\n%s", diff)
		}
		call := func(method string, params worldtest.Obj, result any) {
			t.Helper()
			if err := other.Call(d.Context(), method, params, result); err != nil {
				t.Fatal(err)
			}
		}
		call("emendo/session/rewind", worldtest.Obj{"sessionId": id, "turnId": d.turns()[1].ID, "scope": "conversation"}, nil)
		call("emendo/session/prompt", worldtest.PromptOf(id, "instead"), nil)
		if got := d.prompts(); got != "first, second" {
			t.Errorf("before the next prompt this one shows %s", got)
		}
		d.Prompt(id, "third")
		if got := d.prompts(); got != "first, instead, third" {
			t.Errorf("with the next prompt this one shows %s", got)
		}
		drawn := d.fold.Items()
		if diff := cmp.Diff(drawn, d.get(id).Items); diff != "" {
			t.Errorf("something else is loaded (-drawn +loaded):\n%s", diff)
		}
		var copied struct{ Session struct{ SessionID string } }
		call("emendo/session/fork", worldtest.Obj{"sessionId": id}, &copied)
		if diff := cmp.Diff(idsOf(drawn), idsOf(d.itemsOf(other, copied.Session.SessionID))); diff != "" {
			t.Errorf("a copy has other ids (-drawn +copied):\n%s", diff)
		}
		if err := other.End(); err != nil {
			t.Error(err)
		}
	})
}

// What is told between turns has no number in a turn. Its ids are the same in this process and
// in another one, after a rewind, a load and a restart, and in a copy, also of what came at the
// same time.
func TestIDsOfNoticesBetweenTurns(t *testing.T) {
	w := worldtest.NewWorld(t, []modeltest.Reply{worldtest.Say("a"), worldtest.Say("b"), worldtest.Say("c")})
	var mu sync.Mutex
	sessions := map[string]*state.Session{}
	w.Supplies = func(s *state.Session) []state.Supply {
		mu.Lock()
		defer mu.Unlock()
		sessions[s.SessionID] = s
		return nil
	}
	playIn(t, w, worldtest.Obj{"view": 1}, func(d *drawing) {
		id := d.Session(nil)
		d.get(id)
		tell := func(file string) {
			mu.Lock()
			s := sessions[id]
			mu.Unlock()
			from := filepath.Join(d.Dir, file)
			s.MovedAside([]aside.File{{Command: "make", From: from, To: from + ".aside"}})
			synctest.Wait()
		}
		d.Prompt(id, "first")
		tell("kept-1")
		tell("kept-2")
		d.Advance()
		d.Prompt(id, "second")
		tell("taken-back")
		d.Call("emendo/session/rewind", worldtest.Obj{"sessionId": id, "turnId": d.turns()[1].ID, "scope": "conversation"}, nil)
		d.Prompt(id, "third")
		tell("kept-3")
		d.Advance()
		drawn, notices := d.fold.Items(), 0
		for _, i := range drawn {
			if i.Kind == view.KindNotice && i.Parent == "" {
				notices++
			}
		}
		if notices != 3 {
			t.Errorf("between turns there are %d notices: %v", notices, idsOf(drawn))
		}
		check := func(name string, items []view.Item) {
			t.Helper()
			if diff := cmp.Diff(idsOf(drawn), idsOf(items)); diff != "" {
				t.Errorf("%s has other ids (-drawn +there):\n%s", name, diff)
			}
		}
		check("what is loaded", d.get(id).Items)
		other := d.another()
		check("another process", d.itemsOf(other, id))
		var copied struct{ Session struct{ SessionID string } }
		if err := other.Call(d.Context(), "emendo/session/fork", worldtest.Obj{"sessionId": id}, &copied); err != nil {
			t.Fatal(err)
		}
		check("a copy", d.itemsOf(other, copied.Session.SessionID))
		if err := other.End(); err != nil {
			t.Error(err)
		}
		d.End()
		d.Start(lsptest.Recorded("helix").With("experimental.emendo", worldtest.Obj{"view": 1}))
		check("a process that was started again", d.itemsOf(d.Editor, id))
	})
}
