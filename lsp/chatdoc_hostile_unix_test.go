//go:build unix

package lsp_test

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
)

// A repository may have a link with the name of a chat document to a file that runs
// what it holds.
func TestFileBehindALinkIsNotWritten(t *testing.T) {
	const profile = "alias l=ls\n"
	file := filepath.Join(t.TempDir(), ".profile")
	if err := os.WriteFile(file, []byte(profile), 0o600); err != nil {
		t.Fatal(err)
	}
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{say("It lists.")}, func(w *world) {
		if err := os.Symlink(file, filepath.Join(w.dir, "a.emendo.md")); err != nil {
			t.Fatal(err)
		}
		u := w.uri("a.emendo.md")
		w.e.Open(u, profile)
		w.advance()
		w.send(u)
		w.e.Close(u)
		w.settle()
		if got, err := os.ReadFile(file); err != nil || string(got) != profile {
			t.Errorf("the file behind the link is %q, %v", got, err)
		}
		if got := w.read(w.chatFile()); !strings.Contains(got, "It lists.") {
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
			play(t, lsptest.Recorded("helix"), []modeltest.Reply{say("It is the tariff.")}, func(w *world) {
				if err := prepare(w.dir); err != nil {
					t.Fatal(err)
				}
				u := w.open()
				w.command("emendo.explain", obj{"uri": u, "range": w.rangeOf(u, "return 1")}, nil)
				w.settle()
				found, err := filepath.Glob(filepath.Join(w.dir, ".chats", "*", "*.emendo.md"))
				if err != nil || len(found) != 1 {
					t.Fatalf("chat documents %q, %v; messages %q", found, err, w.e.Seen().Messages)
				}
				if got, err := os.ReadFile(found[0]); err != nil || !strings.Contains(string(got), "It is the tariff.") {
					t.Errorf("the document is %s, %v", got, err)
				}
				if l := w.messages(); len(l) != 1 || !strings.HasPrefix(l[0], "It is the tariff.") {
					t.Errorf("messages %q", l)
				}
				w.command("emendo.chat", nil, nil)
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
	replies := []modeltest.Reply{{modeltest.Say("It is a secret."), modeltest.Call("read_file", `{"file_path":"main.go"}`)}, say("Well."), say("It is not.")}
	play(t, lsptest.Recorded("helix"), replies, func(w *world) {
		u := w.chat("a.emendo.md", "Why?\n")
		id, _ := w.send(u)
		w.settle()
		w.e.Close(u)
		other := t.TempDir()
		if err := w.e.End(); err != nil {
			t.Fatal(err)
		}
		if err := w.e.Reconnect(lsptest.Recorded("helix"), other, w.serve); err != nil {
			t.Fatal(err)
		}
		evil := string(ide.FileURI(filepath.Join(other, "b.emendo.md")))
		text := strings.ReplaceAll(front, "SESSION", id) + "## You\n\nWhy?\n\n## emendo\n\n- `Read main.go`: 9 lines\n\n## You\n\nGo on.\n"
		w.e.Open(evil, text)
		w.advance()
		var hover any
		if err := w.e.Call(w.Context(), "textDocument/hover", w.at(evil, "- `Read main.go`"), &hover); err != nil || hover != nil {
			t.Errorf("the hover shows %v, %v", hover, err)
		}
		err := w.e.Command(w.Context(), "emendo.send", obj{"uri": evil}, nil)
		if err == nil || !strings.Contains(err.Error(), "works in "+w.dir) {
			t.Errorf("sent: %v", err)
		}
		w.settle()
		if got := w.e.Text(evil); got != text {
			t.Errorf("the document is\n%s", got)
		}
		if n := len(w.model.Requests()); n != 2 {
			t.Errorf("%d requests", n)
		}
		if l := w.started.Workspace.Snapshot().Tree().Folders(); slices.Contains(l, w.dir) {
			t.Errorf("the server works in %q", l)
		}
		w.e.Close(evil)
		w.e.Open(u, strings.ReplaceAll(front, "SESSION", id)+"## You\n\nWhy?\n\n## emendo\n\nIt is a secret.\n\n- `Read main.go`: Read 9 lines from main.go\n\nWell.\n\n## You\n\nAnd now?\n") // where the session works, in any window
		w.advance()
		if again, _ := w.send(u); again != id {
			t.Errorf("sent in session %s", again)
		}
		w.settle()
		if got := w.e.Text(u); !strings.Contains(got, "It is not.") {
			t.Errorf("the document is\n%s", got)
		}
	})
}
