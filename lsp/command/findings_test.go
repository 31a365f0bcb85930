package command_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// finds is a reply that reports a problem at lines of main.go.
func finds(first, last int, title, message string) modeltest.Step {
	return modeltest.Call("report_finding", fmt.Sprintf(`{"file_path":"main.go","line":%d,"end_line":%d,"severity":"warning","title":%q,"message":%q}`, first, last, title, message))
}

// found returns the findings that a document shows: the line and the title of each.
func (w *world) found(uri string) string {
	var l []string
	for _, d := range w.Editor.Seen().Diagnostics[uri] {
		if d.Code == "finding" {
			title, _, _ := strings.Cut(d.Message, "\n")
			l = append(l, fmt.Sprintf("%d %s", d.Range.Start.Line, title))
		}
	}
	return strings.Join(l, "; ")
}

// reviewing begins a review in a session, as the panel of a client does when it sends the prompt
// of one again.
func (w *world) reviewing(session string) (wait func()) {
	w.Helper()
	params := worldtest.PromptOf(session, "Review these changes.")
	params["prompt"] = append(params["prompt"].([]worldtest.Obj), worldtest.Obj{
		"type": "resource", "resource": worldtest.Obj{"uri": w.URI(".") + "#changes", "mimeType": "text/x-diff", "text": "a diff"},
		"_meta": worldtest.Obj{"emendo": worldtest.Obj{"kind": "review", "label": "Changes"}},
	})
	done := make(chan error, 1)
	go func() { done <- w.Editor.Call(w.Context(), "emendo/session/prompt", params, nil) }()
	w.Advance()
	return func() {
		w.Helper()
		if err := <-done; err != nil {
			w.Error(err)
		}
		w.Settle()
	}
}

// The model is told the finding and gets its lines. What it explains changes nothing; once its
// fix is accepted the finding is gone, and back when the fix is undone.
func TestAFindingIsExplainedAndFixed(t *testing.T) {
	replies := []modeltest.Reply{
		{finds(3, 3, "a is wrong", "It should be 11."), finds(9, 9, "b is wrong", "It should be 22.")},
		worldtest.Say("I read it."),
		worldtest.Say("a returns 1."),
		worldtest.TwoHunks(), worldtest.Say("Fixed."),
	}
	play(t, lsptest.Recorded("helix"), replies, func(w *world) {
		u := w.Open()
		id := w.Session(nil)
		w.reviewing(id)()
		if got, want := w.found(u), "2 a is wrong; 8 b is wrong"; got != want {
			t.Fatalf("it shows %s, want %s", got, want)
		}
		w.RunAction(u, "return 1", "quickfix.emendo.explainFinding")
		w.Settle()
		for _, want := range []string{"Explain a problem", "a is wrong", "It should be 11.", "return 1", "Do not change anything"} {
			if got := w.Request(2); !strings.Contains(got, want) {
				t.Errorf("to explain it, the model is not told %q: %s", want, got)
			}
		}
		if w.found(u) != "2 a is wrong; 8 b is wrong" || w.Editor.Text(u) != worldtest.MainGo {
			t.Errorf("after it was explained it shows %s; the text is %q", w.found(u), w.Editor.Text(u))
		}
		w.RunAction(u, "return 1", "quickfix.emendo.fixFinding")
		w.Settle()
		if got := w.Request(3); !strings.Contains(got, "Fix the code in main.go, line 3.") || !strings.Contains(got, "A review found this there (warning): a is wrong") {
			t.Errorf("to fix it, the model is told %s", got)
		}
		if w.found(u) != "2 a is wrong; 8 b is wrong" {
			t.Errorf("before the fix is accepted it shows %s", w.found(u))
		}
		w.RunAction(u, "return 1", "quickfix.emendo.accept")
		w.Settle()
		if !strings.Contains(w.Editor.Text(u), "return 11") || w.found(u) != "8 b is wrong" {
			t.Errorf("after the fix it shows %s; the text is %q", w.found(u), w.Editor.Text(u))
		}
		w.Editor.Undo()
		w.Settle()
		if w.found(u) != "2 a is wrong; 8 b is wrong" {
			t.Errorf("after the editor's undo it shows %s", w.found(u))
		}
	})
}

// A fix that is asked for while the review still runs waits for its end, and may then edit,
// also a file that is closed: its finding goes too.
func TestAFindingIsFixedWhileTheReviewRuns(t *testing.T) {
	play(t, lsptest.Recorded("helix"), nil, func(w *world) {
		more := make(chan struct{})
		w.Model.Replies = []modeltest.Reply{
			{finds(3, 3, "a is wrong", "")},
			{modeltest.Hold(more), modeltest.Say("I read it.")},
			worldtest.TwoHunks(), worldtest.Say("Fixed."),
		}
		u := w.URI("main.go")
		id := w.Session(worldtest.Obj{"mode": "auto_edit"})
		wait := w.reviewing(id)
		if got, want := w.found(u), "2 a is wrong"; got != want {
			t.Fatalf("while the review runs it shows %s, want %s", got, want)
		}
		at := worldtest.Obj{"line": 2, "character": 0}
		var actions []worldtest.CodeAction
		w.Call("textDocument/codeAction", worldtest.Obj{"textDocument": worldtest.Obj{"uri": u}, "range": worldtest.Obj{"start": at, "end": at}, "context": worldtest.Obj{"diagnostics": []any{}, "only": []string{"quickfix.emendo.fixFinding"}, "triggerKind": 1}}, &actions)
		if len(actions) != 1 || actions[0].Title != "Fix: a is wrong" {
			t.Fatalf("got %+v", actions)
		}
		w.Call("workspace/executeCommand", worldtest.Obj{"command": actions[0].Command.Command, "arguments": actions[0].Command.Arguments}, nil)
		if n := len(w.Model.Requests()); n != 2 {
			t.Errorf("the model got %d requests before the review ended", n)
		}
		close(more)
		wait()
		if got := w.Read("main.go"); !strings.Contains(got, "return 11") {
			t.Errorf("the file is %q", got)
		}
		if w.found(u) != "" {
			t.Errorf("after the fix it shows %s", w.found(u))
		}
	})
}

// What is dismissed stays so: after a restart the others are back once the session is loaded.
func TestFindingsOutliveTheServer(t *testing.T) {
	replies := []modeltest.Reply{{finds(3, 3, "a is wrong", ""), finds(9, 9, "b is wrong", "")}, worldtest.Say("I read it.")}
	play(t, lsptest.Recorded("helix"), replies, func(w *world) {
		u := w.Open()
		id := w.Session(nil)
		w.reviewing(id)()
		w.RunAction(u, "return 1", "quickfix.emendo.dismissFinding")
		w.Settle()
		if got, want := w.found(u), "8 b is wrong"; got != want {
			t.Fatalf("after it was dismissed it shows %s, want %s", got, want)
		}
		w.Restart(lsptest.Recorded("helix"))
		w.Write("main.go", "// zero\n"+worldtest.MainGo) // meanwhile
		w.Editor.Open(u, w.Read("main.go"))
		w.Call("emendo/session/load", worldtest.Obj{"sessionId": id}, nil)
		w.Settle()
		if got, want := w.found(u), "9 b is wrong"; got != want {
			t.Errorf("after a restart it shows %s, want %s", got, want)
		}
	})
}

// A finding is of the cursor's line where no ID is given, and what is not there is told.
func TestCommandsAboutFindings(t *testing.T) {
	replies := []modeltest.Reply{{finds(3, 3, "a is wrong", "")}, worldtest.Say("I read it."), worldtest.Say("a returns 1.")}
	play(t, lsptest.Recorded("helix"), replies, func(w *world) {
		u := w.Open()
		w.reviewing(w.Session(nil))()
		w.Actions(u, "return 2", nil) // moves the cursor there
		err := w.Editor.Command(w.Context(), "emendo.finding", worldtest.Obj{"action": "dismiss"}, nil)
		if err == nil || !strings.Contains(err.Error(), "There is no finding at the cursor.") {
			t.Errorf("got %v", err)
		}
		for _, args := range []worldtest.Obj{{"id": "another", "action": "fix"}, {"action": "forget"}} {
			w.Refused(w.Editor.Command(w.Context(), "emendo.finding", args, nil), -32602, "")
		}
		w.Actions(u, "return 1", nil)
		w.Command("emendo.finding", nil, nil)
		w.Settle()
		if got := w.Request(2); !strings.Contains(got, "Explain a problem") {
			t.Errorf("the model is told %s", got)
		}
		w.Command("emendo.finding", worldtest.Obj{"action": "dismiss"}, nil)
		w.Settle()
		if w.found(u) != "" {
			t.Errorf("it shows %s", w.found(u))
		}
	})
}

// Ranges are in the encoding of the client, up to the end of the last line without what ends it.
func TestTheRangeOfAFinding(t *testing.T) {
	const text = "package main\r\n\r\nvar a = \"ä😀\"\r\nvar b = \"ä😀\""
	for _, tt := range []struct {
		profile string
		last    int
		want    string
	}{
		{"helix", 3, "2:0-2:16"}, {"helix", 4, "2:0-3:16"}, // in bytes
		{"vscode", 3, "2:0-2:13"}, {"vscode", 4, "2:0-3:13"},
	} {
		play(t, lsptest.Recorded(tt.profile), []modeltest.Reply{{finds(3, tt.last, "a is wrong", "")}, worldtest.Say("I read it.")}, func(w *world) {
			w.Write("main.go", text)
			u := w.Open()
			w.reviewing(w.Session(nil))()
			var got []string
			for _, d := range w.Editor.Seen().Diagnostics[u] {
				r := d.Range
				got = append(got, fmt.Sprintf("%d:%d-%d:%d", r.Start.Line, r.Start.Character, r.End.Line, r.End.Character))
			}
			if strings.Join(got, " ") != tt.want {
				w.Errorf("%s to line %d: got %v, want %s", tt.profile, tt.last, got, tt.want)
			}
		})
	}
}
