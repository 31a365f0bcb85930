package chat_test

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/idetest"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

func TestRewindCommandShowsPromptsAndResults(t *testing.T) {
	edit := modeltest.Reply{modeltest.Call("replace", `{"file_path":"new.txt","old_string":"one","new_string":"two"}`)}
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{edit, worldtest.Say("Done.")}, func(w *world) {
		w.Write("new.txt", "one\n")
		id := w.Session(worldtest.Obj{"mode": "auto_edit"})
		end := w.Prompt(id, "make it two")
		last := func() string {
			l := w.Editor.Seen().Messages
			return l[len(l)-1]
		}
		var listed struct {
			SessionID string
			Prompts   []struct{ TurnID, Text string }
		}
		w.Command("emendo.rewind", worldtest.Obj{"sessionId": id}, &listed)
		if got := last(); !strings.Contains(got, end.TurnID+": make it two") {
			t.Errorf("shown: %q", got)
		}
		if l := listed.Prompts; listed.SessionID != id || len(l) != 1 || l[0].TurnID != end.TurnID || l[0].Text != "make it two" {
			t.Errorf("answered: %+v", listed)
		}
		if got := w.Read("new.txt"); got != "two\n" {
			t.Errorf("looking has changed the file to %q", got)
		}
		w.Command("emendo.rewind", worldtest.Obj{"sessionId": id, "turnId": end.TurnID, "scope": "both", "dryRun": true}, nil)
		if got := last(); !strings.Contains(got, "nothing was changed") || !strings.Contains(got, "new.txt") {
			t.Errorf("shown: %q", got)
		}
		w.Command("emendo.rewind", worldtest.Obj{"sessionId": id, "turnId": end.TurnID, "scope": "all"}, nil)
		if got := last(); !strings.Contains(got, "scope") {
			t.Errorf("shown: %q", got)
		}
		w.Command("emendo.rewind", worldtest.Obj{"sessionId": id, "turnId": end.TurnID, "scope": "both"}, nil)
		if got := w.Read("new.txt") + last(); !strings.HasPrefix(got, "one\nRewound. emendo.rewind {\"redo\": true} undoes it until the next prompt.\nrestored: ") {
			t.Errorf("the file and what was shown: %q", got)
		}
		w.Command("emendo.rewind", worldtest.Obj{"redo": true}, nil)
		if got := w.Read("new.txt") + last(); !strings.HasPrefix(got, "two\nThe rewind was undone.\nrestored: ") {
			t.Errorf("redone, the file and what was shown: %q", got)
		}
		w.Command("emendo.rewind", worldtest.Obj{"redo": true}, nil)
		if got := last(); !strings.Contains(got, "nothing was rewound") {
			t.Errorf("shown: %q", got)
		}
		w.Command("emendo.rewind", worldtest.Obj{"sessionId": id, "turnId": end.TurnID, "scope": "both"}, nil)
		w.Command("emendo.rewind", worldtest.Obj{"sessionId": id}, nil)
		if got := last(); !strings.Contains(got, "no prompt") {
			t.Errorf("shown: %q", got)
		}
	})
}

// Eglot reports no changes of a document while it waits for a command.
func TestRewindDoesNotBlockAPlainClient(t *testing.T) {
	edit := modeltest.Reply{modeltest.Call("replace", `{"file_path":"main.go","old_string":"return 1","new_string":"return 11"}`)}
	play(t, lsptest.Recorded("eglot"), []modeltest.Reply{edit, worldtest.Say("Done.")}, func(w *world) {
		u := w.Open()
		id := w.Session(worldtest.Obj{"mode": "auto_edit"})
		end := w.Prompt(id, "change it")
		answered := make(chan struct{})
		w.Editor.OnEdit = func(int, ide.Edit) (a idetest.Answer) {
			<-answered
			return a
		}
		w.Command("emendo.rewind", worldtest.Obj{"sessionId": id, "turnId": end.TurnID, "scope": "both"}, nil)
		close(answered)
		w.Advance()
		if w.Editor.Text(u) != worldtest.MainGo {
			t.Errorf("rewound it is %q", w.Editor.Text(u))
		}
	})
}

func TestADryRunShowsWhatARewindWouldChange(t *testing.T) {
	edits := modeltest.Reply{
		modeltest.Call("replace", `{"file_path":"main.go","old_string":"return 1 ","new_string":"return 11 "}`),
		modeltest.Call("write_file", `{"file_path":"new.txt","content":"new\n"}`),
	}
	play(t, listing, []modeltest.Reply{edits, worldtest.Say("Done.")}, func(w *world) {
		u := w.Open()
		id := w.Session(worldtest.Obj{"mode": "auto_edit"})
		end := w.Prompt(id, "change them")
		var r struct {
			Files []struct {
				URI, Op, Diff string
				OpenInEditor  bool
				Hunks         []any
			}
		}
		w.Call("emendo/session/rewind", worldtest.Obj{"sessionId": id, "turnId": end.TurnID, "scope": "both", "dryRun": true}, &r)
		if len(r.Files) != 2 {
			t.Fatalf("it would change %+v", r.Files)
		}
		for _, f := range r.Files {
			switch f.URI {
			case u:
				if f.Op != "modify" || !f.OpenInEditor || !strings.Contains(f.Diff, "-func a() int { return 11 }\n+func a() int { return 1 }\n") || f.Hunks == nil {
					t.Errorf("it would change %+v", f)
				}
			case w.URI("new.txt"):
				if f.Op != "delete" || f.OpenInEditor || !strings.Contains(f.Diff, "+++ /dev/null\n@@ -1,1 +0,0 @@\n-new\n") {
					t.Errorf("it would change %+v", f)
				}
			default:
				t.Errorf("it would change %+v", f)
			}
		}
		w.Call("emendo/session/rewind", worldtest.Obj{"sessionId": id, "turnId": end.TurnID, "scope": "both"}, nil)
		w.Advance()
		us := w.Editor.Seen().Updates
		if last := us[len(us)-1]; last.Kind() != "_emendo/rewound" || last.Seq != 0 || !strings.Contains(string(last.Update), end.TurnID) {
			t.Errorf("the last update is %+v", last)
		}
		w.Call("emendo/session/rewind", worldtest.Obj{"sessionId": id, "redo": true, "dryRun": true}, &r)
		if len(r.Files) != 2 || w.Editor.Text(u) != worldtest.MainGo {
			t.Errorf("a redo would change %+v", r.Files)
		}
		w.Call("emendo/session/rewind", worldtest.Obj{"sessionId": id, "redo": true}, nil)
		w.Advance()
		us = w.Editor.Seen().Updates
		if last := us[len(us)-1]; last.Kind() != "_emendo/rewound" || !strings.Contains(string(last.Update), `"redo":true`) || w.Read("new.txt") != "new\n" {
			t.Errorf("redone, the last update is %+v, and new.txt is %q", last, w.Read("new.txt"))
		}
	})
}
