package policy

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/emendo-dev/emendo/tools/shell"
	"github.com/emendo-dev/emendo/tools/shell/shelltest"
)

// The table of commands is decided as a session with a sandbox would.
func TestShellCommands(t *testing.T) {
	w := shelltest.Workspace(t)
	for _, c := range shelltest.Commands(t, w) {
		t.Run(fmt.Sprintf("line %d", c.Line), func(t *testing.T) {
			var lists Lists
			for _, prefix := range c.Allow {
				lists.Allowed = append(lists.Allowed, shellTool+"("+prefix+")")
			}
			for _, prefix := range c.Deny {
				lists.Excluded = append(lists.Excluded, shellTool+"("+prefix+")")
			}
			e := New(lists.Rules(), nil)
			args, err := json.Marshal(map[string]string{"command": c.Command})
			if err != nil {
				t.Fatal(err)
			}
			got := e.Decide(Call{
				Tool: shellTool, Args: args, Effect: shell.Analyze(c.Command, w, []string{w}),
				Mode: Default, Trusted: true, Asks: true, Sandboxed: true, Roots: []string{w},
			})
			if got.Kind.String() != c.Want {
				t.Errorf("%.200q is %v, want %s: %s\nrule %q: %s", c.Command, got.Kind, c.Want, c.Why, got.Rule, got.Reason)
			}
		})
	}
}
