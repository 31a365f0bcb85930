package policy

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/shellcmd/shellcmdtest"
)

// Without a sandbox nothing hides secrets from a command that searches their
// folders, so it needs approval even if a rule allows the program.
func TestSearchesOverSecretsNeedApprovalWithoutASandbox(t *testing.T) {
	w := shellcmdtest.Workspace(t)
	e := New(Lists{Allowed: []string{shellTool + "(grep)", shellTool + "(rg)"}}.Rules(), nil)
	for _, c := range []struct {
		command string
		want    Kind
	}{
		{"grep -rn x .", Ask},
		{"grep -rn x", Ask},
		{"rg x", Ask},
		{"cd sub && grep -rn x .", Ask}, // cd has no rule
		{"grep -rn x sub", Allow},
		{"grep x main.go", Allow},
	} {
		for _, mode := range []Mode{Default, Yolo} {
			call := shellCall(t, c.command, w, mode)
			if call.Sandboxed = false; mode == Yolo && strings.HasPrefix(c.command, "cd ") {
				continue
			}
			got := e.Decide(call)
			if got.Kind != c.want {
				t.Errorf("%q is %v in mode %s: %s", c.command, got.Kind, mode, got.Reason)
			}
			if c.command == "rg x" && !strings.Contains(got.Reason, filepath.Join(".git", "config")) && !strings.Contains(got.Reason, ".env") {
				t.Errorf("the reason does not name it: %q", got.Reason)
			}
			if call.Sandboxed = true; c.want == Ask && c.command[:2] != "cd" && e.Decide(call).Kind != Allow {
				t.Errorf("%q is not allowed in a sandbox", c.command)
			}
		}
	}
}
