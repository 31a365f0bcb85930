package main

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/emendo-dev/emendo/internal/langserver/langservertest"
	"github.com/emendo-dev/emendo/mcp/oauth/oauthtest"
)

func TestMCPLoginIsInterrupted(t *testing.T) {
	w := newWorld(t)
	far := w.far(oauthtest.Options{})
	l := w.login("--no-browser", "far")
	l.until(far.Issuer + "/authorize?")
	if err := l.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	l.ends(130, "emendo: sign in to far: ended by signal interrupt\n")
	if _, err := os.Stat(filepath.Join(w.home, "state", "mcp", "logins")); err == nil {
		t.Error("a login is stored")
	}
}

// The browser gets the address but none of the user's keys.
func TestMCPLoginOpensTheBrowser(t *testing.T) {
	w := newWorld(t)
	far := w.far(oauthtest.Options{})
	bin := t.TempDir()
	pipe := filepath.Join(bin, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	w.put(filepath.Join(bin, "xdg-open"), "#!/bin/sh\n{ echo \"$1\"; echo \"key=$GEMINI_API_KEY\"; } > "+pipe+"\n")
	if err := os.Chmod(filepath.Join(bin, "xdg-open"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.env = append(w.env, "DISPLAY=:0", "PATH="+langservertest.SearchPath(t, bin))
	l := w.login("far")
	f, err := os.Open(pipe)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Scan()
	address := lines.Text()
	lines.Scan()
	if !strings.HasPrefix(address, far.Issuer+"/authorize?") || lines.Text() != "key=" {
		t.Errorf("the browser got %q and %q", address, lines.Text())
	}
	if _, err := oauthtest.Visit(t.Context(), address); err != nil {
		t.Error(err)
	}
	l.ends(exitOK, "If your browser does not open it, open this address:")
}
