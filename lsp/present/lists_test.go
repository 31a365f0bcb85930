package present_test

import (
	"testing"

	"github.com/emendo-dev/emendo/agent/view"
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
		if len(rules.Rules) == 0 || rules.Rules[0].Label == nil || rules.Rules[0].Note == nil {
			t.Errorf("the rules are %+v", rules.Rules)
		}
	})
}
