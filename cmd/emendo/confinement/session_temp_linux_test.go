package confinement

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/tools/reach"
)

// What a command leaves in /tmp, which is also /var/tmp and TMPDIR, is there for the session's
// later commands, for no other session, and for nobody after its end.
func TestTemporaryFilesAreTheSessions(t *testing.T) {
	work, cache := t.TempDir(), t.TempDir()
	h := New(Options{Env: func(string) string { return "" }, Level: "A", Paths: settings.Paths{Cache: cache}, Log: slog.New(slog.DiscardHandler)})
	guard := h.Use(settings.Sandbox{})
	defer h.Close()
	run := func(session, line string) string {
		t.Helper()
		p, err := h.Reach([]string{work}, reach.Extra{Session: session})
		if err != nil {
			t.Fatal(err)
		}
		said, err := sandbox.Run(t.Context(), guard, sandbox.Command{Argv: []string{"/bin/bash", "-c", line}, Dir: work, Env: []string{"PATH=/usr/bin:/bin"}, Profile: &p.Profile}, sandbox.Talk{})
		if err != nil {
			t.Fatal(err)
		}
		return string(said.Output) + string(said.Errors)
	}
	for _, session := range []string{"one", "two"} {
		defer sandbox.EndSession(session)
	}
	outside := filepath.Join("/tmp", filepath.Base(cache)+"-outside")
	if err := os.WriteFile(outside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(outside)
	if out := run("one", "echo a > /tmp/a && mkdir /var/tmp/b && echo c > $TMPDIR/b/c"); out != "" {
		t.Fatalf("got %q", out)
	}
	if out := run("one", "cat /tmp/a /var/tmp/b/c; ls "+outside); !strings.HasPrefix(out, "a\nc\n") || !strings.Contains(out, "No such file") {
		t.Errorf("a later command of the session: got %q", out)
	}
	if out := run("two", "ls /tmp/a; ls /var/tmp/b"); strings.Count(out, "No such file") != 2 {
		t.Errorf("another session: got %q", out)
	}
	at, temporary := h.Temporary("one", "/var/tmp/b/c")
	if text, err := os.ReadFile(at); !temporary || string(text) != "c\n" || err != nil {
		t.Errorf("the file is said to be at %q: %q, %v", at, text, err)
	}
	if at, temporary := h.Temporary("two", "/tmp/a"); !temporary || at == "" {
		t.Errorf("a file that another session has: got %q", at)
	} else if _, err := os.Stat(at); err == nil {
		t.Errorf("another session has it at %s", at)
	}
	if _, temporary := h.Temporary("one", "/var/lib/x"); temporary {
		t.Error("another folder is none for temporary files")
	}
	h.Ended("one")
	if _, err := os.Stat(at); err == nil {
		t.Error("the files have outlived the session")
	}
}
