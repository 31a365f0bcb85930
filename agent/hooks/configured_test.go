package hooks

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/internal/settings"
)

func TestConfigured(t *testing.T) {
	s, _, err := settings.Load(settings.Options{Editor: []byte(`{
		"hooksConfig": {"disabled": ["off"], "notifications": false},
		"hooks": {
			"SessionEnd": [{"matcher": "exit", "hooks": [{"type": "plugin", "name": "p"}, {"type": "command", "command": "bye"}]}],
			"BeforeTool": [
				{"matcher": "x", "sequential": true, "hooks": [{"type": "command", "command": "a", "name": "n", "description": "d", "timeout": 1500, "env": {"A": "b"}}]},
				{"hooks": [{"type": "command", "command": "b", "name": "off"}]}
			]
		}
	}`)})
	if err != nil {
		t.Fatal(err)
	}
	want := Config{Quiet: true, Disabled: []string{"off"}, Hooks: []Hook{
		{Event: BeforeTool, Source: User, Name: "n", Description: "d", Command: "a", Timeout: 1500 * time.Millisecond, Env: map[string]string{"A": "b"}, Matcher: "x", Sequential: true},
		{Event: BeforeTool, Source: User, Name: "off", Command: "b", Definition: 1},
		{Event: SessionEnd, Source: User, Command: "bye", Matcher: "exit", Place: 1},
	}}
	got := Configured(s)
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("got -, want +:\n%s", diff)
	}
	if got.Has(AfterTool) || !got.Has(BeforeTool) {
		t.Error("it does not know its events")
	}
}
