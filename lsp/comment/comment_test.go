package comment_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/sandbox/sandboxtest"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

func TestCommentsWaitUntilTheyAreSentOnce(t *testing.T) {
	play(t, commenting, []modeltest.Reply{worldtest.Say("Done."), worldtest.Say("More."), worldtest.Say("Again.")}, func(w *world) {
		id, uri := w.Session(nil), w.Open()
		one := w.say(id, uri, "one", "too short")
		two := w.say(id, uri, "return 2", "why two?")
		gone := w.say(id, uri, "three", "x")
		w.Call("emendo/comment/edit", worldtest.Obj{"id": one, "text": "too long"}, nil)
		w.Call("emendo/comment/remove", worldtest.Obj{"id": gone}, nil)
		w.Typed(uri, "package main\n", "package main\n\n")
		w.Advance()
		l := w.list(worldtest.Obj{"sessionId": id})
		if len(l) != 2 || l[0].ID != one || l[0].Text != "too long" || l[0].Quoted != "// one\n" || l[0].Range.Start.Line != 5 || l[1].ID != two || l[1].Range.Start.Line != 9 {
			t.Fatalf("listed %+v", l)
		}
		if told := w.Editor.Seen().Comments; len(told) == 0 || len(told[len(told)-1]) != 2 || told[len(told)-1][0] != l[0] || told[len(told)-1][1] != l[1] {
			t.Errorf("the client was told %+v", told)
		}
		if n := len(w.Model.Requests()); n != 0 {
			t.Fatalf("the model got %d requests before they were sent", n)
		}
		if end := w.send(id, "And be kind."); end.StopReason != "end_turn" || end.TurnID == "" {
			t.Errorf("it ended with %+v", end)
		}
		got := w.Request(0)
		for _, want := range []string{"on main.go, line 6:\n> // one\n\ntoo long", "on main.go, line 10:\n> func b() int { return 2 }\n\nwhy two?", "And be kind."} {
			if !strings.Contains(got, want) {
				t.Errorf("the model did not get %q: %s", want, got)
			}
		}
		if sent := w.list(worldtest.Obj{"sessionId": id, "round": 1}); len(sent) != 2 || sent[0].Round != 1 {
			t.Errorf("sent are %+v", sent)
		}
		w.Refused(w.Editor.Call(w.Context(), "emendo/comment/edit", worldtest.Obj{"id": one, "text": "x"}, nil), rpc.InvalidParams, "")
		w.Refused(w.Editor.Call(w.Context(), "emendo/comment/send", worldtest.Obj{"sessionId": id}, nil), rpc.InvalidParams, "")
		w.Refused(w.Editor.Call(w.Context(), "workspace/executeCommand", worldtest.Obj{"command": "emendo.sendComments"}, nil), rpc.InvalidParams, "")
		w.say(id, uri, "// two", "and here")
		w.Command("emendo.sendComments", nil, nil)
		if got := w.Request(1); !strings.Contains(got, "and here") || strings.Count(got, "too long") != 1 {
			t.Errorf("the command sent %s", got)
		}
		w.send(id, "Only words.")
		if got := w.Request(2); strings.Count(got, "too long") != 1 {
			t.Errorf("a comment was sent again: %s", got)
		}
	})
}

func TestCommentsAreStoredWithTheirSession(t *testing.T) {
	play(t, commenting, []modeltest.Reply{worldtest.Say("Hello."), worldtest.Say("Done.")}, func(w *world) {
		id, uri := w.Session(nil), w.Open()
		early := w.say(id, uri, "one", "before the first prompt")
		w.Prompt(id, "Hi")
		late := w.say(id, uri, "return 2", "after it")
		w.Settle()
		w.Editor.Close(uri)
		w.Write("main.go", "// new\n"+strings.Replace(worldtest.MainGo, "// one\n", "", 1))
		w.Restart(commenting)
		w.Call("emendo/session/load", worldtest.Obj{"sessionId": id}, nil)
		l := w.list(worldtest.Obj{"sessionId": id})
		if len(l) != 2 || l[0].ID != early || !l[0].Stale || l[0].Quoted != "// one\n" || l[1].ID != late || l[1].Stale || l[1].Range.Start.Line != 8 {
			t.Fatalf("after a restart %+v", l)
		}
		w.send(id, "")
		if got := w.Request(1); !strings.Contains(got, "they are gone:\n> // one\n\nbefore the first prompt") || !strings.Contains(got, "line 9:\n> func b() int { return 2 }") {
			t.Errorf("the model got %s", got)
		}
		var fork struct{ Session lsptest.Session }
		w.Call("emendo/session/fork", worldtest.Obj{"sessionId": id}, &fork)
		if l := w.list(worldtest.Obj{"sessionId": fork.Session.SessionID, "round": 1}); len(l) != 2 {
			t.Errorf("the copy has %+v", l)
		}
	})
}

// What was written before the first prompt is stored too, with what the session was given before, and
// its session is listed.
func TestCommentsBeforeTheFirstPromptAreStored(t *testing.T) {
	play(t, commenting, []modeltest.Reply{worldtest.Say("Done.")}, func(w *world) {
		id, uri := w.Session(nil), w.Open()
		w.Call("emendo/session/setMode", worldtest.Obj{"sessionId": id, "mode": "plan"}, nil)
		gone := w.say(id, uri, "two", "not this")
		said := w.say(id, uri, "one", "a first thought")
		w.Call("emendo/comment/edit", worldtest.Obj{"id": said, "text": "a second thought"}, nil)
		w.Call("emendo/comment/remove", worldtest.Obj{"id": gone}, nil)
		w.Restart(commenting)
		var found struct {
			Sessions []struct{ SessionID, Mode string }
		}
		w.Call("emendo/session/list", worldtest.Obj{"query": "second THOUGHT"}, &found)
		if len(found.Sessions) != 1 || found.Sessions[0].SessionID != id || found.Sessions[0].Mode != "plan" {
			t.Fatalf("found %+v", found.Sessions)
		}
		w.Call("emendo/session/load", worldtest.Obj{"sessionId": id}, nil)
		if l := w.list(worldtest.Obj{"sessionId": id}); len(l) != 1 || l[0].ID != said || l[0].Text != "a second thought" {
			t.Fatalf("after a restart %+v", l)
		}
		var next struct{ Items []struct{ Kind string } }
		w.Call("emendo/context/list", worldtest.Obj{"sessionId": id, "next": true}, &next)
		if !slices.ContainsFunc(next.Items, func(i struct{ Kind string }) bool { return i.Kind == "environment" }) {
			t.Errorf("the first prompt carries %+v", next.Items)
		}
		w.send(id, "")
		if got := w.Request(0); !strings.Contains(got, "a second thought") || strings.Contains(got, "not this") {
			t.Errorf("the model got %s", got)
		}
	})
}

// A prompt that is rewound has its comments wait again, and its round did not begin.
func TestRewindingHasCommentsWaitAgain(t *testing.T) {
	play(t, commenting, []modeltest.Reply{worldtest.Say("Hello."), worldtest.Say("Done.")}, func(w *world) {
		id, uri := w.Session(nil), w.Open()
		w.Prompt(id, "Hi")
		w.say(id, uri, "one", "look")
		end := w.send(id, "")
		var s struct{ Session struct{ Round int } }
		w.Call("emendo/session/rename", worldtest.Obj{"sessionId": id, "title": "t"}, &s)
		if s.Session.Round != 2 {
			t.Errorf("the session is in round %d", s.Session.Round)
		}
		w.Call("emendo/session/rewind", worldtest.Obj{"sessionId": id, "turnId": end.TurnID, "scope": "conversation"}, nil)
		s.Session.Round = 0
		w.Call("emendo/session/rename", worldtest.Obj{"sessionId": id, "title": "u"}, &s)
		if l := w.list(worldtest.Obj{"sessionId": id}); s.Session.Round != 0 || len(l) != 1 || l[0].Round != 0 {
			t.Errorf("in round %d: %+v", s.Session.Round, l)
		}
	})
}

// While a turn runs comments are queued, and do not wait meanwhile.
func TestCommentsAreQueuedWhileATurnRuns(t *testing.T) {
	replies := []modeltest.Reply{{worldtest.Forever}, worldtest.Say("Done.")}
	play(t, commenting.With("experimental.emendo.queue", true), replies, func(w *world) {
		id, uri := w.Session(nil), w.Open()
		wait := w.Prompting(w.Context(), id, "Hi")
		w.Advance()
		c := w.say(id, uri, "one", "later")
		var queued struct {
			TurnID   string
			Position *int
		}
		w.Call("emendo/comment/send", worldtest.Obj{"sessionId": id}, &queued)
		if queued.TurnID == "" || queued.Position == nil {
			t.Fatalf("queued as %+v", queued)
		}
		w.Refused(w.Editor.Call(w.Context(), "emendo/comment/send", worldtest.Obj{"sessionId": id}, nil), rpc.InvalidParams, "")
		w.Refused(w.Editor.Call(w.Context(), "emendo/comment/remove", worldtest.Obj{"id": c}, nil), rpc.InvalidParams, "")
		w.Call("emendo/session/editQueue", worldtest.Obj{"sessionId": id, "turnId": queued.TurnID, "remove": true}, nil)
		w.Advance()
		w.Call("emendo/comment/edit", worldtest.Obj{"id": c, "text": "now"}, nil)
		w.Notify("emendo/session/cancel", worldtest.Obj{"sessionId": id})
		if _, err := wait(); err != nil {
			t.Fatal(err)
		}
		w.send(id, "")
		if got := w.Request(1); !strings.Contains(got, "> // one\n\nnow") {
			t.Errorf("the model got %s", got)
		}
	})
}

// A comment on a hunk is where the hunk is, and a set says from which round its old text is.
func TestCommentsOnHunksInRounds(t *testing.T) {
	edit := func(from, to string) modeltest.Reply {
		return modeltest.Reply{modeltest.Call("replace", `{"file_path":"main.go","instruction":"x","old_string":"`+from+`","new_string":"`+to+`"}`)}
	}
	replies := []modeltest.Reply{edit("return 1", "return 11"), worldtest.Say("Done."), edit("return 11", "return 12"), worldtest.Say("Done.")}
	play(t, commenting, replies, func(w *world) {
		id, uri := w.Session(worldtest.Obj{"mode": "auto_edit"}), w.Open()
		w.Prompt(id, "Go")
		hunk := w.Last().Files[0].Hunks[0].HunkID
		w.add(worldtest.Obj{"sessionId": id, "hunkId": hunk, "line": 0, "text": "more"})
		w.Typed(uri, "package main\n", "package main\n\n")
		w.Advance()
		if l := w.list(worldtest.Obj{"sessionId": id}); len(l) != 1 || l[0].HunkID != hunk || l[0].Range.Start.Line != 3 || l[0].Quoted != "func a() int { return 11 }\n" {
			t.Fatalf("listed %+v", l)
		}
		w.send(id, "")
		var l struct {
			ChangeSets []struct{ Round, Since int }
		}
		for round := range 3 {
			l.ChangeSets = nil
			w.Call("emendo/changes/list", worldtest.Obj{"sessionId": id, "round": round}, &l)
			switch {
			case round == 0 && len(l.ChangeSets) == 0:
			case round > 0 && len(l.ChangeSets) == 1 && l.ChangeSets[0].Round == round && l.ChangeSets[0].Since == round-1:
			default:
				t.Errorf("of round %d: %+v", round, l.ChangeSets)
			}
		}
		other := w.URI("other.go")
		for _, tt := range []struct {
			params worldtest.Obj
			want   string
		}{
			{worldtest.Obj{"from": 1}, "modify 3 return 11 > return 12"},
			{worldtest.Obj{"from": 0, "to": 1, "uri": uri}, "modify 2 return 1 > return 11"},
			{worldtest.Obj{"from": 0}, "modify 2 return 1 > \nreturn 12"},
			{worldtest.Obj{"from": 2}, ""},
			{worldtest.Obj{"from": 1, "to": 1}, ""},
			{worldtest.Obj{"from": 0, "uri": other}, ""},
		} {
			tt.params["sessionId"] = id
			if got := w.compared(tt.params); got != tt.want {
				t.Errorf("%v: %s, want %s", tt.params, got, tt.want)
			}
		}
		for _, p := range []worldtest.Obj{{"sessionId": id}, {"sessionId": id, "from": 2, "to": 1}, {"from": 1}} {
			w.Refused(w.Editor.Call(w.Context(), "emendo/changes/diff", p, nil), rpc.InvalidParams, "")
		}
		w.Refused(w.Editor.Call(w.Context(), "emendo/comment/add", worldtest.Obj{"sessionId": id, "hunkId": "no-such", "text": "x"}, nil), rpc.InvalidParams, "")
		w.Refused(w.Editor.Call(w.Context(), "emendo/comment/add", worldtest.Obj{"sessionId": id, "hunkId": hunk, "line": 1, "text": "x"}, nil), rpc.InvalidParams, "")
	})
}

func TestPlacesWithoutComments(t *testing.T) {
	play(t, commenting, nil, func(w *world) {
		id, uri := w.Session(nil), w.Open()
		outside := filepath.Join(filepath.Dir(w.Dir), "outside.txt")
		if err := os.WriteFile(outside, []byte("x\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Remove(outside) })
		w.Write(".env", "KEY=1\n")
		first, far := w.RangeOf(uri, "package"), worldtest.Obj{"start": worldtest.Obj{"line": 99, "character": 0}, "end": worldtest.Obj{"line": 99, "character": 0}}
		for name, p := range map[string]worldtest.Obj{
			"outside the roots": {"uri": w.URI("../outside.txt"), "range": first, "text": "x"},
			"a missing file":    {"uri": w.URI("none.txt"), "range": first, "text": "x"},
			"a file of secrets": {"uri": w.URI(".env"), "range": first, "text": "x"},
			"past the end":      {"uri": uri, "range": far, "text": "x"},
			"no text":           {"uri": uri, "range": first, "text": " "},
			"no place":          {"text": "x"},
		} {
			p["sessionId"] = id
			err := w.Editor.Call(w.Context(), "emendo/comment/add", p, nil)
			if err == nil {
				t.Errorf("%s: added", name)
				continue
			}
			w.Refused(err, rpc.InvalidParams, "")
		}
		if l := w.list(worldtest.Obj{"sessionId": id}); len(l) != 0 {
			t.Errorf("listed %+v", l)
		}
	})
}

// A pending hunk has its comments with it, and once it was accepted they stay at its lines.
func TestCommentsStayWithAHunkThatIsAccepted(t *testing.T) {
	play(t, commenting, []modeltest.Reply{worldtest.Say("Hello.")}, func(w *world) {
		id, uri := w.Session(nil), w.Open()
		w.Prompt(id, "Hi")
		cs := w.Propose(worldtest.Obj{"sessionId": id, "uri": uri, "range": w.RangeOf(uri, "// one\n"), "newText": "// 1\n// and more\n", "title": "x"})
		w.add(worldtest.Obj{"sessionId": id, "hunkId": cs.Files[0].Hunks[0].HunkID, "line": 1, "text": "less"})
		lines := func(when string, want uint32) {
			t.Helper()
			w.Advance()
			told := w.Editor.Seen().Comments
			if l := told[len(told)-1]; l[0].Range.Start.Line != want || l[0].Stale || l[0].Quoted != "// and more\n" {
				t.Errorf("%s: %+v, want the line %d", when, l, want)
			}
		}
		lines("while it is pending", 4)
		w.Accept(cs.ChangeSetID)
		lines("accepted", 5)
		w.Typed(uri, "package main\n", "package main\n\n")
		lines("after typing above", 6)
	})
}

// What cannot be sent is not lost: it waits when the answer says so.
func TestCommentsThatCouldNotBeSentWaitAgain(t *testing.T) {
	play(t, commenting, []modeltest.Reply{worldtest.Say("Hello."), worldtest.Say("Done.")}, func(w *world) {
		id, uri := w.Session(nil), w.Open()
		w.Prompt(id, "Hi")
		w.say(id, uri, "one", "look")
		w.NoKey = true
		if err := w.Editor.Call(w.Context(), "emendo/comment/send", worldtest.Obj{"sessionId": id}, nil); err == nil {
			t.Fatal("sent without a key")
		}
		if l := w.list(worldtest.Obj{"sessionId": id}); len(l) != 1 || l[0].Round != 0 {
			t.Errorf("after a failure %+v", l)
		}
		w.NoKey = false
		w.Settle()
		w.Hold = make(chan struct{})
		w.Restart(commenting)
		var end worldtest.TurnEnd
		answered := make(chan error, 1)
		go func() {
			answered <- w.Editor.Call(w.Context(), "emendo/comment/send", worldtest.Obj{"sessionId": id, "text": "and this"}, &end)
		}()
		synctest.Wait()
		w.Notify("emendo/session/cancel", worldtest.Obj{"sessionId": id})
		synctest.Wait()
		close(w.Hold)
		if err := <-answered; err != nil || end.StopReason != "cancelled" || end.TurnID != "" {
			t.Errorf("cancelled before its turn: %+v, %v", end, err)
		}
		if end := w.send(id, ""); end.TurnID == "" || !strings.Contains(w.Request(1), "look") {
			t.Errorf("sent again it ends with %+v", end)
		}
	})
}

// The diff of two rounds has files that came and went, and names those without a text.
func TestRoundsOfFilesThatComeAndGo(t *testing.T) {
	play(t, commenting, []modeltest.Reply{worldtest.Run("build"), worldtest.Say("Built."), worldtest.Run("clean"), worldtest.Say("Done.")}, func(w *world) {
		uri := w.Open()
		w.Write("old.txt", "old\n")
		w.Write("logo.bin", "\x00\x01")
		w.Spawn.Scripts = map[string]sandboxtest.Script{
			"build": {Does: func() {
				w.Write("new.txt", "one\ntwo\n")
				w.Write("logo.bin", "\x00\x02")
				w.remove("old.txt")
			}},
			"clean": {Does: func() { w.remove("new.txt") }},
		}
		id := w.Session(worldtest.Obj{"mode": "yolo"})
		w.Prompt(id, "Build it")
		if got, want := w.changed(id, 0), `modify logo.bin binary [], create new.txt  ["" > "one\ntwo\n"], delete old.txt  ["old\n" > ""]`; got != want {
			t.Errorf("after the first turn %s, want %s", got, want)
		}
		w.say(id, uri, "one", "away with it")
		w.send(id, "")
		if got, want := w.changed(id, 0), `modify logo.bin binary [], delete old.txt  ["old\n" > ""]`; got != want {
			t.Errorf("in both rounds %s, want %s", got, want)
		}
		if got, want := w.changed(id, 1), `delete new.txt  ["one\ntwo\n" > ""]`; got != want {
			t.Errorf("after the first round %s, want %s", got, want)
		}
	})
}
