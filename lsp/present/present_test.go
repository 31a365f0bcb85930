package present_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/agent/view/viewtest"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

func TestMain(m *testing.M) { worldtest.Main(m) }

// drawing is a client that draws one conversation.
type drawing struct {
	*worldtest.World
	mu      sync.Mutex
	fold    *viewtest.Fold
	version int64
	getting bool          // the answer that begins the view is on its way
	early   []viewVersion // what came meanwhile
	late    []string      // what came without a view, or out of order
}

// play runs f with an editor that takes conversations as items.
func play(t *testing.T, replies []modeltest.Reply, f func(d *drawing)) {
	playAs(t, worldtest.Obj{"view": 1, "permission": true, "elicit": true}, replies, f)
}

// playAs is play with an editor that has declared abilities.
func playAs(t *testing.T, abilities worldtest.Obj, replies []modeltest.Reply, f func(d *drawing)) {
	playIn(t, worldtest.NewWorld(t, replies), abilities, f)
}

// playIn is playAs in a world that was made before.
func playIn(t *testing.T, w *worldtest.World, abilities worldtest.Obj, f func(d *drawing)) {
	worldtest.InBubble(t, w, func() {
		w.Start(lsptest.Recorded("helix").With("experimental.emendo", abilities))
		defer w.End()
		d := &drawing{World: w}
		w.Editor.Heard = d.heard
		f(d)
		for _, wrong := range d.late {
			w.Error(wrong)
		}
	})
}

func (d *drawing) heard(method string, raw json.RawMessage) {
	if method != "emendo/view/didChange" {
		return
	}
	var p viewVersion
	err := json.Unmarshal(raw, &p)
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case err != nil:
		d.late = append(d.late, err.Error())
	case d.getting:
		d.early = append(d.early, p)
	default:
		d.follow(p)
	}
}

// follow applies the changes of the version after the last one. d.mu is held.
func (d *drawing) follow(p viewVersion) {
	if d.fold == nil || p.Version != d.version+1 {
		d.late = append(d.late, fmt.Sprintf("out of order: %d after %d: %+v", p.Version, d.version, p.Changes))
		return
	}
	d.version = p.Version
	d.fold.Apply(p.Changes)
}

// get opens a conversation, or the window's view for an empty session.
func (d *drawing) get(session string) view.View {
	d.Helper()
	of := worldtest.Obj{"bodies": true}
	if session != "" {
		of["sessionId"] = session
	}
	return d.begin(of)
}

// begin opens a view. What comes while its answer is on its way is read, since the answer is
// behind it, and is in the answer or follows it.
func (d *drawing) begin(of worldtest.Obj) (v view.View) {
	d.Helper()
	d.mu.Lock()
	d.getting, d.early = true, nil
	d.mu.Unlock()
	d.Call("emendo/view/get", of, &v)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fold, d.version = viewtest.New(v.Items), v.Version
	d.fold.Questions = v.Questions
	d.fold.SetHunks(v.Hunks)
	if v.Status != nil {
		d.fold.Status = *v.Status
	}
	for _, p := range d.early {
		if p.Version > d.version {
			d.follow(p)
		}
	}
	d.getting = false
	return v
}

// A turn with a call and two texts is drawn from differences, and is the same when it is
// loaded.
func TestATurnIsDrawnFromDifferences(t *testing.T) {
	replies := []modeltest.Reply{
		{modeltest.Say("I look."), modeltest.Call("read_file", `{"file_path":"main.go"}`)},
		worldtest.Say("It has two functions."),
	}
	play(t, replies, func(d *drawing) {
		id := d.Session(nil)
		if v := d.get(id); len(v.Items) != 0 {
			t.Fatalf("at first there is %+v", v)
		}
		d.Prompt(id, "Look")
		drawn := d.fold.Items() // all of a turn is sent before its prompt is answered
		var kinds []string
		for _, i := range drawn {
			kinds = append(kinds, string(i.Kind)+" "+string(i.State))
		}
		if got, want := strings.Join(kinds, ", "), "turn done, user , answer done, call done, answer done"; got != want {
			t.Errorf("drawn are %s, want %s", got, want)
		}
		loaded := d.get(id).Items
		if diff := cmp.Diff(drawn, loaded); diff != "" {
			t.Errorf("something else is loaded (-drawn +loaded):\n%s", diff)
		}
	})
}

// A question is shown until it is answered; an answer to what came after what the user saw
// decides nothing, and neither does a second one.
func TestAQuestionIsAnsweredOnce(t *testing.T) {
	play(t, []modeltest.Reply{worldtest.Run("touch a"), worldtest.Say("Done.")}, func(d *drawing) {
		id := d.Session(nil)
		d.get(id)
		before := d.version
		wait := d.Prompting(d.Context(), id, "Run it")
		synctest.Wait()
		if len(d.fold.Questions) != 1 {
			t.Fatalf("there are the questions %+v", d.fold.Questions)
		}
		q := d.fold.Questions[0]
		if q.Code != "command" || q.Parts[0].Text != "touch a" || q.SessionID != id {
			t.Errorf("asked is %+v", q)
		}
		act := func(version int64, action string) error {
			return d.Editor.Call(d.Context(), "emendo/view/act", worldtest.Obj{"sessionId": id, "id": q.ID, "actionId": action, "version": version}, nil)
		}
		d.Refused(act(before, "allow_once"), rpc.InvalidParams, "")
		d.Refused(act(d.version, "nothing"), rpc.InvalidParams, "")
		if d.Ran() != "" {
			t.Errorf("ran %q before it was allowed", d.Ran())
		}
		if err := act(d.version, "allow_once"); err != nil {
			t.Error(err)
		}
		if _, err := wait(); err != nil {
			t.Error(err)
		}
		if d.Ran() != "touch a" || len(d.fold.Questions) != 0 {
			t.Errorf("ran %q, and open are %+v", d.Ran(), d.fold.Questions)
		}
		d.Refused(act(d.version, "allow_once"), rpc.InvalidParams, "")
	})
}

// The view of a session that was closed or deleted is closed with it: the session's next turn
// is not sent.
func TestAClosedSessionHasNoView(t *testing.T) {
	play(t, []modeltest.Reply{worldtest.Say("a"), worldtest.Say("b")}, func(d *drawing) {
		id := d.Session(nil)
		d.get(id)
		d.Prompt(id, "first")
		isOpen := func() error {
			return d.Editor.Call(d.Context(), "emendo/view/find", worldtest.Obj{"sessionId": id, "text": "first"}, nil)
		}
		if err := isOpen(); err != nil {
			t.Errorf("before it was closed: %v", err)
		}
		d.Call("emendo/session/close", worldtest.Obj{"sessionId": id}, nil)
		d.Refused(isOpen(), rpc.InvalidParams, "")
		d.fold = nil // what comes now is wrong
		d.Prompt(id, "second")
		if len(d.get(id).Items) != 6 {
			t.Errorf("later there are %v", idsOf(d.fold.Items()))
		}
		d.Call("emendo/session/delete", worldtest.Obj{"sessionId": id}, nil)
		d.Refused(isOpen(), rpc.InvalidParams, "")
	})
}

// A view that is opened again goes on with its versions, and a page before an item that is not
// there is refused.
func TestAViewOpenedAgainGoesOn(t *testing.T) {
	play(t, []modeltest.Reply{worldtest.Say("a"), worldtest.Say("b")}, func(d *drawing) {
		id := d.Session(nil)
		d.get(id)
		d.Prompt(id, "first")
		before := d.version
		if d.get(id); d.version != before || before == 0 {
			t.Errorf("the version was %d, and is %d", before, d.version)
		}
		d.Prompt(id, "second")
		if n := len(d.fold.Items()); n != 6 {
			t.Errorf("there are %v", idsOf(d.fold.Items()))
		}
		err := d.Editor.Call(d.Context(), "emendo/view/get", worldtest.Obj{"sessionId": id, "before": "none"}, nil)
		d.Refused(err, rpc.InvalidParams, "")
		d.Call("emendo/view/close", worldtest.Obj{"sessionId": id}, nil)
	})
}
