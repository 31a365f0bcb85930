//go:build unix

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// An agent's own MCP server runs while the agent works, and the session does not get
// its tools. The server of a user's agent starts without asking; that of a project's
// agent needs approval, which a script cannot get.
func TestServersOfAnAgent(t *testing.T) {
	work := func(name string) []geminitest.Reply {
		return []geminitest.Reply{
			geminitest.Do(geminitest.Call("invoke_agent", `{"agent_name": "`+name+`", "prompt": "Greet."}`)),
			geminitest.Do(geminitest.Call("mcp_double_greet", "{}")),
			geminitest.Do(geminitest.Call("complete_task", `{"result": "Greeted."}`)),
			geminitest.Say("Done."),
		}
	}
	w := newWorld(t, append(append(work("greeter"), work("theirs")...), work("greeter")...)...)
	define := func(name, mark string) string {
		command, args := marking(t, filepath.Join(w.dir, mark))
		text, err := json.Marshal(map[string]any{"double": map[string]any{"command": command, "args": args}})
		if err != nil {
			t.Fatal(err)
		}
		return "---\nname: " + name + "\ndescription: Greets.\ntools: [read_file]\nmcp_servers: " + string(text) + "\n---\nGreet."
	}
	w.put(filepath.Join(w.home, "config", "agents", "greeter.md"), define("greeter", "own-started"))
	w.write(".emendo/agents/theirs.md", define("theirs", "theirs-started"))
	if r := w.exec("trust", "add"); r.code != exitOK || !strings.Contains(r.stdout+r.stderr, "MCP server double: bash") {
		t.Errorf("what the folder starts is shown as %s%s", r.stdout, r.stderr)
	}
	started := func(mark string) bool {
		_, err := os.Stat(filepath.Join(w.dir, mark))
		return err == nil
	}
	bodies := func(n int) (l []string) {
		all := w.model.Requests()
		for _, r := range all[len(all)-n:] {
			l = append(l, string(r.Body))
		}
		return l
	}

	w.run("--allowed-tools", "mcp_double_greet", "-p", "go").wantCode(t, exitOK)
	l := bodies(4)
	if strings.Contains(l[0], "mcp_double_greet") || strings.Contains(l[3], `"name":"mcp_double_greet","description`) {
		t.Errorf("the session is offered the tool")
	}
	if !strings.Contains(l[1], "mcp_double_greet") || !strings.Contains(l[2], "Good morning.") || !started("own-started") {
		t.Errorf("the agent's second request is %s", l[2])
	}

	w.write(".emendo/agents/theirs.md", define("theirs", "others-started")) // trusting the folder approved a different command
	r := w.exec("run", "--allowed-tools", "mcp_double_greet", "-p", "go")
	r.wantCode(t, exitOK)
	l = bodies(4)
	if strings.Contains(l[1], "mcp_double_greet") || !strings.Contains(l[2], "Unauthorized tool call") || started("others-started") {
		t.Errorf("the project's server is started: %s", l[1])
	}
	if !strings.Contains(r.stderr, "double") {
		t.Errorf("the user reads %s", r.stderr)
	}

	// A session's server takes precedence over an agent's with the same name.
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(w.dir, "own-started")); err != nil {
		t.Fatal(err)
	}
	w.exec("mcp", "add", "-e", "EMENDO_TEST_SERVER=1", "double", self).wantCode(t, exitOK)
	r = w.run("--allowed-tools", "mcp_double_greet", "-p", "go")
	if started("own-started") || !strings.Contains(r.stderr, "the server double is not started, since") {
		t.Errorf("it is started beside the session's: %s", r.stderr)
	}
}
