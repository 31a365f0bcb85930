package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// serveMCP runs an MCP server on standard input and output. Tests start it as another
// process of their binary.
func serveMCP() {
	s := sdk.NewServer(&sdk.Implementation{Name: "double", Version: "1"}, nil)
	s.AddTool(&sdk.Tool{Name: "greet", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "Good morning."}}}, nil
	})
	if os.Getenv("EMENDO_TEST_SERVER") == "library" {
		s.AddPrompt(&sdk.Prompt{Name: "hello", Arguments: []*sdk.PromptArgument{{Name: "who", Required: true}}}, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: "Say hello to " + r.Params.Arguments["who"] + "."}}}}, nil
		})
		s.AddResource(&sdk.Resource{URI: "x:notes", Name: "notes"}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: "x:notes", Text: "Buy milk."}}}, nil
		})
	}
	_ = s.Run(context.Background(), &sdk.StdioTransport{})
}

// A server's prompt is only sent at the user's command, together with resources that
// the user names. Both are content of the server, after which it can be called where yolo mode
// or a rule allows that.
func TestPromptsAndResourcesOfServersInScripts(t *testing.T) {
	greet := geminitest.Do(geminitest.Call("mcp_double_greet", "{}"))
	w := newWorld(t, geminitest.Say("Hello."), geminitest.Say("Milk."), greet, geminitest.Say("Called."), greet, geminitest.Say("Denied."), greet, geminitest.Say("Allowed."), geminitest.Say("None."))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w.exec("mcp", "add", "-e", "EMENDO_TEST_SERVER=library", "double", self).wantCode(t, exitOK)
	w.exec("trust", "add").wantCode(t, exitOK)
	last := func() string {
		rs := w.model.Requests()
		return string(rs[len(rs)-1].Body)
	}
	w.run("/double:hello Ada").wantCode(t, exitOK)
	if got := last(); !strings.Contains(got, "Say hello to Ada.") || strings.Contains(got, "/double:hello") {
		t.Errorf("the model reads %s", got)
	}
	w.run("What is in @double:x:notes?").wantCode(t, exitOK)
	if got := last(); !strings.Contains(got, `Buy milk.`) || !strings.Contains(got, `@double:x:notes?`) {
		t.Errorf("the model reads %s", got)
	}
	w.run("--approval-mode", "yolo", "/double:hello Bob").wantCode(t, exitOK)
	if got := last(); !strings.Contains(got, "Good morning.") {
		t.Errorf("the model reads %s", got)
	}
	w.run("/double:hello Bob").wantCode(t, exitOK)
	if got := last(); strings.Contains(got, "Good morning.") || !strings.Contains(got, "no user is available to approve it") {
		t.Errorf("the model reads %s", got)
	}
	w.run("--allowed-tools", "mcp_double_greet", "/double:hello Bob").wantCode(t, exitOK)
	if got := last(); !strings.Contains(got, "Good morning.") {
		t.Errorf("the model reads %s", got)
	}
	for prompt, want := range map[string]string{"/double:nope": "the MCP server double has no such prompt; it has hello", "/double:hello": "missing argument who", "/dooble:hello x": "unknown command /dooble:hello"} {
		if r := w.run(prompt); r.code == exitOK || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: exit %d, %s", prompt, r.code, r.stderr)
		}
	}
	w.put(filepath.Join(w.home, "config", "policies", "own.toml"), "[[rule]]\nmcpName = \"double\"\ndecision = \"deny\"\npriority = 1\n")
	if r := w.run("/double:hello Ada"); r.code == exitOK || !strings.Contains(r.stderr, "denies it") {
		t.Errorf("against a rule: exit %d, %s", r.code, r.stderr)
	}
	if r := w.run("What is in @double:x:notes?"); r.code != exitOK || strings.Contains(last(), "Buy milk.") || !strings.Contains(r.stderr, "double:x:notes was not sent") {
		t.Errorf("against a rule: exit %d, %s", r.code, r.stderr)
	}
}

// What the commands return chooses the exit status.
func TestMCPExitStatuses(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		args string
		code int
	}{
		{"mcp add double nonesuch", exitOK},
		{"mcp test double", exitUntrusted},
		{"mcp frobnicate", exitInput},
		{"mcp remove nonesuch", exitInput},
		{"trust add", exitOK},
		{"mcp test double", exitFailure},
	} {
		w.exec(strings.Fields(c.args)...).wantCode(t, c.code)
	}
}

// The text on standard input beside a prompt is content from outside: a server that a rule
// allows is not called after it, but in mode yolo, which tells of it.
func TestStandardInputBesideAPromptIsFromOutside(t *testing.T) {
	greet := geminitest.Do(geminitest.Call("mcp_double_greet", "{}"))
	w := newWorld(t, greet, geminitest.Say("Called."), greet, geminitest.Say("Denied."), greet, geminitest.Say("Called."))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w.exec("mcp", "add", "-e", "EMENDO_TEST_SERVER=library", "double", self).wantCode(t, exitOK)
	w.exec("trust", "add").wantCode(t, exitOK)
	for _, tt := range []struct {
		stdin, mode string
		called      bool
		told        string
	}{
		{"", "default", true, ""},
		{"Greet them.", "default", false, ""},
		{"Greet them.", "yolo", true, "Content from standard input may have told the model to make this call"},
	} {
		r := w.typed(tt.stdin, "run", "--allowed-tools", "mcp_double_greet", "--approval-mode", tt.mode, "-p", "Go on")
		r.wantCode(t, exitOK)
		rs := w.model.Requests()
		if got := string(rs[len(rs)-1].Body); strings.Contains(got, "Good morning.") != tt.called {
			t.Errorf("after %q in mode %s the model reads %s", tt.stdin, tt.mode, got[max(len(got)-600, 0):])
		}
		if !strings.Contains(r.stderr, tt.told) || tt.told == "" && strings.Contains(r.stderr, "may have told") {
			t.Errorf("after %q in mode %s standard error has %s", tt.stdin, tt.mode, r.stderr)
		}
	}
}
