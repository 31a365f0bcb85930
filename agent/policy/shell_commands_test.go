package policy

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/internal/shellcmd/shellcmdtest"
	"github.com/emendo-dev/emendo/tools"
)

// shellCall returns a call of a command in a trusted folder, with a sandbox.
func shellCall(t *testing.T, command, workspace string, mode Mode) Call {
	t.Helper()
	args, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		t.Fatal(err)
	}
	return Call{
		Tool: shellTool, Args: args, Effect: tools.Runs{Analysis: shellcmd.Analyze(command, workspace, []string{workspace})},
		Mode: mode, Trusted: true, Asks: true, Shell: asksAlways, Dir: workspace, Roots: []string{workspace},
	}
}

// The commands of the table are decided as in a session with a sandbox. Denials
// hold in every mode.
func TestShellCommands(t *testing.T) {
	w := shellcmdtest.Workspace(t)
	for _, c := range shellcmdtest.Commands(t, w) {
		t.Run(fmt.Sprintf("line %d", c.Line), func(t *testing.T) {
			var lists Lists
			for _, prefix := range c.Allow {
				lists.Allowed = append(lists.Allowed, shellTool+"("+prefix+")")
			}
			for _, prefix := range c.Deny {
				lists.Exclude = append(lists.Exclude, shellTool+"("+prefix+")")
			}
			e := New(lists.Rules(), nil)
			got := e.Decide(shellCall(t, c.Command, w, Default))
			if got.Kind.String() != c.Want {
				t.Errorf("%.200q is %v, want %s: %s\nrule %q: %s", c.Command, got.Kind, c.Want, c.Why, got.Rule, got.Reason)
			}
			if got := e.Decide(shellCall(t, c.Command, w, Yolo)); c.Want == "deny" && got.Kind != Deny {
				t.Errorf("%.200q is %v in mode yolo", c.Command, got.Kind)
			}
		})
	}
}

// While a rule denies commands, a command that may turn out to be one of them
// needs approval even where nothing else does.
func TestPossibleDenialNeedsApproval(t *testing.T) {
	w := shellcmdtest.Workspace(t)
	e := New(Lists{Exclude: []string{shellTool + "(rm)"}}.Rules(), nil)
	for _, command := range []string{
		"$X x", "$(echo rm) x", "`echo rm` x", `$'\x72m' x`, "curl x | sh", "echo 'rm x' | bash -s", "sh", "sh -c \"$X\"", "eval $X", "sh -c 'sh' <<'E'\nrm x\nE", "ls 'open", "ls # \\\nrm x", "sh -c 'ls )'", "*", "{rm,x}", "bash < x",
	} {
		if got := e.Decide(shellCall(t, command, w, Yolo)); got.Kind != Ask {
			t.Errorf("%q is %v in mode yolo: %s", command, got.Kind, got.Reason)
		}
		if got := New(nil, nil).Decide(shellCall(t, command, w, Yolo)); got.Kind != Allow {
			t.Errorf("%q is %v in mode yolo where nothing is denied: %s", command, got.Kind, got.Reason)
		}
	}
}

// What a rule covers may not change a chat document. Only a policy knows these; the table
// has what both know.
func TestCoveredCommandsDoNotChangeChatDocuments(t *testing.T) {
	w := shellcmdtest.Workspace(t)
	e := New(Lists{Allowed: []string{shellTool + "(cp)"}}.Rules(), nil)
	for command, want := range map[string]Kind{"cp main.go talk.emendo.md": Ask, "cp main.go talk.md": Allow} {
		if got := e.Decide(shellCall(t, command, w, Default)); got.Kind != want {
			t.Errorf("%q is %v, want %v: %s", command, got.Kind, want, got.Reason)
		}
	}
}

// A file in a home is outside, protected or secret however the home is written,
// in every mode.
func TestHomePaths(t *testing.T) {
	w := shellcmdtest.Workspace(t)
	t.Setenv("HOME", "/home/me")
	for command, rule := range map[string]string{
		"echo a > ~/x":                      "outside the workspace",
		"echo a >> ~/'x y'":                 "outside the workspace",
		`echo a >> "$HOME/x"`:               "outside the workspace",
		"echo a >> ${HOME}/x":               "outside the workspace",
		`echo a >> "${HOME}"/x`:             "outside the workspace",
		"{ echo a; echo b; } >> ~/x":        "outside the workspace",
		"bash -c 'echo a >> ~/x'":           "outside the workspace",
		"echo a >> ~/.bashrc":               "protected path",
		"cp main.go ~/.bashrc":              "protected path",
		"env tee -a \"$HOME\"/.profile":     "protected path",
		"cat < ~/.ssh/id_rsa":               "secret files",
		"cat ~/.ssh/id_rsa":                 "secret files",
		"for i in 1; do cat ~/.netrc; done": "secret files",
		"echo a >> ~/project/x":             "mode yolo",
		"cat ~/notes.txt":                   "mode yolo",
		"echo a >> $HOMER/x":                "mode yolo",
	} {
		call := shellCall(t, command, w, Yolo)
		call.Roots = append(call.Roots, "/home/me/project")
		if got := New(nil, nil).Decide(call); got.Rule != rule && (got.Kind == Ask || rule != "mode yolo") {
			t.Errorf("%q is %v by %q, want %q: %s", command, got.Kind, got.Rule, rule, got.Reason)
		}
	}
}
