package present_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// Going back can be redone until the next prompt: the view has the same items again, under the
// same IDs, whether it was open meanwhile or not, and the files are as before.
func TestGoingBackIsRedone(t *testing.T) {
	edit := modeltest.Reply{modeltest.Call("replace", `{"file_path":"new.txt","old_string":"one","new_string":"two"}`)}
	for _, reopened := range []bool{false, true} {
		play(t, []modeltest.Reply{worldtest.Say("Hello."), edit, worldtest.Say("Done."), worldtest.Say("Well.")}, func(d *drawing) {
			d.Write("new.txt", "one\n")
			id := d.Session(worldtest.Obj{"mode": "auto_edit"})
			d.get(id)
			d.Prompt(id, "Hi")
			d.Prompt(id, "make it two")
			before := d.fold.Items()
			first, second := d.turns()[0].ID, d.turns()[1].ID
			for _, turn := range []string{second, first} {
				d.do(id, turn, "back", nil)
				answer := "conversation"
				if turn == second {
					answer = "both"
				}
				d.do(id, d.fold.Questions[0].ID, answer, nil)
				d.settle()
			}
			if got := actionsOf(d.fold.Status); d.Read("new.txt") != "one\n" || len(d.turns()) != 0 || !strings.Contains(got, "redo") {
				t.Fatalf("gone back: the file is %q, %d turns are left, and the status offers %s", d.Read("new.txt"), len(d.turns()), got)
			}
			if reopened {
				d.Call("emendo/view/close", worldtest.Obj{"sessionId": id}, nil)
				d.get(id)
			}
			d.do(id, view.StatusID, "redo", nil)
			d.settle()
			if got := actionsOf(d.fold.Status); len(d.turns()) != 1 || !strings.Contains(got, "redo") {
				t.Errorf("after one redo there are %d turns, and the status offers %s", len(d.turns()), got)
			}
			d.do(id, view.StatusID, "redo", nil)
			d.settle()
			if diff := cmp.Diff(before, d.fold.Items()); diff != "" || d.Read("new.txt") != "two\n" {
				t.Errorf("reopened %v: the file is %q, and the conversation (-was +is):\n%s", reopened, d.Read("new.txt"), diff)
			}
			_, err := d.tryDo(id, view.StatusID, "redo", nil)
			d.Refused(err, rpc.InvalidParams, "")
			if v := d.whole(id); cmp.Diff(v.Items, d.fold.Items()) != "" {
				t.Errorf("one that is opened has (-it +this):\n%s", cmp.Diff(v.Items, d.fold.Items()))
			}
			d.Prompt(id, "Well?")
			if d.prompts() != "Hi, make it two, Well?" {
				t.Errorf("the prompts are %s", d.prompts())
			}
		})
	}
}

// settle waits until the status says how the session stands.
func (d *drawing) settle() {
	<-time.After(time.Second)
	d.Advance()
}

// A rewind is not redone over what the user did since; the error says which file it is.
func TestAChangedFileIsNotRedone(t *testing.T) {
	edit := modeltest.Reply{modeltest.Call("replace", `{"file_path":"new.txt","old_string":"one","new_string":"two"}`)}
	play(t, []modeltest.Reply{edit, worldtest.Say("Done.")}, func(d *drawing) {
		d.Write("new.txt", "one\n")
		id := d.Session(worldtest.Obj{"mode": "auto_edit"})
		d.get(id)
		end := d.Prompt(id, "make it two")
		d.Call("emendo/session/rewind", worldtest.Obj{"sessionId": id, "turnId": end.TurnID, "scope": "both"}, nil)
		d.settle()
		d.Write("new.txt", "mine\n")
		_, err := d.tryDo(id, view.StatusID, "redo", nil)
		d.Refused(err, rpc.RequestFailed, "edit_conflict")
		if err == nil || !strings.Contains(err.Error(), "new.txt") || d.Read("new.txt") != "mine\n" || len(d.turns()) != 0 {
			t.Errorf("%v; the file is %q, and there are %d turns", err, d.Read("new.txt"), len(d.turns()))
		}
	})
}
