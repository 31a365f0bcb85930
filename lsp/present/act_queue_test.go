package present_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// waits returns the prompts that wait, as the client draws them.
func (d *drawing) waits() string {
	var l []string
	for _, i := range d.fold.Items() {
		if i.Kind == view.KindQueued {
			l = append(l, i.Note.Text+" "+i.Title.Text)
		}
	}
	return strings.Join(l, ", ")
}

// queuedID returns the ID of the prompt that waits with a text.
func (d *drawing) queuedID(text string) string {
	d.Helper()
	for _, i := range d.fold.Items() {
		if i.Kind == view.KindQueued && i.Title.Text == text {
			return i.ID
		}
	}
	d.Fatalf("%q is not among what waits: %s", text, d.waits())
	return ""
}

// Prompts that wait are moved, changed, sent and removed by their actions, and a paused queue
// is resumed.
func TestTheQueueIsChangedByActions(t *testing.T) {
	replies := []modeltest.Reply{
		{modeltest.Pause(time.Hour), modeltest.Say("never")},
		{modeltest.Pause(time.Hour), modeltest.Say("never")},
		worldtest.Say("Done."),
		worldtest.Say("Done."),
	}
	play(t, replies, func(d *drawing) {
		id := d.Session(nil)
		d.get(id)
		wait := d.Prompting(d.Context(), id, "Begin")
		synctest.Wait()
		for _, text := range []string{"one", "two", "three"} {
			p := worldtest.PromptOf(id, text)
			p["how"] = "queue"
			d.Call("emendo/session/inject", p, nil)
		}
		synctest.Wait()
		check := func(what, want string) {
			t.Helper()
			synctest.Wait()
			if got := d.waits(); got != want {
				t.Errorf("%s: %s wait, want %s", what, got, want)
			}
		}
		check("three were added", "Next one, Next two, Next three")
		d.do(id, d.queuedID("three"), "front", nil)
		check("the last is moved to the front", "Next three, Next one, Next two")
		d.do(id, d.queuedID("one"), "down", nil)
		check("one is moved down", "Next three, Next two, Next one")
		d.do(id, d.queuedID("two"), "up", nil)
		check("two is moved up", "Next two, Next three, Next one")
		if steps := d.do(id, d.queuedID("two"), "edit", nil); len(steps) != 1 || *steps[0].Edit != "two" {
			t.Errorf("to edit it the client gets %+v", steps)
		}
		d.do(id, d.queuedID("two"), "edit", worldtest.Obj{"text": "two, better"})
		check("two is changed", "Next two, better, Next three, Next one")
		d.do(id, d.queuedID("one"), "remove", nil)
		check("one is removed", "Next two, better, Next three")
		d.do(id, d.queuedID("three"), "interrupt", nil)
		if _, err := wait(); err != nil {
			t.Error(err)
		}
		check("three is sent in place of what runs", "Next two, better")
		d.Advance() // the status is sent twice a second
		d.do(id, d.fold.Status.ID, "stop", nil)
		check("it is stopped", "Paused two, better")
		d.Advance()
		if s := d.fold.Status; s.Title.Code != "status.ready" || s.Lines[0].ID != "queue" || s.Lines[0].Look != "warning" {
			t.Errorf("the status is %+v", s)
		}
		d.do(id, d.fold.Status.ID, "resume", nil)
		check("it is resumed", "")
		d.Advance()
		var prompts []string
		for _, i := range d.fold.Items() {
			if i.Kind == view.KindUser {
				prompts = append(prompts, i.Parts[0].Text)
			}
		}
		if got, want := strings.Join(prompts, ", "), "Begin, three, two, better"; got != want {
			t.Errorf("sent were %s, want %s", got, want)
		}
	})
}
