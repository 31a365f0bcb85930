package present_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// tryDo does an action of what is shown.
func (d *drawing) tryDo(session, id, action string, more worldtest.Obj) (a acted, err error) {
	d.Helper()
	p := worldtest.Obj{"sessionId": session, "id": id, "actionId": action, "version": d.version}
	for k, v := range more {
		p[k] = v
	}
	err = d.Editor.Call(d.Context(), "emendo/view/act", p, &a)
	synctest.Wait()
	return a, err
}

// do does an action that is done.
func (d *drawing) do(session, id, action string, more worldtest.Obj) []view.Step {
	d.Helper()
	a, err := d.tryDo(session, id, action, more)
	if err != nil {
		d.Fatalf("%s %s: %v", action, id, err)
	}
	return a.Steps
}

// turns returns the turns, in order.
func (d *drawing) turns() (l []view.Item) {
	for _, i := range d.fold.Items() {
		if i.Kind == view.KindTurn {
			l = append(l, i)
		}
	}
	return l
}

func actionsOf(i view.Item) string {
	var l []string
	for _, a := range i.Actions {
		l = append(l, a.ID)
	}
	return strings.Join(l, " ")
}

// prompts returns the texts of the prompts that are shown.
func (d *drawing) prompts() string {
	var l []string
	for _, i := range d.fold.Items() {
		if i.Kind == view.KindUser {
			l = append(l, i.Parts[0].Text)
		}
	}
	return strings.Join(l, ", ")
}

// To go back is asked with what it does to files and the conversation; the answer does that,
// and puts the prompt into the input.
func TestGoingBackIsAskedWithAPreview(t *testing.T) {
	edit := modeltest.Reply{modeltest.Call("replace", `{"file_path":"new.txt","old_string":"one","new_string":"two"}`)}
	play(t, []modeltest.Reply{worldtest.Say("Hello."), edit, worldtest.Say("Done.")}, func(d *drawing) {
		d.Write("new.txt", "one\n")
		id := d.Session(worldtest.Obj{"mode": "auto_edit"})
		d.get(id)
		d.Prompt(id, "Hi")
		d.Prompt(id, "make it two")
		turn := d.turns()[1]
		if got, want := actionsOf(turn), "copy edit edit_copy back fork"; got != want {
			t.Errorf("a turn offers %s, want %s", got, want)
		}
		if l := d.do(id, turn.ID, "back", nil); len(l) != 0 || len(d.fold.Questions) != 1 {
			t.Fatalf("asked with the steps %+v, and the questions %+v", l, d.fold.Questions)
		}
		q := d.fold.Questions[0]
		if q.Code != "rewind" || q.ItemID != turn.ID || q.Parts[0].Text != "make it two" || len(q.Parts) != 2 || q.Parts[1].Kind != view.Diff {
			t.Errorf("asked is %+v", q)
		}
		if got := d.Read("new.txt"); got != "two\n" {
			t.Errorf("asking has changed the file to %q", got)
		}
		d.do(id, turn.ID, "back", nil) // asked once more, in place of the first
		_, err := d.tryDo(id, q.ID, "both", nil)
		d.Refused(err, rpc.InvalidParams, "")
		if len(d.fold.Questions) != 1 || d.fold.Questions[0].ID == q.ID {
			t.Fatalf("open are %+v", d.fold.Questions)
		}
		l := d.do(id, d.fold.Questions[0].ID, "both", nil)
		if len(l) != 1 || l[0].Compose == nil || *l[0].Compose != "make it two" {
			t.Errorf("the steps are %+v", l)
		}
		if got := d.Read("new.txt"); got != "one\n" || d.prompts() != "Hi" || len(d.fold.Questions) != 0 {
			t.Errorf("the file is %q, the prompts are %s, and open are %+v", got, d.prompts(), d.fold.Questions)
		}
		_, err = d.tryDo(id, turn.ID, "back", nil)
		d.Refused(err, rpc.InvalidParams, "")
	})
}

// What goes back is what the user was shown, or they are asked again.
func TestGoingBackDoesWhatWasShown(t *testing.T) {
	edit := modeltest.Reply{modeltest.Call("replace", `{"file_path":"new.txt","old_string":"one","new_string":"two"}`)}
	play(t, []modeltest.Reply{edit, worldtest.Say("Done."), worldtest.Say("Hello.")}, func(d *drawing) {
		d.Write("new.txt", "one\n")
		id := d.Session(worldtest.Obj{"mode": "auto_edit"})
		d.get(id)
		d.Prompt(id, "make it two")
		turn := d.turns()[0]
		d.do(id, turn.ID, "back", nil)
		d.Write("new.txt", "two\nand more\n")
		_, err := d.tryDo(id, d.fold.Questions[0].ID, "files", nil)
		d.Refused(err, rpc.RequestFailed, "failed")
		d.Prompt(id, "Hi")
		_, err = d.tryDo(id, d.fold.Questions[0].ID, "conversation", nil)
		d.Refused(err, rpc.RequestFailed, "failed")
		if d.prompts() != "make it two, Hi" || len(d.fold.Questions) != 1 {
			t.Errorf("the prompts are %s, and open are %+v", d.prompts(), d.fold.Questions)
		}
		d.do(id, d.fold.Questions[0].ID, "cancel", nil)
		if d.prompts() != "make it two, Hi" || len(d.fold.Questions) != 0 {
			t.Errorf("after no the prompts are %s, and open are %+v", d.prompts(), d.fold.Questions)
		}
	})
}

// A prompt is edited and sent again in place of its turn, or in a copy.
func TestPromptsAreEditedAndSentAgain(t *testing.T) {
	play(t, []modeltest.Reply{worldtest.Say("a"), worldtest.Say("b"), worldtest.Say("c"), worldtest.Say("d")}, func(d *drawing) {
		id := d.Session(nil)
		d.get(id)
		d.Prompt(id, "one")
		d.Prompt(id, "two")
		turn := d.turns()[1]
		if l := d.do(id, turn.ID, "edit", nil); len(l) != 1 || l[0].Edit == nil || *l[0].Edit != "two" {
			t.Fatalf("the steps are %+v", l)
		}
		_, err := d.tryDo(id, turn.ID, "edit", worldtest.Obj{"text": " "})
		d.Refused(err, rpc.InvalidParams, "")
		_, err = d.tryDo(id, turn.ID, "edit", worldtest.Obj{"text": "/nope hi"})
		d.Refused(err, rpc.InvalidParams, "")
		if d.prompts() != "one, two" {
			t.Errorf("a prompt that cannot be sent left %s", d.prompts())
		}
		l := d.do(id, turn.ID, "edit_copy", worldtest.Obj{"text": "copied"})
		if len(l) != 1 || l[0].Show == "" || l[0].Show == id {
			t.Fatalf("the steps are %+v", l)
		}
		copied := l[0].Show
		d.do(id, turn.ID, "edit", worldtest.Obj{"text": "edited"})
		if d.prompts() != "one, edited" {
			t.Errorf("the prompts are %s", d.prompts())
		}
		d.get(copied)
		if d.prompts() != "one, copied" {
			t.Errorf("those of the copy are %s", d.prompts())
		}
	})
}

// A failed turn is tried again in its place, as long as it is the newest.
func TestAFailedTurnIsTriedAgain(t *testing.T) {
	play(t, []modeltest.Reply{{modeltest.Fail(model.Auth)}, worldtest.Say("Now it works.")}, func(d *drawing) {
		id := d.Session(nil)
		d.get(id)
		wait := d.Prompting(d.Context(), id, "Hi")
		if _, err := wait(); err == nil {
			t.Fatal("the turn did not fail")
		}
		turn := d.turns()[0]
		if !slices.ContainsFunc(turn.Actions, func(a view.Action) bool { return a.ID == "again" }) {
			t.Fatalf("a failed turn offers %s", actionsOf(turn))
		}
		d.do(id, turn.ID, "again", nil)
		if l := d.turns(); len(l) != 1 || l[0].ID == turn.ID || l[0].State != view.Done {
			t.Errorf("the turns are %+v", l)
		}
		forked := d.do(id, d.turns()[0].ID, "fork", nil)
		if len(forked) != 1 || forked[0].Show == "" {
			t.Errorf("the steps are %+v", forked)
		}
	})
}

// What goes back is what the user was shown, also when the view in which they were asked was
// closed since.
func TestGoingBackCountsTurnsOfAClosedView(t *testing.T) {
	play(t, []modeltest.Reply{worldtest.Say("Hello."), worldtest.Say("Hello again.")}, func(d *drawing) {
		id := d.Session(nil)
		d.get(id)
		d.Prompt(id, "Hi")
		d.do(id, d.turns()[0].ID, "back", nil)
		d.Call("emendo/view/close", worldtest.Obj{"sessionId": id}, nil)
		d.get("")
		d.Prompt(id, "Hi again")
		_, err := d.tryDo("", d.fold.Questions[0].ID, "conversation", nil)
		d.Refused(err, rpc.RequestFailed, "failed")
		if len(d.fold.Questions) != 1 || !strings.HasPrefix(d.fold.Questions[0].Lines[0].Text.Text, "2 turns would disappear") {
			t.Errorf("asked again are %+v", d.fold.Questions)
		}
		d.Call("emendo/view/close", worldtest.Obj{}, nil)
		if d.get(id); d.prompts() != "Hi, Hi again" {
			t.Errorf("the prompts are %s", d.prompts())
		}
	})
}

// What emendo asks before it goes back or deletes goes with the turn and the session that it is about.
func TestQuestionsGoWithWhatTheyAreAbout(t *testing.T) {
	play(t, []modeltest.Reply{worldtest.Say("a"), worldtest.Say("b")}, func(d *drawing) {
		id := d.Session(nil)
		d.get(id)
		d.Prompt(id, "one")
		d.Prompt(id, "two")
		turns := d.turns()
		d.do(id, turns[1].ID, "back", nil)
		if len(d.fold.Questions) != 1 {
			t.Fatalf("open are %+v", d.fold.Questions)
		}
		d.Call("emendo/session/rewind", worldtest.Obj{"sessionId": id, "turnId": turns[1].ID, "scope": "conversation"}, nil)
		synctest.Wait()
		if len(d.fold.Questions) != 0 {
			t.Errorf("after going back open are %+v", d.fold.Questions)
		}
		d.do(id, turns[0].ID, "back", nil)
		d.Call("emendo/view/close", worldtest.Obj{"sessionId": id}, nil)
		d.get("")
		d.do("", id, "delete", nil)
		if len(d.fold.Questions) != 2 {
			t.Fatalf("open are %+v", d.fold.Questions)
		}
		d.Call("emendo/session/delete", worldtest.Obj{"sessionId": id}, nil)
		synctest.Wait()
		if len(d.fold.Questions) != 0 {
			t.Errorf("after deleting open are %+v", d.fold.Questions)
		}
	})
}

// The status says half a second later that a turn runs; it is stopped before.
func TestATurnIsStoppedAtOnce(t *testing.T) {
	play(t, []modeltest.Reply{{modeltest.Say("I begin."), worldtest.Forever}}, func(d *drawing) {
		id := d.Session(nil)
		if s := d.get(id).Status; strings.Contains(actionsOf(*s), "stop") {
			t.Fatalf("before a turn the status offers %s", actionsOf(*s))
		}
		wait := d.Prompting(d.Context(), id, "Begin")
		synctest.Wait()
		d.do(id, view.StatusID, "stop", nil)
		if end, err := wait(); err != nil || end.StopReason != "cancelled" {
			t.Errorf("the turn ended with %+v, %v", end, err)
		}
	})
}
