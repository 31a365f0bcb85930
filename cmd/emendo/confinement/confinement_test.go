package confinement

import (
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/settings"
)

func TestSandboxSettings(t *testing.T) {
	for _, tt := range []struct {
		name, settings string
		network        sandbox.Network
		allowed        []string
	}{
		{name: "nothing", settings: `{}`},
		{name: "the network", settings: `{"tools.sandboxNetworkAccess": true}`, network: sandbox.Network{All: true}},
		{name: "not the network", settings: `{"tools.sandboxNetworkAccess": false}`},
		{name: "some hosts", settings: `{"tools.sandboxNetworkAccess": ["proxy.golang.org", "*.example.com"]}`, network: sandbox.Network{Hosts: []string{"proxy.golang.org", "*.example.com"}}},
		{name: "paths", settings: `{"tools.sandboxAllowedPaths": ["/data", "~/x", "~", "here"]}`, allowed: []string{"/data", "/home/u/x", "/home/u"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, warnings, err := settings.Load(settings.Options{Flags: flagsOf(t, tt.settings)})
			if err != nil || len(warnings) > 0 {
				t.Fatal(warnings, err)
			}
			h := New(Options{Env: func(name string) string { return map[string]string{"HOME": "/home/u"}[name] }, Log: slog.New(slog.DiscardHandler)})
			h.Use(s.Tools.Sandbox)
			if diff := cmp.Diff(tt.network, network(h.want.Network)); diff != "" {
				t.Errorf("network (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(tt.allowed, h.allowed()); diff != "" {
				t.Errorf("paths (-want +got)\n%s", diff)
			}
		})
	}
}

func flagsOf(t *testing.T, text string) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	return m
}
