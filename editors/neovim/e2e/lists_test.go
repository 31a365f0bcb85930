//go:build editors

package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// What a session has is listed: a server is restarted, disabled and enabled, a skill, an agent and
// a hook are disabled and not in the next request, and a rule is revoked.
func TestListsOfWhatASessionHas(t *testing.T) {
	run := geminitest.Do(geminitest.Call("run_shell_command", `{"command": "date"}`))
	w := newWorld(t, parking, run, geminitest.Say("I have it all."), geminitest.Say("I have less."), run, geminitest.Say("It is back."))
	w.configure(strings.TrimSuffix(everything(t), "}") + `, "tools": {"shell": {"ask": "always"}}, "hooks": {"BeforeAgent": [{"hooks": [{"type": "command", "name": "greeter", "command": "echo '{\"hookSpecificOutput\": {\"additionalContext\": \"hello from the hook\"}}'"}]}]}}`)
	w.write(".emendo/skills/tariff/SKILL.md", "---\nname: tariff\ndescription: How the tariff is computed.\n---\nAlways round up.")
	w.write(".emendo/agents/tester.md", "---\nname: tester\ndescription: Tests the tariff thoroughly.\n---\nTest.")
	w.emendo("trust", "add")
	e := w.start("fee.go")
	request := func() string {
		t.Helper()
		all := w.model.Requests()
		b, err := json.Marshal(all[len(all)-1])
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	act := func(list, entry, action, said string) {
		t.Helper()
		e.keys(":Emendo lists " + list + "<CR>")
		e.choose(entry)
		e.choose(action)
		e.waitFor(said)
	}
	used := []string{"mcp_everything_echo", "How the tariff is computed.", "Tests the tariff thoroughly.", "hello from the hook"}

	e.keys("\\ee")
	e.sendPrompt("What is there?")
	e.waitUntil("the command is asked about", asking)
	e.keys("<C-\\><C-n>:Emendo permission allow_always<CR>")
	e.waitFor("I have it all.")
	e.waitUntil("the turn is over", idle)
	for _, text := range used {
		if !strings.Contains(request(), text) {
			t.Errorf("at first the request lacks %q", text)
		}
	}
	e.keys("<Esc>")
	act("mcp", "everything: ready", "Restart", "everything is being started again.")
	act("mcp", "everything: ", "Disable", "everything is disabled.")
	act("skills", "tariff: How", "Disable", "tariff is disabled.")
	act("agents", "tester: Tests", "Disable", "tester is disabled.")
	act("hooks", "greeter: ", "Disable", "greeter is disabled")
	e.keys(":Emendo<CR>")
	e.sendPrompt("And now?")
	e.waitFor("I have less.")
	e.waitUntil("the turn is over", idle)
	last := request()
	if i := strings.LastIndex(last, "And now?"); strings.Contains(last[i:], "hello from the hook") || strings.Contains(last, "mcp_everything_echo") || strings.Contains(last, used[1]) || strings.Contains(last, used[2]) {
		t.Errorf("what was disabled is in the next request: %s", last)
	}
	e.keys("<Esc>")
	act("mcp", "everything: disabled", "Enable", "everything is enabled.")
	act("rules", "date", "Revoke", "The rule is revoked.")
	e.keys(":Emendo<CR>")
	e.sendPrompt("And again?")
	e.waitUntil("the command is asked about again", asking)
	e.keys("<C-\\><C-n>:Emendo permission allow_once<CR>")
	e.waitFor("It is back.")
	e.waitUntil("the turn is over", idle)
	e.keys("<Esc>:Emendo lists mcp<CR>")
	e.waitFor("everything: ready")
	e.keys("<CR>")
	w.checkAllDeclared()
}
