//go:build unix

package chatdoc_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// A repository may have a link with the name of a chat document to a file that runs
// what it holds.
func TestFileBehindALinkIsNotWritten(t *testing.T) {
	const profile = "alias l=ls\n"
	file := filepath.Join(t.TempDir(), ".profile")
	if err := os.WriteFile(file, []byte(profile), 0o600); err != nil {
		t.Fatal(err)
	}
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{worldtest.Say("It lists.")}, func(w *world) {
		if err := os.Symlink(file, filepath.Join(w.Dir, "a.emendo.md")); err != nil {
			t.Fatal(err)
		}
		u := w.URI("a.emendo.md")
		w.Editor.Open(u, profile)
		w.Advance()
		w.Send(u)
		w.Editor.Close(u)
		w.Settle()
		if got, err := os.ReadFile(file); err != nil || string(got) != profile {
			t.Errorf("the file behind the link is %q, %v", got, err)
		}
		if got := w.Read(w.chatFile()); !strings.Contains(got, "It lists.") {
			t.Errorf("the document is\n%s", got)
		}
	})
}

// Where the repository has something else in place of the folder of chat documents, they
// are in the state folder, and nothing is written where a link leads.
func TestFolderOfDocumentsIsNotTheWorkspaces(t *testing.T) {
	outside := t.TempDir()
	link := func(name string) func(dir string) error {
		return func(dir string) error {
			err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755)
			return errors.Join(err, os.Symlink(filepath.Join(outside, "new"), filepath.Join(dir, name)))
		}
	}
	for name, prepare := range map[string]func(dir string) error{
		"a file":                   func(dir string) error { return os.WriteFile(filepath.Join(dir, ".emendo"), nil, 0o600) },
		"a link":                   link(".emendo"),
		"a link of the folder":     link(".emendo/chats"),
		"a link of its .gitignore": link(".emendo/chats/.gitignore"),
	} {
		t.Run(name, func(t *testing.T) {
			play(t, lsptest.Recorded("helix"), []modeltest.Reply{worldtest.Say("It is the tariff.")}, func(w *world) {
				if err := prepare(w.Dir); err != nil {
					t.Fatal(err)
				}
				u := w.Open()
				w.Command("emendo.explain", worldtest.Obj{"uri": u, "range": w.RangeOf(u, "return 1")}, nil)
				w.Settle()
				found, err := filepath.Glob(filepath.Join(w.Dir, ".chats", "*", "*.emendo.md"))
				if err != nil || len(found) != 1 {
					t.Fatalf("chat documents %q, %v; messages %q", found, err, w.Editor.Seen().Messages)
				}
				if got, err := os.ReadFile(found[0]); err != nil || !strings.Contains(string(got), "It is the tariff.") {
					t.Errorf("the document is %s, %v", got, err)
				}
				if l := w.Messages(); len(l) != 1 || !strings.HasPrefix(l[0], "It is the tariff.") {
					t.Errorf("messages %q", l)
				}
				w.Command("emendo.chat", nil, nil)
			})
		})
	}
	if l, err := os.ReadDir(outside); err != nil || len(l) != 0 {
		t.Errorf("outside are %v, %v", l, err)
	}
}

// A document names a session of another folder: the question would run there, and what
// was said there would get into the document.
func TestSessionOfAnotherFolderIsNotContinued(t *testing.T) {
	replies := []modeltest.Reply{{modeltest.Say("It is a secret."), modeltest.Call("read_file", `{"file_path":"main.go"}`)}, worldtest.Say("Well."), worldtest.Say("It is not.")}
	play(t, lsptest.Recorded("helix"), replies, func(w *world) {
		u := w.Chat("a.emendo.md", "Why?\n")
		id, _ := w.Send(u)
		w.Settle()
		w.Editor.Close(u)
		other := t.TempDir()
		if err := w.Editor.End(); err != nil {
			t.Fatal(err)
		}
		if err := w.Editor.Reconnect(lsptest.Recorded("helix"), other, w.Serve); err != nil {
			t.Fatal(err)
		}
		evil := string(ide.FileURI(filepath.Join(other, "b.emendo.md")))
		text := strings.ReplaceAll(front, "SESSION", id) + "## You\n\nWhy?\n\n## emendo\n\n- `Read main.go`: 9 lines\n\n## You\n\nGo on.\n"
		w.Editor.Open(evil, text)
		w.Advance()
		var hover any
		if err := w.Editor.Call(w.Context(), "textDocument/hover", w.at(evil, "- `Read main.go`"), &hover); err != nil || hover != nil {
			t.Errorf("the hover shows %v, %v", hover, err)
		}
		err := w.Editor.Command(w.Context(), "emendo.send", worldtest.Obj{"uri": evil}, nil)
		if err == nil || !strings.Contains(err.Error(), "works in "+w.Dir) {
			t.Errorf("sent: %v", err)
		}
		w.Settle()
		if got := w.Editor.Text(evil); got != text {
			t.Errorf("the document is\n%s", got)
		}
		if n := len(w.Model.Requests()); n != 2 {
			t.Errorf("%d requests", n)
		}
		if l := w.Started.Workspace.Snapshot().Tree().Folders(); slices.Contains(l, w.Dir) {
			t.Errorf("the server works in %q", l)
		}
		w.Editor.Close(evil)
		w.Editor.Open(u, strings.ReplaceAll(front, "SESSION", id)+"## You\n\nWhy?\n\n## emendo\n\nIt is a secret.\n\n- `Read main.go`: Read 9 lines from main.go\n\nWell.\n\n## You\n\nAnd now?\n") // where the session works, in any window
		w.Advance()
		if again, _ := w.Send(u); again != id {
			t.Errorf("sent in session %s", again)
		}
		w.Settle()
		if got := w.Editor.Text(u); !strings.Contains(got, "It is not.") {
			t.Errorf("the document is\n%s", got)
		}
	})
}
