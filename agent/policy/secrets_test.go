package policy

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/shellcmd/shellcmdtest"
	"github.com/emendo-dev/emendo/tools"
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
			if call.Shell = (Shell{}); mode == Yolo && strings.HasPrefix(c.command, "cd ") {
				continue
			}
			got := e.Decide(call)
			if got.Kind != c.want {
				t.Errorf("%q is %v in mode %s: %s", c.command, got.Kind, mode, got.Reason)
			}
			if c.command == "rg x" && !strings.Contains(got.Reason, filepath.Join(".git", "config")) && !strings.Contains(got.Reason, ".env") {
				t.Errorf("the reason does not name it: %q", got.Reason)
			}
			if call.Shell = asksAlways; c.want == Ask && c.command[:2] != "cd" && e.Decide(call).Kind != Allow {
				t.Errorf("%q is not allowed in a sandbox", c.command)
			}
		}
	}
}

// What was a secret stays one under its new name, which is asked about too.
func TestSecretsUnderNewNames(t *testing.T) {
	move := func(from, to string) Call {
		return Call{Tool: "move_file", Effect: tools.Edits{Files: []ledger.Proposed{{Path: "/work/" + from, NewPath: "/work/" + to}}}}
	}
	read := func(name string) Call {
		return Call{Tool: "read_file", Effect: tools.Reads{Paths: []string{"/work/" + name}}}
	}
	for _, c := range []struct {
		what string
		call Call
		want Kind
	}{
		{"a secret gets a plain name", move(".env", "env.txt"), Ask},
		{"a secret gets another secret's name", move(".env", ".env.old"), Allow},
		{"a plain file gets another name", move("a.txt", "b.txt"), Allow},
		{"what was a secret gets a third name", move("moved.txt", "b.txt"), Ask},
		{"what was a secret is read", read("moved.txt"), Ask},
		{"a plain file is read", read("a.txt"), Allow},
	} {
		for _, mode := range []Mode{AutoEdit, Yolo} {
			c.call.Mode, c.call.Trusted, c.call.Asks, c.call.Dir, c.call.Roots = mode, true, true, "/work", []string{"/work"}
			c.call.Files = knownFiles{secret: "/work/moved.txt"}
			if got := New(nil, nil).Decide(c.call); got.Kind != c.want {
				t.Errorf("%s in %s: %v, %s", c.what, mode, got.Kind, got.Reason)
			}
		}
	}
}
