package lsp_test

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/lsptest"
)

// propose proposes a change of the user's own and returns its change set.
func (w *world) propose(params obj) lsptest.ChangeSet {
	w.Helper()
	var answer struct{ ChangeSet lsptest.ChangeSet }
	w.call("emendo/changes/propose", params, &answer)
	return answer.ChangeSet
}

// accept accepts a whole change set.
func (w *world) accept(changeSetID string) {
	w.Helper()
	w.call("emendo/changes/resolve", obj{"decisions": []obj{{"changeSetId": changeSetID, "action": "accept"}}}, nil)
}

func TestUserProposesWithoutASession(t *testing.T) {
	play(t, plugin, nil, func(w *world) {
		uri := w.open()
		cs := w.propose(obj{"uri": uri, "range": w.rangeOf(uri, "return 1"), "newText": "return 10", "title": "Apply the\ncode block"})
		if cs.State != "pending" || cs.SessionID != "" || cs.Title != "Apply the code block" || len(cs.Files[0].Hunks) != 1 {
			t.Fatalf("proposed %+v", cs)
		}
		if seen := w.e.Seen().ChangeSets; len(seen) != 1 || seen[0].ChangeSetID != cs.ChangeSetID {
			t.Errorf("change sets %+v", seen)
		}
		if w.e.Text(uri) != mainGo {
			t.Error("the text was changed before the user decided")
		}
		w.accept(cs.ChangeSetID)
		if got, want := w.e.Text(uri), strings.Replace(mainGo, "return 1 ", "return 10 ", 1); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if n := len(w.model.Requests()); n != 0 {
			t.Errorf("the model got %d requests", n)
		}
	})
}

func TestUserProposesFilesThatAreNotOpen(t *testing.T) {
	play(t, plugin, nil, func(w *world) {
		w.accept(w.propose(obj{"uri": w.uri("new.go"), "newText": "package main\n", "title": "Create"}).ChangeSetID)
		if got := w.read("new.go"); got != "package main\n" {
			t.Errorf("created %q", got)
		}
		w.write("dos.txt", "one\r\ntwo\r\n")
		w.accept(w.propose(obj{"uri": w.uri("dos.txt"), "newText": "one\nthree\n", "title": "Change"}).ChangeSetID)
		if got := w.read("dos.txt"); got != "one\r\nthree\r\n" {
			t.Errorf("changed to %q", got)
		}
	})
}

// A proposal in a session stays pending even in a mode that applies the model's edits.
// The decision is sent to the model.
func TestUserProposesInASession(t *testing.T) {
	play(t, plugin, []modeltest.Reply{say("Hello."), say("I see.")}, func(w *world) {
		uri := w.open()
		id := w.session(obj{"mode": "auto_edit"})
		change := obj{"sessionId": id, "uri": uri, "range": w.rangeOf(uri, "return 1"), "newText": "return 10", "title": "Apply"}
		if cs := w.propose(change); cs.SessionID != "" {
			t.Errorf("a session without a prompt stores %+v", cs)
		}
		w.prompt(id, "Hello")
		change["range"], change["newText"] = w.rangeOf(uri, "return 2"), "return 20"
		cs := w.propose(change)
		if cs.State != "pending" || cs.SessionID != id {
			t.Fatalf("proposed %+v", cs)
		}
		w.accept(cs.ChangeSetID)
		w.prompt(id, "Go on")
		if got := w.request(1); !strings.Contains(got, "the user decided on edits of their own") || !strings.Contains(got, "return 20") {
			t.Errorf("the model got %s", got)
		}
	})
}

func TestInvalidProposals(t *testing.T) {
	play(t, plugin, nil, func(w *world) {
		uri := w.open()
		for name, params := range map[string]obj{
			"nothing changes":       {"uri": uri, "newText": mainGo, "title": "t"},
			"a range past the text": {"uri": uri, "newText": "x", "title": "t", "range": obj{"start": obj{"line": 90}, "end": obj{"line": 91}}},
			"a range of no file":    {"uri": w.uri("none.go"), "newText": "x", "title": "t", "range": obj{}},
			"outside":               {"uri": "file:///etc/passwd", "newText": "x", "title": "t"},
			"an unknown document":   {"uri": "untitled:x", "newText": "x", "title": "t"},
			"no text":               {"uri": uri, "title": "t"},
			"no title":              {"uri": uri, "newText": "x"},
		} {
			t.Log(name)
			w.refused(w.e.Call(w.Context(), "emendo/changes/propose", params, nil), rpc.InvalidParams, "")
		}
		err := w.e.Call(w.Context(), "emendo/changes/propose", obj{"uri": w.uri(".git/hooks/pre-commit"), "newText": "x", "title": "t"}, nil)
		w.refused(err, rpc.RequestFailed, "denied_by_policy")
		if seen := w.e.Seen().ChangeSets; len(seen) != 0 {
			t.Errorf("proposed %+v", seen)
		}
	})
}
