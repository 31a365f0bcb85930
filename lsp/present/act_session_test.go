package present_test

import (
	"testing"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// A session in a list is renamed, and deleted after a question that says what it has.
func TestASessionIsRenamedAndDeletedFromAList(t *testing.T) {
	play(t, []modeltest.Reply{worldtest.Say("Hello.")}, func(d *drawing) {
		id := d.Session(nil)
		d.Prompt(id, "Hi")
		d.get("")
		listed := func() (l []view.Entry) {
			var answer struct{ Sessions []view.Entry }
			d.Call("emendo/session/list", worldtest.Obj{}, &answer)
			return answer.Sessions
		}
		a, err := d.tryDo("", id, "rename", worldtest.Obj{"values": worldtest.Obj{"title": []string{" "}}})
		if err != nil || len(a.Problems) != 1 {
			t.Errorf("an empty title has the problems %+v, %v", a.Problems, err)
		}
		d.do("", id, "rename", worldtest.Obj{"values": worldtest.Obj{"title": []string{"Greeting"}}})
		if l := listed(); len(l) != 1 || l[0].Label.Text != "Greeting" {
			t.Fatalf("listed are %+v", l)
		}
		for _, answer := range []string{"cancel", "delete"} {
			if l := d.do("", id, "delete", nil); len(l) != 0 || len(d.fold.Questions) != 1 {
				t.Fatalf("asked with the steps %+v, and the questions %+v", l, d.fold.Questions)
			}
			q := d.fold.Questions[0]
			if q.Code != "delete_session" || len(q.Lines) != 2 || q.Lines[1].Text.Text != "1 turn" || len(listed()) != 1 {
				t.Errorf("asked is %+v", q)
			}
			d.do("", q.ID, answer, nil)
		}
		if l := listed(); len(l) != 0 || len(d.fold.Questions) != 0 {
			t.Errorf("listed are %+v, and open are %+v", l, d.fold.Questions)
		}
		_, err = d.tryDo("", id, "delete", nil)
		d.Refused(err, rpc.InvalidParams, "")
	})
}
