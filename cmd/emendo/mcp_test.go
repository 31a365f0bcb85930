package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// serveMCP is an MCP server on standard input and output, which a test starts as
// another process of its binary.
func serveMCP() {
	s := sdk.NewServer(&sdk.Implementation{Name: "double", Version: "1"}, nil)
	s.AddTool(&sdk.Tool{Name: "greet", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "Good morning."}}}, nil
	})
	_ = s.Run(context.Background(), &sdk.StdioTransport{})
}

func TestMCPCommand(t *testing.T) {
	w := newWorld(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	own, project := filepath.Join(w.home, "config", "settings.json"), filepath.Join(w.dir, ".emendo", "settings.json")
	for _, c := range []struct {
		args string
		code int
		want string // in the output
	}{
		{"list", exitOK, "no MCP servers are configured"},
		{"add -e EMENDO_TEST_SERVER=1 double " + self, exitOK, "added double to " + own},
		{"add double x", exitInput, "has a server double already"},
		{"add --scope project -e EMENDO_TEST_SERVER=1 theirs -- " + self + " --flag", exitOK, "added theirs to " + project},
		{"add -H A:b here x", exitInput, "-H is for servers with an address"},
		{"add here", exitInput, "usage"},
		{"add a* x", exitInput, "invalid name"},
		{"add --transport http far npx", exitInput, "has an http or https address"},
		{"list", exitOK, "double: " + self + "\n    not trusted, not started, in " + own + "\ntheirs: " + self + " --flag\n    not trusted, not started, in " + project},
		{"test double", exitUntrusted, "the folder is restricted: no server starts in "},
		{"frobnicate", exitInput, "unknown subcommand"},
		{"remove nonesuch", exitInput, "has no server nonesuch"},
	} {
		r := w.exec(append([]string{"mcp"}, strings.Fields(c.args)...)...)
		if r.code != c.code || !strings.Contains(r.stdout+r.stderr, c.want) {
			t.Errorf("mcp %s: exit %d, want %d\n%s%s\nwant %s", c.args, r.code, c.code, r.stdout, r.stderr, c.want)
		}
	}
	w.put(filepath.Join(w.dir, ".mcp.json"), `{"mcpServers": {"double": {"command": "x"}}}`)
	w.exec("trust", "add").wantCode(t, exitOK)
	w.write(".emendo/settings.json", `{"mcpServers": {"theirs": {"command": "changed"}}}`)
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"list", exitOK, "double: " + self + "\n    starts, in " + own + "\ntheirs: changed\n    needs your approval: it has changed, in " + project + "\ndouble: x\n    hidden by " + own},
		{"test double", exitOK, "1 tool, 0 prompts, 0 resources\n  greet"},
		{"test theirs", exitFailure, "theirs: needs your approval: it has changed"},
		{"test nonesuch", exitInput, "no server nonesuch is configured"},
		{"doctor", exitOK, "configured MCP servers: 1"},
		{"doctor", exitOK, "the MCP server theirs of " + project + " needs your approval"},
		{"add late -t http https://h.test", exitInput, "put flags before the name"},
		{"add late ftp://h.test", exitInput, "is not an http or https address"},
		{"remove double", exitOK, "removed double from " + own},
		{"list --json", exitOK, `"state": "starts, approved"`},
	} {
		args := append([]string{"mcp"}, strings.Fields(c.args)...)
		if c.args == "doctor" {
			args = args[1:]
		}
		r := w.exec(args...)
		if r.code != c.code || !strings.Contains(r.stdout+r.stderr, c.want) {
			t.Errorf("%v: exit %d, want %d\n%s%s\nwant %s", args, r.code, c.code, r.stdout, r.stderr, c.want)
		}
	}
}
