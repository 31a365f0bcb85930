package review_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// both is the text of main.go after [worldtest.TwoHunks].
var both = strings.NewReplacer("return 1", "return 11", "return 2", "return 22").Replace(worldtest.MainGo)

// applied has a new session of a plain client make edits that nobody is asked about.
func (w *world) applied() (session string) {
	w.Helper()
	id := w.Session(worldtest.Obj{"mode": "auto_edit"})
	w.Command("emendo.ask", worldtest.Obj{"prompt": "Change it", "sessionId": id}, nil)
	w.Settle()
	return id
}

// marks returns what a document shows of hunks: the line and the first line of each message.
func (w *world) marks(uri string) string {
	var l []string
	for _, d := range w.Editor.Seen().Diagnostics[uri] {
		first, _, _ := strings.Cut(d.Message, "\n")
		l = append(l, fmt.Sprintf("%d %s", d.Range.Start.Line, first))
	}
	return strings.Join(l, "; ")
}

func TestPlainClientReviewsWhatWasApplied(t *testing.T) {
	for name, severity := range map[string]int{"neovim": 3, "helix": 3, "eglot": 3, "vscode": 3, "kate": 3, "Qt Creator": 2} {
		t.Run(name, func(t *testing.T) {
			profile := lsptest.Recorded("helix").Of(name)
			if name != "Qt Creator" {
				profile = lsptest.Recorded(name)
			}
			play(t, profile, []modeltest.Reply{worldtest.TwoHunks(), worldtest.Say("Done.")}, func(w *world) {
				u := w.Open()
				w.applied()
				if w.Editor.Text(u) != both {
					t.Fatalf("the text is %q", w.Editor.Text(u))
				}
				const want = "2 Edit main.go: replaced 1 line with 1 line; not reviewed yet; 8 Edit main.go: replaced 1 line with 1 line; not reviewed yet"
				if got := w.marks(u); got != want {
					t.Errorf("it shows %s", got)
				}
				for _, d := range w.Editor.Seen().Diagnostics[u] {
					if d.Severity != severity || d.Source != "emendo" || d.Code != "review" || !strings.Contains(d.Message, "\n- func") || !strings.Contains(d.Message, "\n+ func") {
						t.Errorf("got %+v", d)
					}
				}
				var titles []string
				for _, a := range w.Actions(u, "return 11", nil)[:4] {
					titles = append(titles, a.Title)
				}
				const change = ": replaced 1 line with 1 line: + func a() int { return 11 }"
				if got, want := strings.Join(titles, "; "), "Keep"+change+"; Undo"+change+"; Explain this change with emendo; Comment on this change"; got != want {
					t.Errorf("it offers %s", got)
				}
				w.RunAction(u, "return 11", "quickfix.emendo.keep")
				if l := w.Editor.Seen().Diagnostics[u]; len(l) != 1 || w.Editor.Text(u) != both {
					t.Errorf("after keeping there are %+v; the text is %q", l, w.Editor.Text(u))
				}
				w.RunAction(u, "return 22", "quickfix.emendo.undo")
				if want := strings.Replace(worldtest.MainGo, "return 1", "return 11", 1); w.Editor.Text(u) != want || w.marks(u) != "" {
					t.Errorf("after undoing it shows %s; the text is %q", w.marks(u), w.Editor.Text(u))
				}
				w.Editor.Undo() // the user takes the undo back
				synctest.Wait()
				if l := w.Editor.Seen().Diagnostics[u]; w.Editor.Text(u) != both || len(l) > 1 {
					t.Errorf("after the editor's undo there are %+v; the text is %q", l, w.Editor.Text(u))
				}
			})
		})
	}
}

// All is kept or undone of a document, a turn, a session, or of the current session.
func TestAllIsKeptAndUndone(t *testing.T) {
	edits := modeltest.Reply{
		modeltest.Call("replace", `{"file_path":"a.txt","old_string":"one","new_string":"ONE"}`),
		modeltest.Call("replace", `{"file_path":"b.txt","old_string":"one","new_string":"ONE"}`),
	}
	for _, c := range []struct {
		command string
		args    func(w *world, session string) any
		want    string // the first lines of a.txt and b.txt; what is left; the message
	}{
		{"emendo.keepAll", func(w *world, _ string) any { return worldtest.Obj{"uri": w.URI("a.txt")} }, "ONE ONE 0 1 Kept 1 change in 1 file."},
		{"emendo.undoAll", func(w *world, _ string) any { return worldtest.Obj{"uri": w.URI("b.txt")} }, "ONE one 1 0 Undid 1 change in 1 file."},
		{"emendo.undoAll", func(*world, string) any { return nil }, "one one 0 0 Undid 2 changes in 2 files."},
		{"emendo.keepAll", func(_ *world, id string) any { return worldtest.Obj{"sessionId": id} }, "ONE ONE 0 0 Kept 2 changes in 2 files."},
		{"emendo.undoAll", func(*world, string) any { return worldtest.Obj{"turnId": "another"} }, "ONE ONE 1 1 "},
		{"emendo.rejectAll", func(*world, string) any { return nil }, "ONE ONE 1 1 "},
	} {
		t.Run(c.command, func(t *testing.T) {
			play(t, lsptest.Recorded("helix"), []modeltest.Reply{edits, worldtest.Say("Done.")}, func(w *world) {
				for _, name := range []string{"a.txt", "b.txt"} {
					w.Write(name, "one\ntwo\n")
				}
				u := w.URI("a.txt") // the other is closed
				w.Editor.Open(u, w.Read("a.txt"))
				id := w.applied()
				before := len(w.Messages())
				w.Command(c.command, c.args(w, id), nil)
				message := ""
				for _, m := range w.Messages()[before:] {
					message += strings.TrimPrefix(m, "emendo: ")
				}
				first := func(text string) string { return text[:3] }
				left := map[string]int{}
				for _, h := range w.left(nil) {
					left[h.URI]++
				}
				got := fmt.Sprint(first(w.Editor.Text(u)), " ", first(w.Read("b.txt")), " ", left[u], left[w.URI("b.txt")], " ", message)
				if !strings.HasPrefix(got, c.want) || c.want[len(c.want)-1] == ' ' && got != c.want {
					t.Errorf("got %q, want %q", got, c.want)
				}
				if shown := w.marks(u) != ""; shown != (left[u] > 0) {
					t.Errorf("it shows %s", w.marks(u))
				}
				if w.marks(w.URI("b.txt")) != "" {
					t.Errorf("a closed document shows %s", w.marks(w.URI("b.txt")))
				}
			})
		})
	}
}

type left struct {
	URI                        string
	Range                      ide.Range
	ChangeSetID, HunkID, Title string
}

// left returns what emendo.unreviewed lists.
func (w *world) left(args any) []left {
	w.Helper()
	var r struct{ Items []left }
	w.Command("emendo.unreviewed", args, &r)
	return r.Items
}

// The list and the walk reach closed files too, in the order of files and lines.
func TestWhatWasAppliedIsListedAndWalked(t *testing.T) {
	replies := []modeltest.Reply{{
		modeltest.Call("write_file", `{"file_path":"b.txt","content":"new\n"}`), modeltest.Call("replace", `{"file_path":"a.txt","old_string":"two\n","new_string":""}`),
	}, worldtest.TwoHunks(), worldtest.Say("Done.")}
	play(t, lsptest.Recorded("helix"), replies, func(w *world) {
		w.Write("a.txt", "one\ntwo\nthree\n")
		u := w.Open()
		if l := w.left(nil); len(l) != 0 || w.Messages()[0] != "emendo: Nothing is left to review." {
			t.Errorf("at first %+v, %q", l, w.Messages())
		}
		w.applied()
		before := len(w.Messages())
		var titles []string
		for _, h := range w.left(nil) {
			titles = append(titles, h.Title)
		}
		const want = `a.txt:2: deleted 1 line: - two
b.txt:1: created this file with 1 line: + new
main.go:3: replaced 1 line with 1 line: + func a() int { return 11 }
main.go:9: replaced 1 line with 1 line: + func b() int { return 22 }`
		if got := strings.Join(titles, "\n"); got != want {
			t.Errorf("the list is\n%s", got)
		}
		if got := w.Messages()[before]; got != "emendo: 4 changes left to review: a.txt (1), b.txt (1), main.go (2)" {
			t.Errorf("the message is %q", got)
		}
		if l := w.left(worldtest.Obj{"uri": u}); len(l) != 2 || l[0].URI != u || l[0].ChangeSetID == "" || l[0].HunkID == "" {
			t.Errorf("of a document it is %+v", l)
		}
		var walked []string
		walk := func(command string, args any) {
			var l struct {
				URI    string
				Range  ide.Range
				HunkID string
			}
			if w.Command(command, args, &l); l.HunkID == "" {
				t.Errorf("got %+v", l)
			}
			walked = append(walked, fmt.Sprint(l.URI[strings.LastIndex(l.URI, "/")+1:], l.Range.Start.Line))
		}
		walk("emendo.nextHunk", worldtest.Obj{"uri": u, "position": worldtest.Obj{"line": 2, "character": 0}})
		for _, command := range []string{"nextHunk", "nextHunk", "nextHunk", "prevHunk", "prevHunk"} {
			walk("emendo."+command, nil)
		}
		if got := strings.Join(walked, " "); got != "main.go8 a.txt1 b.txt0 main.go2 b.txt0 a.txt1" {
			t.Errorf("the walk is %s", got)
		}
		w.Editor.Open(w.URI("a.txt"), w.Read("a.txt"))
		synctest.Wait()
		w.Command("emendo.undo", nil, nil) // at the cursor, where the walk ended
		if w.Editor.Text(w.URI("a.txt")) != "one\ntwo\nthree\n" {
			t.Errorf("undone it is %q", w.Editor.Text(w.URI("a.txt")))
		}
		w.Command("emendo.keepAll", nil, nil)
		var none any
		if w.Command("emendo.nextHunk", nil, &none); none != nil || w.marks(u) != "" {
			t.Errorf("at the end it goes to %v and shows %s", none, w.marks(u))
		}
	})
}

// A document that is closed and opened shows again what is left, and so does it with unsaved text.
func TestADocumentShowsWhatIsLeftWhenItIsOpenedAgain(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{worldtest.TwoHunks(), worldtest.Say("Done.")}, func(w *world) {
		u := w.Open()
		w.applied()
		w.RunAction(u, "return 22", "quickfix.emendo.keep")
		w.Editor.SaveFile(u)
		w.Editor.Close(u)
		w.Settle()
		if w.marks(u) != "" {
			t.Errorf("closed it shows %s", w.marks(u))
		}
		w.Editor.Open(u, "// unsaved\n"+both)
		w.Settle()
		if got := w.marks(u); !strings.HasPrefix(got, "3 ") || strings.Contains(got, "; 9 ") {
			t.Errorf("opened again it shows %s", got)
		}
		w.RunAction(u, "return 11", "quickfix.emendo.undo")
		if want := "// unsaved\n" + strings.Replace(both, "return 11", "return 1", 1); w.Editor.Text(u) != want || w.marks(u) != "" {
			t.Errorf("it shows %s; the text is %q", w.marks(u), w.Editor.Text(u))
		}
	})
}

// Lines that the user types into are the user's: undo leaves them, and says why.
func TestTypingInsideWhatWasApplied(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{worldtest.TwoHunks(), worldtest.Say("Done.")}, func(w *world) {
		u := w.Open()
		w.applied()
		w.Typed(u, "return 11", "return 111")
		w.Settle()
		text, before := w.Editor.Text(u), len(w.Messages())
		if l := w.Editor.Seen().Diagnostics[u]; len(l) != 2 {
			t.Errorf("there are %+v", l)
		}
		w.RunAction(u, "return 111", "quickfix.emendo.undo")
		if w.Editor.Text(u) != text {
			t.Errorf("undo changed the user's text: %q", w.Editor.Text(u))
		}
		if l := w.Messages()[before:]; len(l) != 1 || !strings.HasPrefix(l[0], "emendo: 1 of 1 changes was not made: ") {
			t.Errorf("it says %q", l)
		}
		w.RunAction(u, "return 111", "quickfix.emendo.keep")
		w.Typed(u, "return 22", "return 2") // as it was before
		w.Settle()
		if w.marks(u) != "" || w.Editor.Text(u) != strings.Replace(worldtest.MainGo, "return 1", "return 111", 1) {
			t.Errorf("it shows %s; the text is %q", w.marks(u), w.Editor.Text(u))
		}
	})
}

// Undo gives back line ends and letters as they were.
func TestUndoKeepsLineEnds(t *testing.T) {
	edit := modeltest.Reply{modeltest.Call("replace", `{"file_path":"a.txt","old_string":"two","new_string":"𝄞 zwei"}`)}
	for _, name := range []string{"helix", "vscode"} { // UTF-8, UTF-16
		play(t, lsptest.Recorded(name), []modeltest.Reply{edit, worldtest.Say("Done.")}, func(w *world) {
			const text = "𝄞 one\r\ntwo\r\nthree"
			w.Write("a.txt", text)
			u := w.URI("a.txt")
			w.Editor.Open(u, text)
			w.applied()
			if got := w.Editor.Text(u); got != "𝄞 one\r\n𝄞 zwei\r\nthree" || !strings.HasPrefix(w.marks(u), "1 ") {
				t.Fatalf("the text is %q, it shows %s", got, w.marks(u))
			}
			w.RunAction(u, "zwei", "quickfix.emendo.undo")
			if w.Editor.Text(u) != text || w.marks(u) != "" {
				t.Errorf("the text is %q, it shows %s", w.Editor.Text(u), w.marks(u))
			}
		})
	}
}

// The hunks of a session go with it.
func TestADeletedSessionLeavesNothingToReview(t *testing.T) {
	other := modeltest.Reply{modeltest.Call("replace", `{"file_path":"main.go","old_string":"package main","new_string":"// Package main.\npackage main"}`)}
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{worldtest.TwoHunks(), worldtest.Say("Done."), other, worldtest.Say("Done.")}, func(w *world) {
		u := w.Open()
		first := w.applied()
		w.applied()
		if l := w.Editor.Seen().Diagnostics[u]; len(l) != 3 {
			t.Fatalf("two sessions have %+v", l)
		}
		w.Call("emendo/session/delete", worldtest.Obj{"sessionId": first}, nil)
		w.Settle()
		if got := w.marks(u); !strings.HasPrefix(got, "0 ") || strings.Contains(got, "; 3 ") {
			t.Errorf("it shows %s", got)
		}
	})
}

func TestLensesAndHoverShowWhatWasApplied(t *testing.T) {
	play(t, lsptest.Recorded("neovim"), []modeltest.Reply{worldtest.TwoHunks(), worldtest.Say("Done.")}, func(w *world) {
		u := w.Open()
		w.applied()
		var lenses []struct {
			Command struct{ Title, Command string }
		}
		w.Call("textDocument/codeLens", worldtest.Obj{"textDocument": worldtest.Obj{"uri": u}}, &lenses)
		var titles []string
		for _, l := range lenses {
			titles = append(titles, l.Command.Title+" "+l.Command.Command)
		}
		const pair = "Keep: replaced 1 line with 1 line emendo.keep; Undo emendo.undo"
		if got := strings.Join(titles, "; "); got != pair+"; "+pair {
			t.Errorf("the lenses are %s", got)
		}
		var h struct{ Contents struct{ Value string } }
		w.Call("textDocument/hover", worldtest.Obj{"textDocument": worldtest.Obj{"uri": u}, "position": w.RangeOf(u, "return 11").Start}, &h)
		if !strings.Contains(h.Contents.Value, "not reviewed yet") || !strings.Contains(h.Contents.Value, "-func a() int { return 1 }\n+func a() int { return 11 }\n") {
			t.Errorf("the hover is %q", h.Contents.Value)
		}
	})
}

// The plugin draws hunks itself.
func TestAClientThatDrawsHunksIsShownNone(t *testing.T) {
	play(t, worldtest.Plugin, []modeltest.Reply{worldtest.TwoHunks(), worldtest.Say("Done.")}, func(w *world) {
		u := w.Open()
		w.Prompt(w.Session(worldtest.Obj{"mode": "auto_edit"}), "Change it")
		if l := w.left(nil); len(l) != 2 || w.marks(u) != "" || len(w.Editor.Seen().Messages) != 0 {
			t.Errorf("it lists %+v, shows %s and says %q", l, w.marks(u), w.Editor.Seen().Messages)
		}
	})
}

// After a restart the session's conversation brings back what is left to review, in open and in
// closed files.
func TestWhatIsLeftIsShownAfterARestart(t *testing.T) {
	other := modeltest.Call("write_file", `{"file_path":"b.txt","content":"new\n"}`)
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{append(worldtest.TwoHunks(), other), worldtest.Say("Done.")}, func(w *world) {
		u := w.Open()
		id := w.applied()
		w.RunAction(u, "return 22", "quickfix.emendo.keep")
		w.Editor.SaveFile(u)
		w.Settle()
		w.Restart(lsptest.Recorded("helix"))
		w.Command("emendo.chat", worldtest.Obj{"sessionId": id}, nil)
		w.Editor.Open(u, both)
		w.Settle()
		if got := w.marks(u); !strings.HasPrefix(got, "2 ") || strings.Contains(got, "; 8 ") {
			t.Errorf("it shows %s", got)
		}
		if l := w.left(nil); len(l) != 2 {
			t.Errorf("it lists %+v", l)
		}
		w.Command("emendo.undoAll", worldtest.Obj{"sessionId": id}, nil)
		w.Settle()
		if want := strings.Replace(both, "return 11", "return 1", 1); w.Editor.Text(u) != want || w.marks(u) != "" {
			t.Errorf("undone it shows %s; the text is %q", w.marks(u), w.Editor.Text(u))
		}
		if l := w.left(nil); len(l) != 0 {
			t.Errorf("undone it lists %+v", l)
		}
	})
}
