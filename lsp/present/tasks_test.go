package present_test

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// tasks returns the tasks that the window's view has.
func (d *drawing) tasks() (l []view.Item) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, i := range d.fold.Items() {
		if i.Kind == view.KindTask {
			l = append(l, i)
		}
	}
	return l
}

// task returns the only task that the window's view has.
func (d *drawing) task() view.Item {
	d.Helper()
	l := d.tasks()
	if len(l) != 1 {
		d.Fatalf("there are the tasks %+v", l)
	}
	return l[0]
}

// running begins a command, and returns a function that waits for its answer.
func (d *drawing) running(command string, args worldtest.Obj, answer any) (wait func() error) {
	done := make(chan error, 1)
	go func() {
		done <- d.Editor.Call(d.Context(), "workspace/executeCommand", worldtest.Obj{"command": command, "arguments": []any{args}}, answer)
	}()
	synctest.Wait()
	return func() error { return <-done }
}

func (d *drawing) doTask(id, action string) {
	d.Helper()
	d.Call("emendo/view/act", worldtest.Obj{"id": id, "actionId": action, "version": d.version}, nil)
}

// edited is the answer of emendo.edit.
type edited struct {
	TaskID, StopReason string
	Proposed           bool
}

// reviewing are the abilities of an editor that shows hunks.
var reviewing = worldtest.Obj{"view": 1, "permission": true, "changes": true}

// playReview is play with an editor that shows hunks.
func playReview(t *testing.T, replies []modeltest.Reply, f func(d *drawing)) {
	playAs(t, reviewing, replies, f)
}

// An inline edit is a task of the window, beside the conversations. What it proposes can be
// decided after its turn.
func TestAnInlineEditIsATask(t *testing.T) {
	w := worldtest.NewWorld(t, []modeltest.Reply{worldtest.TwoHunks(), worldtest.Say("Done.")})
	w.EditsWait = settings.WaitTurn
	playIn(t, w, reviewing, func(d *drawing) {
		d.get("")
		uri := d.Open()
		var answer edited
		wait := d.running("emendo.edit", worldtest.Obj{"uri": uri, "range": d.RangeOf(uri, "return 1"), "instruction": "Return more"}, &answer)
		if err := wait(); err != nil {
			t.Fatal(err)
		}
		if !answer.Proposed || answer.StopReason != "end_turn" {
			t.Errorf("answered is %+v", answer)
		}
		asked := d.World.Request(0)
		for _, want := range []string{"Return more", "Edit main.go, line ", "and other lines only where that needs it."} {
			if !strings.Contains(asked, want) {
				t.Errorf("the model is not told %q: %s", want, asked)
			}
		}
		if l := d.tasks(); len(l) != 0 {
			t.Errorf("after it there are %+v", l)
		}
		var listed struct{ Sessions []any }
		d.Call("emendo/session/list", worldtest.Obj{}, &listed)
		if len(listed.Sessions) != 0 {
			t.Errorf("sessions are %+v", listed.Sessions)
		}
		set := d.Sets(nil)[0]
		if got := d.States(); got != "pending pending" {
			t.Errorf("the hunks are %s", got)
		}
		d.Accept(set.ChangeSetID)
		d.Settle()
		if text := d.Editor.Text(uri); !strings.Contains(text, "return 11") || !strings.Contains(text, "return 22") {
			t.Errorf("the editor has %s", text)
		}
		if err := d.Editor.Call(d.Context(), "emendo/session/load", worldtest.Obj{"sessionId": set.SessionID}, nil); err == nil {
			t.Error("its session is still there")
		}
	})
}

// While its edits wait for the user, a task does not work.
func TestATaskWaitsForDecisions(t *testing.T) {
	playReview(t, []modeltest.Reply{worldtest.TwoHunks(), worldtest.Say("Done.")}, func(d *drawing) {
		d.get("")
		wait := d.running("emendo.edit", worldtest.Obj{"uri": d.Open(), "instruction": "Return more"}, nil)
		if got := d.task(); got.State != view.Waiting || got.Note.Code != "task.proposed" {
			t.Errorf("the task is %+v", got)
		}
		d.Accept(d.Sets(nil)[0].ChangeSetID)
		if err := wait(); err != nil {
			t.Error(err)
		}
		if l := d.tasks(); len(l) != 0 {
			t.Errorf("after it there are %+v", l)
		}
	})
}

// A task says at which lines it works and what it is to do, and can be stopped.
func TestATaskIsStopped(t *testing.T) {
	playReview(t, []modeltest.Reply{{worldtest.Forever}}, func(d *drawing) {
		d.get("")
		uri := d.Open()
		at := d.RangeOf(uri, "return 1")
		var answer edited
		wait := d.running("emendo.edit", worldtest.Obj{"uri": uri, "range": at, "instruction": "Return more"}, &answer)
		got := d.task()
		if got.State != view.Running || got.Look != "edit" || !strings.HasPrefix(got.Title.Text, "Edits main.go:") || got.Note.Text != "Return more" ||
			got.Place.URI != uri || got.Place.Range.Start.Line != int(at.Start.Line) {
			t.Errorf("the task is %+v", got)
		}
		d.doTask(got.ID, "stop")
		if err := wait(); err != nil {
			t.Fatal(err)
		}
		if answer.TaskID != got.ID || answer.StopReason != "cancelled" || answer.Proposed {
			t.Errorf("answered is %+v", answer)
		}
		if l := d.tasks(); len(l) != 0 {
			t.Errorf("after it there are %+v", l)
		}
	})
}

// What a task has come to stays until it is read: an answer in place of an edit, or why it
// failed.
func TestATaskStaysUntilItIsRead(t *testing.T) {
	replies := []modeltest.Reply{worldtest.Say("There is nothing to do."), {modeltest.Fail("auth")}}
	playReview(t, replies, func(d *drawing) {
		d.get("")
		edit := worldtest.Obj{"uri": d.Open(), "instruction": "Return more"}
		if err := d.running("emendo.edit", edit, nil)(); err != nil {
			t.Fatal(err)
		}
		got := d.task()
		if got.State != view.Done || got.Note.Code != "task.nothing" || got.Parts[0].Text != "There is nothing to do." {
			t.Errorf("the task is %+v", got)
		}
		d.doTask(got.ID, "dismiss")
		if l := d.tasks(); len(l) != 0 {
			t.Errorf("after it was dismissed there are %+v", l)
		}
		if err := d.running("emendo.edit", edit, nil)(); err != nil {
			t.Fatal(err)
		}
		got = d.task()
		if got.State != view.Failed || got.Note.Code != "error.auth_required" || got.Actions[0].ID != view.ClientSignIn {
			t.Errorf("the task is %+v", got)
		}
	})
}

// A question that a task asks says what for.
func TestAQuestionOfATaskSaysWhatFor(t *testing.T) {
	playReview(t, []modeltest.Reply{worldtest.Run("touch a"), worldtest.Say("Done.")}, func(d *drawing) {
		d.get("")
		wait := d.running("emendo.edit", worldtest.Obj{"uri": d.Open(), "instruction": "Run it"}, nil)
		if len(d.fold.Questions) != 1 {
			t.Fatalf("there are the questions %+v", d.fold.Questions)
		}
		q := d.fold.Questions[0]
		if q.From == nil || q.From.Text != "Edits main.go" {
			t.Errorf("it is from %+v", q.From)
		}
		d.doTask(q.ID, "allow_once")
		if err := wait(); err != nil {
			t.Error(err)
		}
	})
}

// A command about code that is asked in a conversation is a task until its turn has ended; a
// second one waits for the first.
func TestACommandAboutCodeIsATask(t *testing.T) {
	playReview(t, []modeltest.Reply{{modeltest.Pause(1e9), modeltest.Say("It returns 1.")}, worldtest.Say("It is fine.")}, func(d *drawing) {
		d.get("")
		uri := d.Open()
		id := d.Session(nil)
		var first, second struct{ SessionID, TurnID string }
		about := worldtest.Obj{"uri": uri, "range": d.RangeOf(uri, "return 1"), "sessionId": id}
		if err := d.running("emendo.explain", about, &first)(); err != nil {
			t.Fatal(err)
		}
		if got := d.task(); !strings.HasPrefix(got.Title.Text, "Explains main.go:") || got.Actions[1].Steps[0].Show != id || first.SessionID != id {
			t.Errorf("the task is %+v of %+v", got, first)
		}
		if err := d.running("emendo.review", about, &second)(); err != nil {
			t.Fatal(err)
		}
		if l := d.tasks(); len(l) != 2 || second.TurnID == "" || second.TurnID == first.TurnID {
			t.Errorf("there are %+v, and the second is %+v", l, second)
		}
		d.Settle()
		if l := d.tasks(); len(l) != 0 {
			t.Errorf("after them there are %+v", l)
		}
	})
}

// A client that takes no views gets what it did before.
func TestOtherClientsEditInTheConversation(t *testing.T) {
	worldtest.Play(t, lsptest.Recorded("helix"), []modeltest.Reply{worldtest.Say("Done.")}, func(w *worldtest.World) {
		var began struct{ SessionID, TurnID string }
		w.Command("emendo.edit", worldtest.Obj{"uri": w.Open()}, &began)
		if began.TurnID == "" {
			t.Error("no turn has begun")
		}
		w.Settle()
	})
}

// Stop ends the turn of its own task: a task that waits for another turn is removed from the
// queue, and one that has no session yet never begins.
func TestStopEndsOnlyItsOwnTask(t *testing.T) {
	explain := func(d *drawing, id string, answer any) {
		d.Helper()
		if err := d.running("emendo.explain", worldtest.Obj{"uri": d.Open(), "sessionId": id}, answer)(); err != nil {
			d.Fatal(err)
		}
	}
	t.Run("while another turn runs", func(t *testing.T) {
		playReview(t, []modeltest.Reply{{modeltest.Pause(1e9), modeltest.Say("Hello.")}, worldtest.Say("It returns 1.")}, func(d *drawing) {
			id := d.Session(nil)
			d.get("")
			wait := d.Prompting(d.Context(), id, "Hi")
			explain(d, id, nil)
			d.doTask(d.task().ID, "stop")
			if end, err := wait(); err != nil || end.StopReason != "end_turn" {
				t.Errorf("the other turn ended %+v, %v", end, err)
			}
			d.Settle()
			if n := len(d.Model.Requests()); n != 1 || len(d.tasks()) != 0 {
				t.Errorf("the model was asked %d times, and there are %+v", n, d.tasks())
			}
		})
	})
	t.Run("before it has a session", func(t *testing.T) {
		w := worldtest.NewWorld(t, []modeltest.Reply{worldtest.Say("It returns 1.")})
		worldtest.InBubble(t, w, func() {
			w.Hold = make(chan struct{})
			w.Start(lsptest.Recorded("helix").With("experimental.emendo", reviewing))
			defer w.End()
			start := sync.OnceFunc(func() { close(w.Hold) })
			defer start()
			d := &drawing{World: w}
			w.Editor.Heard = d.heard
			d.get("")
			uri := d.Open()
			first := d.running("emendo.explain", worldtest.Obj{"uri": uri}, nil)
			second := d.running("emendo.review", worldtest.Obj{"uri": uri}, nil)
			l := d.tasks()
			if len(l) != 2 {
				t.Fatalf("there are the tasks %+v", l)
			}
			d.doTask(l[1].ID, "stop")
			d.Refused(second(), rpc.RequestCancelled, "")
			if now := d.tasks(); len(now) != 1 || now[0].ID != l[0].ID {
				t.Errorf("after it there are %+v", now)
			}
			start()
			if err := first(); err != nil {
				t.Error(err)
			}
			d.Settle()
			if n := len(d.Model.Requests()); n != 1 || !strings.Contains(d.World.Request(0), "Explain") {
				t.Errorf("the model was asked %d times", n)
			}
		})
	})
}
