package chatdoc_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/sandbox/sandboxtest"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// at returns the params of a request about the place after a text in a document.
func (w *world) at(uri, text string) worldtest.Obj {
	w.Helper()
	r := w.RangeOf(uri, text)
	return worldtest.Obj{"textDocument": worldtest.Obj{"uri": uri}, "position": r.End}
}

func TestPromptsInDocumentsAreCompleted(t *testing.T) {
	type list struct {
		IsIncomplete bool
		Items        []struct {
			Label, FilterText string
			TextEdit          struct {
				Range   ide.Range
				NewText string
			}
		}
	}
	play(t, lsptest.Recorded("helix"), nil, func(w *world) {
		w.Write("src_fee.go", "package fee\n")
		u := w.Chat("a.emendo.md", "## You\n\nWhy @fee\n\n## emendo\n\nSee @main\n\n## You\n\n/hel\n")
		complete := func(text string) (l list) {
			w.Helper()
			w.Call("textDocument/completion", w.at(u, text), &l)
			return l
		}
		if l := complete("Why @fee"); len(l.Items) != 0 {
			t.Errorf("an old question is completed: %+v", l)
		}
		if l := complete("/hel"); len(l.Items) == 0 || l.Items[0].Label != "/help" || l.Items[0].TextEdit.Range != w.RangeOf(u, "/hel") {
			t.Errorf("commands %+v", l)
		}
		w.Typed(u, "/hel", "Why does ü @fee")
		l := complete("Why does ü @fee")
		if len(l.Items) == 0 || l.Items[0].Label != "src_fee.go" || l.Items[0].TextEdit.NewText != "@src_fee.go" || !strings.HasPrefix(l.Items[0].FilterText, "@fee") || !l.IsIncomplete {
			t.Errorf("files %+v", l)
		}
		from := w.RangeOf(u, "Why does ü ").End
		if l.Items[0].TextEdit.Range.Start != from {
			t.Errorf("replaces %+v, want from %+v", l.Items[0].TextEdit.Range, from)
		}
		if l := complete("does"); len(l.Items) != 0 {
			t.Errorf("a word is completed: %+v", l)
		}
		main := w.Open()
		var other list
		w.Call("textDocument/completion", w.at(main, "one"), &other)
		if len(other.Items) != 0 {
			t.Errorf("other files are completed: %+v", other)
		}
	})
}

func TestOutlineOfADocument(t *testing.T) {
	profile := lsptest.Recorded("eglot")
	play(t, profile, nil, func(w *world) {
		u := w.Chat("a.emendo.md", "---\nsession: s\n---\n\n## You\n\nWhy main.go:3?\n\n## emendo\n\nSee `main.go`, nope.go and b.\n\n```go\nx\ny\n```\n\n## You\n\n")
		main := w.Open()
		type symbol struct {
			Name     string
			Range    ide.Range
			Children []symbol
		}
		var symbols, none []symbol
		w.Call("textDocument/documentSymbol", worldtest.Obj{"textDocument": worldtest.Obj{"uri": u}}, &symbols)
		if len(symbols) != 1 || symbols[0].Name != "Why main.go:3?" || len(symbols[0].Children) != 1 || symbols[0].Range.End != symbols[0].Children[0].Range.End {
			t.Errorf("symbols %+v", symbols)
		}
		w.Call("textDocument/documentSymbol", worldtest.Obj{"textDocument": worldtest.Obj{"uri": main}}, &none)
		if len(none) != 0 {
			t.Errorf("symbols of another file %+v", none)
		}
		var folds []struct{ StartLine, EndLine int }
		w.Call("textDocument/foldingRange", worldtest.Obj{"textDocument": worldtest.Obj{"uri": u}}, &folds)
		if len(folds) != 4 || folds[0].EndLine != 2 {
			t.Errorf("folds %+v", folds)
		}
		var links []struct {
			Range  ide.Range
			Target string
		}
		w.Call("textDocument/documentLink", worldtest.Obj{"textDocument": worldtest.Obj{"uri": u}}, &links)
		if len(links) != 2 || links[0].Target != main+"#L3" || links[0].Range != w.RangeOf(u, "main.go:3") || links[1].Target != main {
			t.Errorf("links %+v", links)
		}
	})
}

func TestHoverOfAToolLineShowsTheCall(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{worldtest.Run("touch a"), worldtest.Run("touch a"), worldtest.Say("Done.")}, func(w *world) {
		w.Spawn.Scripts = map[string]sandboxtest.Script{"touch a": sandboxtest.Print("made\n", 0)}
		u := w.Chat("a.emendo.md", "Run it.\n")
		w.Send(u)
		w.Settle()
		for range 2 {
			w.chooseIn(u, lineOf(w.Editor.Text(u), "**Allow?**"), "Allow once")
			w.Settle()
		}
		var hover struct{ Contents struct{ Value string } }
		w.Call("textDocument/hover", w.at(u, "- `touch a`"), &hover)
		if v := hover.Contents.Value; !strings.Contains(v, "run_shell_command") || !strings.Contains(v, `"command": "touch a"`) || !strings.Contains(v, "made") {
			t.Errorf("the hover is %q", v)
		}
		var none any
		w.Call("textDocument/hover", w.at(u, "Run it"), &none)
		if none != nil {
			t.Errorf("the hover of text is %v", none)
		}
	})
}

// What others have written makes the server look at no file outside of the workspace.
func TestPlacesOutsideAreNotLinks(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "a.go")
	if err := os.WriteFile(outside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	play(t, lsptest.Recorded("eglot"), nil, func(w *world) {
		inside := filepath.Join(w.Dir, "main.go")
		up, err := filepath.Rel(w.Dir, outside)
		if err != nil {
			t.Fatal(err)
		}
		u := w.Chat("a.emendo.md", "## You\n\nSee "+outside+":1 and "+filepath.ToSlash(up)+":1 and "+inside+":3\n")
		var links []struct{ Target string }
		w.Call("textDocument/documentLink", worldtest.Obj{"textDocument": worldtest.Obj{"uri": u}}, &links)
		if len(links) != 1 || links[0].Target != w.URI("main.go")+"#L3" {
			t.Errorf("links %+v", links)
		}
	})
}
