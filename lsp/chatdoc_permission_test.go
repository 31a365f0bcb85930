package lsp_test

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/internal/sandbox/sandboxtest"
	"github.com/emendo-dev/emendo/lsp/lsptest"
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
	at := obj{"line": line, "character": 0}
	w.call("textDocument/codeAction", obj{"textDocument": obj{"uri": uri}, "range": obj{"start": at, "end": at}, "context": obj{"diagnostics": []any{}}}, &l)
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
			w.command(o.Command.Command, args, nil)
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
		{"allowed", "Allow once", "- `touch a`: allowed once, exit status 0\n", "touch a", false},
		{"denied", "Deny", "- `touch a`: denied\n", "", false},
		{"on an edited line", "Allow once", "- **Allow?** `touch a` Really?\n", "touch a", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, lsptest.Recorded("helix"), []modeltest.Reply{run("touch a"), say("Done.")}, func(w *world) {
				w.spawn.Scripts = map[string]sandboxtest.Script{"touch a": sandboxtest.Print("", 0)}
				u := w.chat("a.emendo.md", "Run it.\n")
				id, _ := w.send(u)
				w.settle()
				const asks = "- **Allow?** `touch a`"
				w.shows(u, id, front+"## You\n\nRun it.\n\n## emendo\n\n"+asks+"\n\n## You\n\n")
				if c.edit {
					at := strings.Index(w.e.Text(u), asks) + len(asks)
					w.e.Type(u, at, at, " Really?")
				}
				w.e.Type(u, len(w.e.Text(u)), len(w.e.Text(u)), "Next")
				w.settle()
				line := lineOf(w.e.Text(u), "**Allow?**")
				if l := w.titles(u, line); len(l) < 3 || l[0] != "Send to emendo" || !strings.HasPrefix(l[2], "Show the question") {
					t.Errorf("offered are %q", l)
				}
				w.chooseIn(u, line, c.choice)
				w.settle()
				if got := w.e.Text(u); !strings.Contains(got, c.line) || w.ran() != c.ran || !strings.Contains(got, "\n\nDone.\n\n## You\n\nNext") {
					t.Errorf("ran %q, the document is\n%s", w.ran(), got)
				}
			})
		})
	}
}

// The line is enough to ask, in an editor that shows neither diagnostics nor
// messages with buttons.
func TestPermissionIsAskedByALineAlone(t *testing.T) {
	play(t, lsptest.Recorded("helix").With("textDocument.publishDiagnostics", false), []modeltest.Reply{run("touch a"), say("Done.")}, func(w *world) {
		w.spawn.Scripts = map[string]sandboxtest.Script{"touch a": sandboxtest.Print("", 0)}
		u := w.chat("a.emendo.md", "Run it.\n")
		w.send(u)
		w.settle()
		w.chooseIn(u, lineOf(w.e.Text(u), "**Allow?**"), "Allow once")
		w.settle()
		if w.ran() != "touch a" {
			t.Errorf("ran %q, the document is\n%s", w.ran(), w.e.Text(u))
		}
	})
}

// A question of the model is a line, too.
func TestModelsQuestionIsAnsweredOnItsLine(t *testing.T) {
	ask := modeltest.Reply{modeltest.Call("ask_user", `{"questions":[{"header":"h","question":"Tabs?","type":"yesno"}]}`)}
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{ask, say("So be it.")}, func(w *world) {
		u := w.chat("a.emendo.md", "Indent it.\n")
		w.send(u)
		w.settle()
		w.chooseIn(u, lineOf(w.e.Text(u), "**Allow?**"), "Yes")
		w.settle()
		if got := w.e.Text(u); !strings.Contains(got, ": Yes") || !strings.HasSuffix(got, "\n\nSo be it.\n\n## You\n\n") {
			t.Errorf("the document is\n%s", got)
		}
	})
}

// Each of several questions has a line, which stays with its answer.
func TestEachQuestionHasALine(t *testing.T) {
	ask := modeltest.Reply{modeltest.Call("ask_user", `{"questions":[{"header":"a","question":"Tabs?","type":"yesno"},{"header":"b","question":"Sure?","type":"yesno"}]}`)}
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{ask, say("So be it.")}, func(w *world) {
		u := w.chat("a.emendo.md", "Indent it.\n")
		id, _ := w.send(u)
		w.settle()
		const asked = front + "## You\n\nIndent it.\n\n## emendo\n\n"
		w.shows(u, id, asked+"- **Allow?** `Tabs?`\n\n## You\n\n")
		w.chooseIn(u, lineOf(w.e.Text(u), "**Allow?**"), "Yes")
		w.settle()
		w.shows(u, id, asked+"- `Tabs?`: Yes\n- **Allow?** `Sure?`\n\n## You\n\n")
		w.chooseIn(u, lineOf(w.e.Text(u), "**Allow?**"), "No")
		w.settle()
		w.shows(u, id, asked+"- `Tabs?`: Yes\n- `Sure?`: No\n- `Ask: a, b`\n\nSo be it.\n\n## You\n\n")
	})
}

// A line that a comment hides in one line is seen.
func TestPermissionLineShowsTheLinesOfACommand(t *testing.T) {
	command := modeltest.Reply{modeltest.Call("run_shell_command", `{"command":"true # list the files\nrm a\n"}`)}
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{command}, func(w *world) {
		u := w.chat("a.emendo.md", "Run it.\n")
		w.send(u)
		w.settle()
		const asks = "- **Allow?** `true # list the files ⏎ rm a`\n"
		if got := w.e.Text(u); !strings.Contains(got, asks) {
			t.Errorf("the document is\n%s", got)
		} else if l := w.titles(u, lineOf(got, "**Allow?**")); len(l) < 2 || !strings.HasSuffix(l[1], "files ⏎ rm a") {
			t.Errorf("offered are %q", l)
		}
	})
}
