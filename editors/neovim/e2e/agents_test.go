//go:build editors

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// everything returns the settings for the reference MCP server.
func everything(t *testing.T) string {
	t.Helper()
	script := filepath.Join(repository, "mcp", "e2e", "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js")
	if _, err := os.Stat(script); err != nil {
		t.Fatalf("%v: run mcp/e2e/install.sh, as make test does", err)
	}
	settings, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"everything": map[string]any{"command": "node", "args": []string{script}}}})
	if err != nil {
		t.Fatal(err)
	}
	return string(settings)
}

// The panel shows a skill, a question of an MCP server, and an agent with its calls.
func TestSkillsServersAndAgents(t *testing.T) {
	report := make(chan struct{})
	reported := geminitest.Do(geminitest.Call("complete_task", `{"result": "It has one function."}`))
	reported.Events[0].Hold = report
	w := newWorld(t, parking,
		geminitest.Do(geminitest.Call("activate_skill", `{"name": "tariff"}`)),
		geminitest.Do(geminitest.Call("mcp_everything_trigger-elicitation-request", `{}`)),
		geminitest.Do(geminitest.Call("invoke_agent", `{"agent_name": "codebase_investigator", "prompt": "Count the functions."}`)),
		geminitest.Do(geminitest.Call("read_file", `{"file_path": "fee.go"}`)),
		reported,
		geminitest.Say("All of it is done."))
	w.configure(everything(t))
	w.write(".emendo/skills/tariff/SKILL.md", "---\nname: tariff\ndescription: How the tariff is computed.\n---\nAlways round up.")
	w.emendo("trust", "add")
	e := w.start("fee.go")
	e.keys("\\ee")
	e.sendPrompt("Use them all.")

	e.waitUntil("the skill is asked about", asking)
	if q := e.lastQuestion(); !strings.HasPrefix(q, "? Use the skill tariff?\n") {
		t.Errorf("the question is not about the skill:\n%s", q)
	}
	e.keys("<C-\\><C-n>:Emendo permission allow_once<CR>")

	e.waitUntil("the tool of the server is asked about", asking)
	if q := e.lastQuestion(); !strings.Contains(q, "everything") {
		t.Errorf("the question does not name the server:\n%s", q)
	}
	e.keys(":Emendo permission allow_once<CR>")

	e.waitUntil("the server asks", asking+` and require("emendo.session.questions").open[1].fields ~= nil`)
	if q := e.lastQuestion(); !strings.HasPrefix(q, "? The MCP server everything asks\n") || !strings.Contains(q, "Your full, legal name") {
		t.Errorf("the question is not the server's:\n%s", q)
	}
	e.lua(`
		vim.ui.input = function(opts, done) done(opts.prompt:find("legal name") and "Ada" or "") end
		vim.ui.select = function(items, opts, done) done(items[1].title.text == "Done" and items[1] or items[#items]) end
		vim.api.nvim_set_current_win(require("emendo.panel").window())`)
	e.keys("/\\d\\. Send<CR><CR>")

	e.waitFor("  ✓ Read fee.go")
	lines := strings.Split(e.buffer("emendo://panel"), "\n")
	var below []string
	for i, line := range lines {
		if strings.Contains(line, "Count the functions.") || strings.Contains(line, "codebase_investigator") {
			below = lines[i:]
		}
	}
	if len(below) < 2 || !strings.HasPrefix(below[0], "● ") || !strings.HasPrefix(below[1], "  ✓ ") || !strings.Contains(below[1], "fee.go") {
		t.Errorf("the agent's call is not below its own:\n%s", strings.Join(lines, "\n"))
	}
	close(report)
	e.waitFor("All of it is done.")
	e.waitUntil("the turn is over", idle)
	var bodies []string
	for _, r := range w.model.Requests() {
		bodies = append(bodies, string(r.Body))
	}
	for i, want := range []string{"How the tariff is computed.", "Always round up.", "Name: Ada"} {
		if !strings.Contains(bodies[i], want) {
			t.Errorf("request %d does not have %q", i+1, want)
		}
	}
	e.lua(`require("emendo").ask({ prompt = "/mcp" })`)
	e.waitFor("everything")
	w.checkAllDeclared()
}
