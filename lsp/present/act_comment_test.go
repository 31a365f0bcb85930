package present_test

import (
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// listedComment is an entry of the list of comments.
type listedComment struct {
	ID, Text string
	Round    int
	view.Entry
}

func (d *drawing) comments(session string) []listedComment {
	d.Helper()
	var r struct{ Comments []listedComment }
	d.Call("emendo/comment/list", worldtest.Obj{"sessionId": session}, &r)
	return r.Comments
}

// comment adds a comment on a text of an open document.
func (d *drawing) comment(session, uri, at, text string) (id string) {
	d.Helper()
	var r struct{ ID string }
	d.Call("emendo/comment/add", worldtest.Obj{"sessionId": session, "uri": uri, "range": d.RangeOf(uri, at), "text": text}, &r)
	return r.ID
}

// Comments are listed with their actions: to go to their lines, and, while they wait, to be changed
// and removed.
func TestCommentsAreChangedByActions(t *testing.T) {
	play(t, []modeltest.Reply{worldtest.Say("Done.")}, func(d *drawing) {
		d.get("")
		id, uri := d.Session(nil), d.Open()
		one, two, three := d.comment(id, uri, "one", "a"), d.comment(id, uri, "two", "b"), d.comment(id, uri, "three", "c")
		if l := d.comments(id); len(l) != 3 || len(l[0].Actions) != 3 || l[0].Label.Text != "main.go:5" {
			t.Fatalf("listed are %+v", l)
		}
		if s := d.do("", one, view.Open, nil); len(s) != 1 || s[0].Open == nil || s[0].Open.URI != uri || s[0].Open.Range.Start.Line != 4 {
			t.Errorf("it opens %+v", s)
		}
		if s := d.do("", one, view.Edit, nil); len(s) != 1 || *s[0].Edit != "a" || s[0].Place.URI != uri {
			t.Errorf("to edit it the client gets %+v", s)
		}
		d.do("", one, view.Edit, worldtest.Obj{"text": "better"})
		d.do("", two, view.Edit, worldtest.Obj{"text": " "})
		d.do("", three, view.Remove, nil)
		if l := d.comments(id); len(l) != 1 || l[0].Text != "better" {
			t.Errorf("left are %+v", l)
		}
		d.Call("emendo/comment/send", worldtest.Obj{"sessionId": id}, nil)
		if l := d.comments(id); len(l) != 1 || len(l[0].Actions) != 1 || l[0].Note.Text != "Sent in round 1" {
			t.Errorf("after they were sent %+v", l)
		}
		_, err := d.tryDo("", one, view.Remove, nil)
		d.Refused(err, rpc.InvalidParams, "")
	})
}

// A prompt that waits keeps its comments when its text is changed.
func TestAQueuedPromptKeepsItsComments(t *testing.T) {
	play(t, []modeltest.Reply{{worldtest.Forever}, worldtest.Say("Done.")}, func(d *drawing) {
		id, uri := d.Session(nil), d.Open()
		d.get(id)
		wait := d.Prompting(d.Context(), id, "Begin")
		d.comment(id, uri, "one", "why?")
		d.Call("emendo/comment/send", worldtest.Obj{"sessionId": id, "text": "besides"}, nil)
		synctest.Wait()
		var queued string
		for _, i := range d.fold.Items() {
			if i.Kind == view.KindQueued {
				queued = i.ID
			}
		}
		s := d.do(id, queued, view.Edit, nil)
		if len(s) != 1 || *s[0].Edit != "besides" {
			t.Fatalf("to edit it the client gets %+v", s)
		}
		d.do(id, queued, view.Edit, worldtest.Obj{"text": "more", "blocks": s[0].Blocks})
		d.Notify("emendo/session/cancel", worldtest.Obj{"sessionId": id})
		if _, err := wait(); err != nil {
			t.Error(err)
		}
		d.Settle()
		d.do(id, d.fold.Status.ID, "resume", nil)
		d.Settle()
		if l := d.comments(id); len(l) != 1 || l[0].Round != 1 || l[0].Text != "why?" {
			t.Errorf("the comments are %+v", l)
		}
	})
}
