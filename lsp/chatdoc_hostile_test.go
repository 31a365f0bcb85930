package lsp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
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
			t.Skip(err)
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
