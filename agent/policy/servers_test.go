package policy

import (
	"testing"

	"github.com/emendo-dev/emendo/tools"
)

// The tools hub_create_issue of the server git and create_issue of git_hub have one name.
// A rule by name never allows the one that it may not mean, and denies both.
func TestNamesThatTwoServersShare(t *testing.T) {
	git := &tools.ServerTool{Server: "git", Tool: "hub_create_issue", Plain: "mcp_git_hub_create_issue", Prefix: "mcp_git_", Shared: true, Rivals: []string{"mcp_git_hub_"}}
	hub := &tools.ServerTool{Server: "git_hub", Tool: "create_issue", Plain: "mcp_git_hub_create_issue", Prefix: "mcp_git_hub_", Shared: true, Rivals: []string{"mcp_git_"}}
	alone := &tools.ServerTool{Server: "git", Tool: "hub_close", Plain: "mcp_git_hub_close", Prefix: "mcp_git_", Rivals: []string{"mcp_git_hub_"}}
	other := &tools.ServerTool{Server: "git_hub", Tool: "list", Plain: "mcp_git_hub_list", Prefix: "mcp_git_hub_", Rivals: []string{"mcp_git_"}}
	for _, tt := range []struct {
		rule  string
		kinds [4]Kind // of the calls of git, git_hub, alone and other
	}{
		{"toolName = \"mcp_git_hub_create_issue\"\ndecision = \"allow\"", [4]Kind{Ask, Ask, Ask, Ask}},
		{"toolName = \"mcp_git_hub_create_issue\"\ndecision = \"deny\"", [4]Kind{Deny, Deny, Ask, Ask}},
		{"toolName = \"mcp_git_hub_*\"\ndecision = \"allow\"", [4]Kind{Ask, Allow, Ask, Allow}},
		{"toolName = \"mcp_git_hub_*\"\ndecision = \"deny\"", [4]Kind{Deny, Deny, Deny, Deny}},
		{"toolName = \"mcp_git_*\"\ndecision = \"allow\"", [4]Kind{Allow, Ask, Allow, Ask}},
		{"toolName = \"mcp_git_*\"\ndecision = \"deny\"", [4]Kind{Deny, Deny, Deny, Deny}},
		{"toolName = \"mcp_*\"\ndecision = \"allow\"", [4]Kind{Allow, Allow, Allow, Allow}},
		{"toolName = \"mcp_git_hub_list\"\ndecision = \"allow\"", [4]Kind{Ask, Ask, Ask, Allow}},
		{"mcpName = \"git_hub\"\ntoolName = \"create_issue\"\ndecision = \"allow\"", [4]Kind{Ask, Allow, Ask, Ask}},
		{"mcpName = \"git_hub\"\ntoolName = \"mcp_git_hub_create_issue\"\ndecision = \"deny\"", [4]Kind{Ask, Deny, Ask, Ask}},
		{"mcpName = \"git\"\ndecision = \"allow\"", [4]Kind{Allow, Ask, Allow, Ask}},
	} {
		e := New(rulesOf(t, "[[rule]]\n"+tt.rule+"\npriority = 500\n"), nil)
		for i, at := range []*tools.ServerTool{git, hub, alone, other} {
			name := at.Plain
			if i == 1 {
				name += "_2" // as the second one is called
			}
			c := Call{Tool: name, Server: at, Effect: tools.Calls{Server: at.Server, Tool: at.Tool}, Mode: Default, Trusted: true, Asks: true, Args: []byte("{}")}
			if got := e.Decide(c).Kind; got != tt.kinds[i] {
				t.Errorf("%s\n%s of %s: %v, want %v", tt.rule, at.Tool, at.Server, got, tt.kinds[i])
			}
		}
	}
}
