package hooks

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/internal/settings"
)

func TestConfigured(t *testing.T) {
	s, _, err := settings.Load(settings.Options{Editor: []byte(`{
		"hooksConfig": {"disabled": ["off"], "notifications": false, "outsideSandbox": ["x"]},
		"hooks": {
			"SessionEnd": [{"matcher": "exit", "hooks": [{"type": "plugin", "name": "p"}, {"type": "command", "command": "bye", "sandbox": true}]}],
			"BeforeTool": [
				{"matcher": "x", "sequential": true, "hooks": [{"type": "command", "command": "a", "name": "n", "description": "d", "timeout": 1500, "env": {"A": "b"}}]},
				{"hooks": [{"type": "command", "command": "b", "name": "off"}]}
			]
		}
	}`)})
	if err != nil {
		t.Fatal(err)
	}
	want := Config{Quiet: true, Disabled: []string{"off"}, Outside: []string{"x"}, Hooks: []Hook{
		{Event: BeforeTool, Source: settings.OfUser, Name: "n", Description: "d", Command: "a", Timeout: 1500 * time.Millisecond, Env: map[string]string{"A": "b"}, Matcher: "x", Sequential: true},
		{Event: BeforeTool, Source: settings.OfUser, Name: "off", Command: "b", Definition: 1},
		{Event: SessionEnd, Source: settings.OfUser, Command: "bye", Matcher: "exit", Place: 1, Sandbox: new(true)},
	}}
	got := Configured(s)
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("got -, want +:\n%s", diff)
	}
	if got.Has(AfterTool) || !got.Has(BeforeTool) {
		t.Error("it does not know its events")
	}
}

// A project's hook runs in the sandbox unless the user's settings name its
// command.
func TestSandboxed(t *testing.T) {
	c := Config{Outside: []string{"b"}}
	for _, tt := range []struct {
		hook Hook
		want bool
	}{
		{Hook{Source: settings.OfProject, Command: "a"}, true},
		{Hook{Source: settings.OfProject, Command: "b"}, false},
		{Hook{Source: settings.OfProject, Command: "b", Sandbox: new(true)}, false},
		{Hook{Source: settings.OfUser, Command: "a"}, false},
		{Hook{Source: settings.OfUser, Command: "a", Sandbox: new(true)}, true},
		{Hook{Source: settings.OfSystem, Command: "a"}, false},
	} {
		if got := c.Sandboxed(tt.hook, "/p"); got != tt.want {
			t.Errorf("%+v is in the sandbox: %v", tt.hook, got)
		}
	}
}
