package chatdoc_test

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/internal/sandbox/sandboxtest"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

type offered struct {
	Title, Kind string
	Command     struct {
		Command   string
		Arguments []any
	}
}

// offers returns the code actions at a line of a document.
func (w *world) offers(uri string, line int) (l []offered) {
	w.Helper()
	at := worldtest.Obj{"line": line, "character": 0}
	w.Call("textDocument/codeAction", worldtest.Obj{"textDocument": worldtest.Obj{"uri": uri}, "range": worldtest.Obj{"start": at, "end": at}, "context": worldtest.Obj{"diagnostics": []any{}}}, &l)
	return l
}

func (w *world) titles(uri string, line int) (l []string) {
	w.Helper()
	for _, o := range w.offers(uri, line) {
		l = append(l, o.Title)
	}
	return l
}

// chooseIn runs the code action with a title.
func (w *world) chooseIn(uri string, line int, title string) {
	w.Helper()
	for _, o := range w.offers(uri, line) {
		if o.Title == title {
			var args any
			if len(o.Command.Arguments) > 0 {
				args = o.Command.Arguments[0]
			}
			w.Command(o.Command.Command, args, nil)
			return
		}
	}
	w.Errorf("%q is not offered, but %q", title, w.titles(uri, line))
}

func lineOf(text, part string) int {
	return strings.Count(text[:max(strings.Index(text, part), 0)], "\n")
}

func TestPermissionIsGivenOnItsLine(t *testing.T) {
	for _, c := range []struct {
		name, choice, line, ran string
		edit                    bool
	}{
		{"allowed", "Allow once", "- `touch a`: allowed once, exit 0, 0.0 s\n", "touch a", false},
		{"rejected", "Deny", "- `touch a`: rejected\n", "", false},
		{"on an edited line", "Allow once", "- **Allow?** `touch a` Really?\n", "touch a", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, lsptest.Recorded("helix"), []modeltest.Reply{worldtest.Run("touch a"), worldtest.Say("Done.")}, func(w *world) {
				w.Spawn.Scripts = map[string]sandboxtest.Script{"touch a": sandboxtest.Print("", 0)}
				u := w.Chat("a.emendo.md", "Run it.\n")
				id, _ := w.Send(u)
				w.Settle()
				const asks = "- **Allow?** `touch a`"
				w.shows(u, id, front+"## You\n\nRun it.\n\n## emendo\n\n"+asks+"\n\n## You\n\n")
				if c.edit {
					at := strings.Index(w.Editor.Text(u), asks) + len(asks)
					w.Editor.Type(u, at, at, " Really?")
				}
				w.Editor.Type(u, len(w.Editor.Text(u)), len(w.Editor.Text(u)), "Next")
				w.Settle()
				line := lineOf(w.Editor.Text(u), "**Allow?**")
				if l := w.titles(u, line); len(l) < 3 || l[0] != "Send to emendo" || !strings.HasPrefix(l[2], "Show the question") {
					t.Errorf("offered are %q", l)
				}
				w.chooseIn(u, line, c.choice)
				w.Settle()
				if got := w.Editor.Text(u); !strings.Contains(got, c.line) || w.Ran() != c.ran || !strings.Contains(got, "\n\nDone.\n\n## You\n\nNext") {
					t.Errorf("ran %q, the document is\n%s", w.Ran(), got)
				}
			})
		})
	}
}

// The line is enough to ask, in an editor that shows neither diagnostics nor
// messages with buttons.
func TestPermissionIsAskedByALineAlone(t *testing.T) {
	play(t, lsptest.Recorded("helix").With("textDocument.publishDiagnostics", false), []modeltest.Reply{worldtest.Run("touch a"), worldtest.Say("Done.")}, func(w *world) {
		w.Spawn.Scripts = map[string]sandboxtest.Script{"touch a": sandboxtest.Print("", 0)}
		u := w.Chat("a.emendo.md", "Run it.\n")
		w.Send(u)
		w.Settle()
		w.chooseIn(u, lineOf(w.Editor.Text(u), "**Allow?**"), "Allow once")
		w.Settle()
		if w.Ran() != "touch a" {
			t.Errorf("ran %q, the document is\n%s", w.Ran(), w.Editor.Text(u))
		}
	})
}

// A question of the model is a line, too.
func TestModelsQuestionIsAnsweredOnItsLine(t *testing.T) {
	ask := modeltest.Reply{modeltest.Call("ask_user", `{"questions":[{"header":"h","question":"Tabs?","type":"yesno"}]}`)}
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{ask, worldtest.Say("So be it.")}, func(w *world) {
		u := w.Chat("a.emendo.md", "Indent it.\n")
		w.Send(u)
		w.Settle()
		w.chooseIn(u, lineOf(w.Editor.Text(u), "**Allow?**"), "Yes")
		w.Settle()
		if got := w.Editor.Text(u); !strings.Contains(got, ": Yes") || !strings.HasSuffix(got, "\n\nSo be it.\n\n## You\n\n") {
			t.Errorf("the document is\n%s", got)
		}
	})
}

// Each of several questions has a line, which stays with its answer.
func TestEachQuestionHasALine(t *testing.T) {
	ask := modeltest.Reply{modeltest.Call("ask_user", `{"questions":[{"header":"a","question":"Tabs?","type":"yesno"},{"header":"b","question":"Sure?","type":"yesno"}]}`)}
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{ask, worldtest.Say("So be it.")}, func(w *world) {
		u := w.Chat("a.emendo.md", "Indent it.\n")
		id, _ := w.Send(u)
		w.Settle()
		const asked = front + "## You\n\nIndent it.\n\n## emendo\n\n"
		w.shows(u, id, asked+"- **Allow?** `Tabs?`\n\n## You\n\n")
		w.chooseIn(u, lineOf(w.Editor.Text(u), "**Allow?**"), "Yes")
		w.Settle()
		w.shows(u, id, asked+"- `Tabs?`: Yes\n- **Allow?** `Sure?`\n\n## You\n\n")
		w.chooseIn(u, lineOf(w.Editor.Text(u), "**Allow?**"), "No")
		w.Settle()
		w.shows(u, id, asked+"- `Tabs?`: Yes\n- `Sure?`: No\n- `Ask: a, b`\n\nSo be it.\n\n## You\n\n")
	})
}

// A line that a comment hides in one line is seen.
func TestPermissionLineShowsTheLinesOfACommand(t *testing.T) {
	command := modeltest.Reply{modeltest.Call("run_shell_command", `{"command":"true # list the files\nrm a\n"}`)}
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{command}, func(w *world) {
		u := w.Chat("a.emendo.md", "Run it.\n")
		w.Send(u)
		w.Settle()
		const asks = "- **Allow?** `true # list the files ⏎ rm a`\n"
		if got := w.Editor.Text(u); !strings.Contains(got, asks) {
			t.Errorf("the document is\n%s", got)
		} else if l := w.titles(u, lineOf(got, "**Allow?**")); len(l) < 2 || !strings.HasSuffix(l[1], "files ⏎ rm a") {
			t.Errorf("offered are %q", l)
		}
	})
}
