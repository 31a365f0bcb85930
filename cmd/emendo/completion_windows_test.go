package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/langserver/langservertest"
)

// TestPowerShellCompletes runs PowerShell itself.
func TestPowerShellCompletes(t *testing.T) {
	w := newWorld(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "emendo.exe"), program, 0o755); err != nil {
		t.Fatal(err)
	}
	const script = `emendo completion powershell | Out-String | Invoke-Expression
(TabExpansion2 -inputScript $env:LINE -cursorColumn $env:LINE.Length).CompletionMatches | ForEach-Object { $_.CompletionText }`
	for line, want := range map[string]string{
		"emendo sess":                        "sessions",
		"emendo run --approval-mode ":        "default auto_edit plan yolo",
		"emendo run --approval-mode pl":      "plan",
		"emendo run -m gemini-2.5-pr":        "gemini-2.5-pro",
		"emendo sessions export --format js": "json",
	} {
		c := exec.CommandContext(t.Context(), "powershell", "-NoProfile", "-NonInteractive", "-Command", script)
		c.Dir, c.Env = w.dir, append(os.Environ(), "EMENDO_HOME="+w.home, "EMENDO_TEST_MAIN=1", "PATH="+langservertest.SearchPath(w.t, bin), "LINE="+line)
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(strings.Fields(string(out)), " "); got != want {
			t.Errorf("%q is completed with %q, want %q", line, got, want)
		}
	}
}
