package present_test

import (
	"testing"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// What the user leaves out is listed for a client that draws, with words for each entry.
func TestTheContextIsListedInWords(t *testing.T) {
	play(t, nil, func(d *drawing) {
		id := d.Session(nil)
		uri := d.Open()
		d.Call("emendo/context/exclude", worldtest.Obj{"sessionId": id, "kind": "memory", "on": true}, nil)
		var got struct {
			Items []struct {
				Kind  string
				Group *view.Text
				view.Entry
			}
			LeftOut []struct {
				Kind, URI string
				Session   bool
				view.Entry
			}
		}
		d.Call("emendo/context/list", worldtest.Obj{"sessionId": id, "next": true, "exclude": []worldtest.Obj{{"uri": uri}}}, &got)
		if len(got.Items) == 0 {
			t.Error("nothing is listed")
		}
		for _, i := range got.Items {
			if i.Label == nil || i.Label.Text == "" || i.Note == nil || i.Group == nil || i.Group.Text == "" {
				t.Errorf("%s has no words", i.Kind)
			}
		}
		if l := got.LeftOut; len(l) != 2 || l[0].Label.Text != "main.go" || l[0].Session || l[0].Note.Code != "context.left_out_prompt" ||
			l[1].Label.Text != "Memory" || !l[1].Session || l[1].Kind != "memory" {
			t.Errorf("left out are %+v", l)
		}
		var rules struct{ Rules []view.Entry }
		d.Call("emendo/policy/list", worldtest.Obj{"sessionId": id}, &rules)
		if len(rules.Rules) == 0 || rules.Rules[0].Actions != nil || rules.Rules[0].Label == nil || rules.Rules[0].Note == nil {
			t.Errorf("the rules are %+v", rules.Rules)
		}
	})
}

// What an answer has allowed from now on is revoked by the entry of the list of rules.
func TestARuleIsRevoked(t *testing.T) {
	run := modeltest.Reply{modeltest.Call("run_shell_command", `{"command":"make it"}`)}
	play(t, []modeltest.Reply{run, worldtest.Say("a"), run, worldtest.Say("b")}, func(d *drawing) {
		id := d.Session(nil)
		d.get(id)
		wait := d.Prompting(d.Context(), id, "1")
		d.do(id, d.fold.Questions[0].ID, "allow_always", nil)
		if _, err := wait(); err != nil {
			t.Fatal(err)
		}
		given := func() (l []view.Entry, ids []string) {
			var rules struct {
				Rules []struct {
					ID        string
					Removable bool
					view.Entry
				}
			}
			d.Call("emendo/policy/list", worldtest.Obj{"sessionId": id}, &rules)
			for _, r := range rules.Rules {
				if r.Removable {
					l, ids = append(l, r.Entry), append(ids, r.ID)
				}
			}
			return l, ids
		}
		l, ids := given()
		if len(l) != 1 || len(l[0].Actions) != 1 || l[0].Actions[0].ID != "revoke" {
			t.Fatalf("given are %+v", l)
		}
		d.do("", ids[0], "revoke", worldtest.Obj{"version": 0})
		if l, _ := given(); len(l) != 0 {
			t.Errorf("still given are %+v", l)
		}
		_, err := d.tryDo("", ids[0], "revoke", worldtest.Obj{"version": 0})
		d.Refused(err, rpc.InvalidParams, "")
		wait = d.Prompting(d.Context(), id, "2")
		if len(d.fold.Questions) != 1 {
			t.Fatalf("asked again are %+v", d.fold.Questions)
		}
		d.do(id, d.fold.Questions[0].ID, "allow_once", nil)
		if _, err := wait(); err != nil {
			t.Error(err)
		}
	})
}
