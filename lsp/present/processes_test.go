package present_test

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
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
