package review_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/idetest"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

func TestHunksAreDecidedOneByOne(t *testing.T) {
	play(t, worldtest.Plugin, []modeltest.Reply{worldtest.TwoHunks(), worldtest.Say("Done.")}, func(w *world) {
		u := w.Open()
		wait := w.Prompting(w.Context(), w.Session(nil), "Change it")
		l := w.Sets(worldtest.Obj{"uri": u, "state": "pending"})
		if len(l) != 1 || len(l[0].Files) != 1 || len(l[0].Files[0].Hunks) != 2 {
			t.Fatalf("got %+v", l)
		}
		cs, f := l[0], l[0].Files[0]
		if cs.State != "pending" || cs.Title == "" || cs.TurnID == "" || cs.ToolCallID == "" || f.URI != u || f.Op != "modify" || !f.OpenInEditor || f.BaseVersion == nil || *f.BaseVersion != 1 || !strings.Contains(f.Diff, "@@") {
			t.Errorf("got %+v", cs)
		}
		a, b := f.Hunks[0], f.Hunks[1]
		if want := (ide.Range{Start: ide.Position{Line: 2}, End: ide.Position{Line: 3}}); a.Range != want || a.OldText != "func a() int { return 1 }\n" {
			t.Errorf("the first hunk is %+v", a)
		}
		r := w.Resolve(worldtest.Obj{"changeSetId": cs.ChangeSetID, "hunkId": a.HunkID, "uri": u, "action": "accept"})
		if !slices.Equal(r.Applied, []string{a.HunkID}) || len(r.Conflicts) != 0 {
			t.Errorf("got %+v", r)
		}
		w.Resolve(worldtest.Obj{"changeSetId": cs.ChangeSetID, "hunkId": b.HunkID, "action": "reject"})
		if end, err := wait(); err != nil || end.StopReason != "end_turn" {
			t.Errorf("got %+v, %v", end, err)
		}
		if got, want := w.Editor.Text(u), strings.Replace(worldtest.MainGo, "return 1", "return 11", 1); got != want {
			t.Errorf("the buffer is %q", got)
		}
		if w.Read("main.go") != worldtest.MainGo {
			t.Error("an open file was written on the disk")
		}
		seen := w.Editor.Seen()
		if last := seen.ChangeSets[len(seen.ChangeSets)-1]; last.State != "partial" {
			t.Errorf("didChange last said %s", last.State)
		}
		if len(seen.Diagnostics) != 0 || len(seen.Questions) != 0 {
			t.Errorf("diagnostics %v, questions %v", seen.Diagnostics, seen.Questions)
		}
		if edits := w.Editor.Edits(); len(edits) != 1 || edits[0].Label == "" {
			t.Errorf("edits %+v", edits)
		}
		w.Editor.Undo()
		synctest.Wait()
		if got := w.States(); got != "pending rejected" {
			t.Errorf("after undo they are %s", got)
		}
		w.Editor.Redo()
		synctest.Wait()
		if got := w.States(); got != "accepted rejected" {
			t.Errorf("after redo they are %s", got)
		}
	})
}

func TestOneGroupIsOneUndoStep(t *testing.T) {
	play(t, worldtest.Plugin, []modeltest.Reply{worldtest.TwoHunks(), worldtest.Say("Done.")}, func(w *world) {
		u := w.Open()
		wait := w.Prompting(w.Context(), w.Session(nil), "Change it")
		w.Command("emendo.acceptAll", worldtest.Obj{"uri": u}, nil)
		if _, err := wait(); err != nil {
			t.Error(err)
		}
		if len(w.Editor.Edits()) != 1 || !strings.Contains(w.Editor.Text(u), "22") {
			t.Errorf("%d edits, text %q", len(w.Editor.Edits()), w.Editor.Text(u))
		}
		w.Editor.Undo()
		if w.Editor.Text(u) != worldtest.MainGo {
			t.Error("one undo does not revert it")
		}
	})
}

func TestMisbehavingEditors(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer idetest.Answer
		want   string
	}{
		{"an editor that always refuses", idetest.Answer{Refuse: ide.ErrRefused}, "conflicted"},
		{"an editor that says it did and did not", idetest.Answer{Lie: true}, "conflicted"},
		{"an editor that tells the text late", idetest.Answer{Echo: 1e9}, "accepted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, worldtest.Plugin, []modeltest.Reply{worldtest.TwoHunks(), worldtest.Say("Done.")}, func(w *world) {
				u := w.Open()
				w.Editor.OnEdit = func(int, ide.Edit) idetest.Answer { return c.answer }
				wait := w.Prompting(w.Context(), w.Session(nil), "Change it")
				r := w.Resolve(worldtest.Obj{"changeSetId": w.Sets(nil)[0].ChangeSetID, "action": "accept"})
				if _, err := wait(); err != nil {
					t.Error(err)
				}
				if got := w.States(); got != c.want+" "+c.want {
					t.Errorf("they are %s; the answer was %+v", got, r)
				}
				if changed := w.Editor.Text(u) != worldtest.MainGo; changed != (c.want == "accepted") {
					t.Errorf("the buffer is %q", w.Editor.Text(u))
				}
			})
		})
	}
}

func TestPlainClientReviews(t *testing.T) {
	for _, name := range []string{"neovim", "helix", "eglot", "vscode"} {
		t.Run(name, func(t *testing.T) {
			play(t, lsptest.Recorded(name), []modeltest.Reply{worldtest.TwoHunks(), worldtest.Say("Done.")}, func(w *world) {
				u := w.Open()
				w.Command("emendo.ask", worldtest.Obj{"prompt": "Change it"}, nil)
				l := w.Editor.Seen().Diagnostics[u]
				if len(l) != 2 {
					t.Fatalf("got %+v", l)
				}
				for _, d := range l {
					if d.Severity != 3 || d.Source != "emendo" || !strings.Contains(d.Message, "+ func") {
						t.Errorf("got %+v", d)
					}
					if keeps := name == "neovim" || name == "vscode"; (d.Data != nil) != keeps {
						t.Errorf("its data is %s", d.Data)
					}
				}
				w.RunAction(u, "return 1", "quickfix.emendo.accept")
				if want := strings.Replace(worldtest.MainGo, "return 1", "return 11", 1); w.Editor.Text(u) != want {
					t.Errorf("after accepting it is %q", w.Editor.Text(u))
				}
				if l := w.Editor.Seen().Diagnostics[u]; len(l) != 1 {
					t.Errorf("after accepting there are %+v", l)
				}
				w.RunAction(u, "return 2", "quickfix.emendo.reject")
				if l := w.Editor.Seen().Diagnostics[u]; len(l) != 0 {
					t.Errorf("after rejecting there are %+v", l)
				}
				w.Editor.Undo()
				synctest.Wait()
				if l := w.Editor.Seen().Diagnostics[u]; len(l) != 1 {
					t.Errorf("after undo there are %+v", l)
				}
				w.Typed(u, "package main", "// x\npackage main")
				w.Advance() // moves are reported after a short delay
				if l := w.Editor.Seen().Diagnostics[u]; len(l) != 1 || l[0].Range.Start.Line != 3 {
					t.Errorf("after typing above there are %+v", l)
				}
				w.Command("emendo.rejectAll", nil, nil)
				if l := w.Editor.Seen().Diagnostics[u]; len(l) != 0 {
					t.Errorf("after rejectAll there are %+v", l)
				}
				if w.Read("main.go") != worldtest.MainGo {
					t.Error("an open file was written on the disk")
				}
				if s := w.Editor.Seen(); len(s.Updates)+len(s.ChangeSets)+len(s.Statuses)+len(s.Requests) != 0 {
					t.Errorf("it got %+v", s)
				}
			})
		})
	}
}

// Invisible characters are escaped in the hunks that a plain client shows.
func TestInvisibleCharactersInAHunkAreShown(t *testing.T) {
	edit := modeltest.Reply{modeltest.Call("replace", `{"file_path":"a.txt","old_string":"one","new_string":"one \u202e\u3164\u001b[31m"}`)}
	play(t, lsptest.Recorded("neovim"), []modeltest.Reply{edit}, func(w *world) {
		w.Write("a.txt", "one\r\ntwo\r\n")
		u := w.URI("a.txt")
		w.Editor.Open(u, w.Read("a.txt"))
		w.Command("emendo.ask", worldtest.Obj{"prompt": "Change it"}, nil)
		var h struct{ Contents struct{ Value string } }
		w.Call("textDocument/hover", worldtest.Obj{"textDocument": worldtest.Obj{"uri": u}, "position": worldtest.Obj{"line": 0, "character": 0}}, &h)
		marks := w.Editor.Seen().Diagnostics[u]
		if len(marks) != 1 {
			t.Fatalf("got %+v", marks)
		}
		const want = `one \u{202E}\u{3164}\u{001B}[31m`
		for _, shown := range []string{h.Contents.Value, marks[0].Message} {
			if !strings.Contains(shown, want) || strings.Contains(shown, "000D") || strings.ContainsAny(shown, "\r\u202e\u3164\x1b") {
				t.Errorf("shown is %q", shown)
			}
		}
		w.Command("emendo.cancel", nil, nil)
	})
}

func TestCodeActions(t *testing.T) {
	problem := worldtest.Obj{"range": worldtest.Obj{"start": worldtest.Obj{"line": 2, "character": 0}, "end": worldtest.Obj{"line": 2, "character": 1}}, "message": "wrong", "source": "compiler"}
	model := []string{"refactor.rewrite.emendo", "source.emendo.explain", "source.emendo.test", "source.emendo.document", "source.emendo.review"}
	asked := append(slices.Clone(model), "source.emendo.ask")
	selected := append(slices.Clone(asked), "quickfix.emendo.comment")
	for _, c := range []struct {
		name, text string
		context    worldtest.Obj
		want       []string
	}{
		{"a selection", "func a()", worldtest.Obj{"diagnostics": []any{}}, selected},
		{"a selection with a problem", "func a()", worldtest.Obj{"diagnostics": []any{problem}}, append([]string{"quickfix.emendo.fix"}, selected...)},
		{"a cursor that is a character wide", "{", worldtest.Obj{"diagnostics": []any{}}, model},
		{"kinds named", "func a()", worldtest.Obj{"diagnostics": []any{}, "only": []string{"source.emendo"}}, asked[1:]},
		{"kinds named on saving", "func a()", worldtest.Obj{"diagnostics": []any{}, "only": []string{"source"}, "triggerKind": 2}, nil},
		{"another server's kind", "func a()", worldtest.Obj{"diagnostics": []any{}, "only": []string{"source.organizeImports"}}, nil},
		{"a cursor that moves", "", worldtest.Obj{"diagnostics": []any{}, "triggerKind": 2}, nil},
		{"a cursor, asked by the user", "", worldtest.Obj{"diagnostics": []any{}, "triggerKind": 1}, model},
		{"quick fixes alone", "func a()", worldtest.Obj{"diagnostics": []any{problem}, "only": []string{"quickfix"}}, []string{"quickfix.emendo.fix", "quickfix.emendo.comment"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, lsptest.Recorded("vscode"), nil, func(w *world) {
				var got []string
				for _, a := range w.Actions(w.Open(), c.text, c.context) {
					got = append(got, a.Kind)
					if a.IsPreferred || a.Edit != nil || a.Command == nil || slices.Equal(a.Tags, []int{1}) == (a.Kind == "quickfix.emendo.comment") {
						t.Errorf("got %+v", a)
					}
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("got %v, want %v", got, c.want)
				}
				if len(w.Model.Requests()) != 0 {
					t.Error("the model was asked")
				}
			})
		})
	}
}

func TestClientsWithoutLiteralsGetCommands(t *testing.T) {
	p := lsptest.Recorded("helix").With("textDocument.codeAction", worldtest.Obj{})
	play(t, p, nil, func(w *world) {
		u := w.Open()
		var l []struct{ Title, Command string }
		w.Call("textDocument/codeAction", worldtest.Obj{"textDocument": worldtest.Obj{"uri": u}, "range": w.RangeOf(u, "func a()"), "context": worldtest.Obj{}}, &l)
		if len(l) < 2 || l[1].Command != "emendo.explain" {
			t.Errorf("got %+v", l)
		}
	})
}

func TestHoverAndLensesShowThePendingHunk(t *testing.T) {
	for _, c := range []struct {
		editor, kind string
		lenses       int
	}{
		{"neovim", "markdown", 4}, {"plugin", "", 0},
	} {
		t.Run(c.editor, func(t *testing.T) {
			play(t, lsptest.Recorded(c.editor), []modeltest.Reply{worldtest.TwoHunks()}, func(w *world) {
				u := w.Open()
				w.Command("emendo.ask", worldtest.Obj{"prompt": "Change it"}, nil)
				at := w.RangeOf(u, "return 1").Start
				var h *struct {
					Contents struct{ Kind, Value string }
					Range    ide.Range
				}
				w.Call("textDocument/hover", worldtest.Obj{"textDocument": worldtest.Obj{"uri": u}, "position": at}, &h)
				if (h != nil) != (c.kind != "") {
					t.Fatalf("got %+v", h)
				}
				if h != nil && (h.Contents.Kind != c.kind || !strings.Contains(h.Contents.Value, "-func a() int { return 1 }\n+func a() int { return 11 }\n") || h.Range.Start.Line != 2) {
					t.Errorf("got %+v", h)
				}
				var none any
				w.Call("textDocument/hover", worldtest.Obj{"textDocument": worldtest.Obj{"uri": u}, "position": worldtest.Obj{"line": 0, "character": 0}}, &none)
				var lenses []struct{ Command struct{ Command string } }
				w.Call("textDocument/codeLens", worldtest.Obj{"textDocument": worldtest.Obj{"uri": u}}, &lenses)
				if none != nil || len(lenses) != c.lenses {
					t.Errorf("hover elsewhere %v, lenses %+v", none, lenses)
				}
				w.Command("emendo.cancel", nil, nil)
			})
		})
	}
}

func TestCursorGoesFromHunkToHunk(t *testing.T) {
	play(t, lsptest.Recorded("vscode"), []modeltest.Reply{worldtest.TwoHunks()}, func(w *world) {
		u := w.Open()
		w.Command("emendo.nextHunk", nil, nil)
		w.Command("emendo.ask", worldtest.Obj{"prompt": "Change it"}, nil)
		var got []string
		for _, c := range []struct {
			command string
			args    any
		}{
			{"emendo.nextHunk", worldtest.Obj{"uri": u, "position": worldtest.Obj{"line": 0, "character": 0}}},
			{"emendo.nextHunk", nil},
			{"emendo.nextHunk", nil},
			{"emendo.prevHunk", nil},
			{"emendo.prevHunk", nil},
		} {
			var l struct {
				URI   string
				Range ide.Range
			}
			w.Command(c.command, c.args, &l)
			got = append(got, fmt.Sprint(l.Range.Start.Line))
		}
		if want := "2 8 2 8 2"; strings.Join(got, " ") != want {
			t.Errorf("went to lines %v, want %s", got, want)
		}
		if n := len(w.Editor.Seen().Documents); n != 5 {
			t.Errorf("%d documents were shown", n)
		}
		w.Command("emendo.accept", nil, nil) // under the cursor
		if got := w.States(); got != "accepted pending" {
			t.Errorf("they are %s", got)
		}
		w.Command("emendo.cancel", nil, nil)
	})
}

func TestNewFileIsCreatedOnAccept(t *testing.T) {
	reply := modeltest.Reply{modeltest.Call("write_file", `{"file_path":"new.go","content":"package main\n"}`)}
	play(t, worldtest.Plugin, []modeltest.Reply{reply, worldtest.Say("Done.")}, func(w *world) {
		wait := w.Prompting(w.Context(), w.Session(nil), "Make it")
		cs := w.Sets(nil)[0]
		if f := cs.Files[0]; f.Op != "create" || f.OpenInEditor || f.BaseVersion != nil {
			t.Errorf("got %+v", f)
		}
		if _, err := os.Stat(w.Dir + "/new.go"); err == nil {
			t.Error("the file exists before the change is accepted")
		}
		w.Resolve(worldtest.Obj{"changeSetId": cs.ChangeSetID, "action": "accept"})
		if _, err := wait(); err != nil || w.Read("new.go") != "package main\n" {
			t.Errorf("the file has %q, %v", w.Read("new.go"), err)
		}
	})
}

func TestInvalidDecisions(t *testing.T) {
	play(t, worldtest.Plugin, []modeltest.Reply{worldtest.TwoHunks()}, func(w *world) {
		w.Open()
		id := w.Session(nil)
		wait := w.Prompting(w.Context(), id, "Change it")
		cs := w.Sets(nil)[0]
		for _, d := range []worldtest.Obj{
			{"changeSetId": cs.ChangeSetID, "action": "accept", "text": "for two"},
			{"changeSetId": cs.ChangeSetID, "hunkId": "nope", "action": "accept"},
			{"changeSetId": cs.ChangeSetID, "action": "accept", "text": 7},
		} {
			w.Refused(w.Editor.Call(w.Context(), "emendo/changes/resolve", worldtest.Obj{"decisions": []worldtest.Obj{d}}, nil), rpc.InvalidParams, "")
		}
		w.Notify("emendo/session/cancel", worldtest.Obj{"sessionId": id})
		if end, err := wait(); err != nil || end.StopReason != "cancelled" {
			t.Errorf("got %+v, %v", end, err)
		}
		if got := w.States(); got != "pending pending" {
			t.Errorf("after cancelling they are %s", got)
		}
	})
}
