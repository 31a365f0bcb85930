package present_test

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// acted is what emendo/view/act answers.
type acted struct {
	Steps    []view.Step
	Problems []view.Problem
}

// act does an action of a question as the user sees it now.
func (d *drawing) act(session, id, action string, values map[string][]string) (acted, error) {
	var got acted
	err := d.Editor.Call(d.Context(), "emendo/view/act", worldtest.Obj{"sessionId": session, "id": id, "actionId": action, "version": d.version, "values": values}, &got)
	return got, err
}

// A questionnaire of the model's stays open until its answers are right; then the model gets
// them. It can be declined, or left unanswered.
func TestAFormIsAnswered(t *testing.T) {
	for _, c := range []struct {
		action string
		wants  string // in the result of the call
	}{
		{view.FormAnswer, "Postgres"},
		{view.FormDecline, "Declined."},
		{view.FormCancel, "No answer."},
	} {
		t.Run(c.action, func(t *testing.T) {
			ask := modeltest.Reply{modeltest.Call("ask_user", `{"questions":[
				{"header":"Database","question":"Which database?","type":"choice","options":[{"label":"Postgres","description":"large"},{"label":"SQLite","description":"small"}]},
				{"header":"Sure","question":"Are you sure?","type":"yesno"}]}`)}
			play(t, []modeltest.Reply{ask, worldtest.Say("Done.")}, func(d *drawing) {
				id := d.Session(nil)
				d.get(id)
				wait := d.Prompting(d.Context(), id, "Ask me")
				synctest.Wait()
				if len(d.fold.Questions) != 1 || d.fold.Questions[0].Code != "form" {
					t.Fatalf("there are the questions %+v", d.fold.Questions)
				}
				q := d.fold.Questions[0]
				if c.action == view.FormAnswer {
					got, err := d.act(id, q.ID, view.FormAnswer, map[string][]string{"q1": {"Postgres", "SQLite"}, "q2": {"perhaps"}})
					var fields []string
					for _, p := range got.Problems {
						fields = append(fields, p.Field+" "+p.Text.Code)
					}
					if diff := cmp.Diff([]string{"q1 problem.one_choice", "q2 problem.choice"}, fields); diff != "" || err != nil {
						t.Errorf("%v; the problems differ (-want +got):\n%s", err, diff)
					}
					synctest.Wait()
					if len(d.fold.Questions) != 1 {
						t.Error("a wrong answer has answered")
					}
				}
				if got, err := d.act(id, q.ID, c.action, map[string][]string{"q1": {"Postgres"}, "q2": {"yes"}}); err != nil || got.Problems != nil {
					t.Errorf("answered %+v, %v", got, err)
				}
				if _, err := wait(); err != nil {
					t.Error(err)
				}
				if len(d.fold.Questions) != 0 {
					t.Errorf("open are %+v", d.fold.Questions)
				}
				_, err := d.act(id, q.ID, c.action, nil)
				d.Refused(err, rpc.InvalidParams, "")
				found := []string(nil)
				var ids struct{ IDs []string }
				d.Call("emendo/view/find", worldtest.Obj{"sessionId": id, "text": c.wants}, &ids)
				for _, i := range d.fold.Items() {
					for _, x := range ids.IDs {
						if i.ID == x {
							found = append(found, string(i.Kind))
						}
					}
				}
				if diff := cmp.Diff([]string{"call"}, found); diff != "" {
					t.Errorf("%q stands elsewhere (-want +got):\n%s", c.wants, diff)
				}
			})
		})
	}
}
