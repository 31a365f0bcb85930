package review_test

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

func TestUserProposesWithoutASession(t *testing.T) {
	play(t, worldtest.Plugin, nil, func(w *world) {
		uri := w.Open()
		cs := w.Propose(worldtest.Obj{"uri": uri, "range": w.RangeOf(uri, "return 1"), "newText": "return 10", "title": "Apply the\ncode block"})
		if cs.State != "pending" || cs.SessionID != "" || cs.Title != "Apply the code block" || len(cs.Files[0].Hunks) != 1 {
			t.Fatalf("proposed %+v", cs)
		}
		if seen := w.Editor.Seen().ChangeSets; len(seen) != 1 || seen[0].ChangeSetID != cs.ChangeSetID {
			t.Errorf("change sets %+v", seen)
		}
		if w.Editor.Text(uri) != worldtest.MainGo {
			t.Error("the text was changed before the user decided")
		}
		w.Accept(cs.ChangeSetID)
		if got, want := w.Editor.Text(uri), strings.Replace(worldtest.MainGo, "return 1 ", "return 10 ", 1); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if n := len(w.Model.Requests()); n != 0 {
			t.Errorf("the model got %d requests", n)
		}
	})
}

func TestUserProposesFilesThatAreNotOpen(t *testing.T) {
	play(t, worldtest.Plugin, nil, func(w *world) {
		w.Accept(w.Propose(worldtest.Obj{"uri": w.URI("new.go"), "newText": "package main\n", "title": "Create"}).ChangeSetID)
		if got := w.Read("new.go"); got != "package main\n" {
			t.Errorf("created %q", got)
		}
		w.Write("dos.txt", "one\r\ntwo\r\n")
		w.Accept(w.Propose(worldtest.Obj{"uri": w.URI("dos.txt"), "newText": "one\nthree\n", "title": "Change"}).ChangeSetID)
		if got := w.Read("dos.txt"); got != "one\r\nthree\r\n" {
			t.Errorf("changed to %q", got)
		}
	})
}

// A proposal in a session stays pending even in a mode that applies the model's edits.
// The decision is sent to the model.
func TestUserProposesInASession(t *testing.T) {
	play(t, worldtest.Plugin, []modeltest.Reply{worldtest.Say("Hello."), worldtest.Say("I see.")}, func(w *world) {
		uri := w.Open()
		id := w.Session(worldtest.Obj{"mode": "auto_edit"})
		change := worldtest.Obj{"sessionId": id, "uri": uri, "range": w.RangeOf(uri, "return 1"), "newText": "return 10", "title": "Apply"}
		if cs := w.Propose(change); cs.SessionID != "" {
			t.Errorf("a session without a prompt stores %+v", cs)
		}
		w.Prompt(id, "Hello")
		change["range"], change["newText"] = w.RangeOf(uri, "return 2"), "return 20"
		cs := w.Propose(change)
		if cs.State != "pending" || cs.SessionID != id {
			t.Fatalf("proposed %+v", cs)
		}
		w.Accept(cs.ChangeSetID)
		w.Prompt(id, "Go on")
		if got := w.Request(1); !strings.Contains(got, "the user decided on edits of their own") || !strings.Contains(got, "return 20") {
			t.Errorf("the model got %s", got)
		}
	})
}

func TestInvalidProposals(t *testing.T) {
	play(t, worldtest.Plugin, nil, func(w *world) {
		uri := w.Open()
		for name, params := range map[string]worldtest.Obj{
			"nothing changes":       {"uri": uri, "newText": worldtest.MainGo, "title": "t"},
			"a range past the text": {"uri": uri, "newText": "x", "title": "t", "range": worldtest.Obj{"start": worldtest.Obj{"line": 90}, "end": worldtest.Obj{"line": 91}}},
			"a range of no file":    {"uri": w.URI("none.go"), "newText": "x", "title": "t", "range": worldtest.Obj{}},
			"outside":               {"uri": "file:///etc/passwd", "newText": "x", "title": "t"},
			"an unknown document":   {"uri": "untitled:x", "newText": "x", "title": "t"},
			"no text":               {"uri": uri, "title": "t"},
			"no title":              {"uri": uri, "newText": "x"},
		} {
			t.Log(name)
			w.Refused(w.Editor.Call(w.Context(), "emendo/changes/propose", params, nil), rpc.InvalidParams, "")
		}
		err := w.Editor.Call(w.Context(), "emendo/changes/propose", worldtest.Obj{"uri": w.URI(".git/hooks/pre-commit"), "newText": "x", "title": "t"}, nil)
		w.Refused(err, rpc.RequestFailed, "denied_by_policy")
		if seen := w.Editor.Seen().ChangeSets; len(seen) != 0 {
			t.Errorf("proposed %+v", seen)
		}
	})
}
