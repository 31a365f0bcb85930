package present_test

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// A question of a session whose view nobody has open stands in the window's, until it is
// answered there. After close nothing more is sent.
func TestTheWindowHasTheQuestionsOfAllSessions(t *testing.T) {
	play(t, []modeltest.Reply{worldtest.Run("touch a"), worldtest.Say("Done."), worldtest.Run("touch b"), worldtest.Say("Done.")}, func(d *drawing) {
		if v := d.get(""); len(v.Questions) != 0 {
			t.Fatalf("at first there is %+v", v)
		}
		id := d.Session(nil)
		before := d.version
		wait := d.Prompting(d.Context(), id, "Run it")
		synctest.Wait()
		if len(d.fold.Questions) != 1 || d.fold.Questions[0].SessionID != id {
			t.Fatalf("there are the questions %+v", d.fold.Questions)
		}
		q := d.fold.Questions[0]
		act := func(version int64) error {
			return d.Editor.Call(d.Context(), "emendo/view/act", worldtest.Obj{"id": q.ID, "actionId": "allow_once", "version": version}, nil)
		}
		d.Refused(act(before), rpc.InvalidParams, "")
		if v := d.get(""); len(v.Questions) != 1 {
			t.Errorf("got again it has the questions %+v", v.Questions)
		}
		if err := act(d.version); err != nil {
			t.Error(err)
		}
		if _, err := wait(); err != nil {
			t.Error(err)
		}
		if len(d.fold.Questions) != 0 {
			t.Errorf("there are still the questions %+v", d.fold.Questions)
		}
		d.Refused(act(d.version), rpc.InvalidParams, "")

		d.Call("emendo/view/close", worldtest.Obj{}, nil)
		wait = d.Prompting(d.Context(), id, "Again")
		synctest.Wait()
		if len(d.fold.Questions) != 0 {
			t.Errorf("after close came %+v", d.fold.Questions)
		}
		if v := d.get(""); len(v.Questions) != 1 {
			t.Errorf("opened again it has the questions %+v", v.Questions)
		} else {
			q = v.Questions[0]
		}
		if err := act(d.version); err != nil {
			t.Error(err)
		}
		if _, err := wait(); err != nil {
			t.Error(err)
		}
	})
}

// Who signs in elsewhere, as in a terminal, is not told for ever that there is no key.
func TestTheNoticeOfAMissingKeyGoes(t *testing.T) {
	w := worldtest.NewWorld(t, nil)
	w.NoKey = true
	synctest.Test(t, func(t *testing.T) {
		w.T = t
		w.Start(lsptest.Recorded("helix").With("experimental.emendo", worldtest.Obj{"view": 1}))
		defer w.End()
		d := &drawing{World: w}
		w.Editor.Heard = d.heard
		d.get("")
		d.Advance()
		told := func() bool {
			return slices.ContainsFunc(d.fold.Items(), func(i view.Item) bool { return i.ID == view.SignedOut.ID() })
		}
		if !told() {
			t.Fatalf("without a key there are %+v", d.fold.Items())
		}
		w.NoKey = false
		for range 5 { // what the user does meanwhile
			d.Open()
			d.Advance()
		}
		if told() {
			t.Error("with a key it still says that there is none")
		}
	})
}
