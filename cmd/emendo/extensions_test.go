package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// putExtension creates an extension for Gemini CLI.
func (w *world) putExtension(dir string) {
	w.t.Helper()
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	server, err := json.Marshal(map[string]any{"command": self, "args": []string{"${extensionPath}/config.json"}, "env": map[string]string{"EMENDO_TEST_SERVER": "1"}, "trust": true})
	if err != nil {
		w.t.Fatal(err)
	}
	for name, text := range map[string]string{
		"gemini-extension.json": `{"name": "helper", "version": "1.2.0", "mcpServers": {"double": ` + string(server) + `}, "excludeTools": ["web_fetch"]}`,
		"GEMINI.md":             "Whole cents only.",
		"config.json":           "{}",
		"commands/greet.toml":   `prompt = "Greet {{args}}."`,
		"skills/pdf/SKILL.md":   "---\nname: pdf\ndescription: Fills forms.\n---\nUse a pen.",
		"agents/scout.md":       "---\nname: scout\ndescription: Looks around.\n---\nLook.",
		"hooks/hooks.json":      `{"hooks": {"BeforeAgent": [{"hooks": [{"type": "command", "name": "note", "command": "bash ${extensionPath}/note.sh"}]}]}}`,
		"note.sh":               `echo '{"hookSpecificOutput": {"additionalContext": "noted by the hook"}}'`,
	} {
		w.put(filepath.Join(dir, name), text)
	}
}

// sentOf reports which parts of an extension a request has.
func sentOf(body string) map[string]bool {
	sent := map[string]bool{}
	for what, word := range map[string]string{
		"context": "Whole cents only.", "skill": "Fills forms.", "agent": "scout: Looks around.", "server": "mcp_double_greet", "hook": "noted by the hook", "excluded": `"web_fetch"`,
	} {
		sent[what] = strings.Contains(body, word)
	}
	return sent
}

func TestExtensionOfTheUser(t *testing.T) {
	w := newWorld(t, geminitest.Say("Yes."), geminitest.Say("Yes."), geminitest.Say("Yes."), geminitest.Say("Yes."))
	source := filepath.Join(w.home, "downloads", "helper")
	w.putExtension(source)
	installed := filepath.Join(w.home, "config", "extensions", "helper")
	w.exec("trust", "add").wantCode(t, exitOK)
	w.exec("extensions", "install", source).wantCode(t, exitInput)
	w.exec("extensions", "install", source, "--consent").wantCode(t, exitOK)
	prompt := func() map[string]bool {
		w.exec("run", "-p", "/greet me").wantCode(t, exitOK)
		all := w.model.Requests()
		return sentOf(string(all[len(all)-1].Body))
	}
	all := map[string]bool{"context": true, "skill": true, "agent": true, "server": true, "hook": true, "excluded": false}
	check := func(when string, want map[string]bool) {
		t.Helper()
		got := prompt()
		for what := range want {
			if what == "hook" && runtime.GOOS == "windows" { // it needs approval in each session
				continue
			}
			if got[what] != want[what] {
				t.Errorf("%s: %s is there: %t, want %t", when, what, got[what], want[what])
			}
		}
	}
	check("installed", all)
	w.put(filepath.Join(installed, "note.sh"), `echo '{"hookSpecificOutput": {"additionalContext": "noted by the hook, changed"}}'`)
	changed := map[string]bool{"context": true, "skill": true, "agent": true, "server": true, "hook": false}
	check("with a changed hook", changed)
	if r := w.exec("extensions", "list"); !strings.Contains(r.stdout, "used; 1 of the 2 programs that it starts need your approval") {
		t.Errorf("listed: %s", r.stdout)
	}
	w.exec("extensions", "enable", "helper", "--yes").wantCode(t, exitOK)
	check("approved again", all)
	w.exec("extensions", "disable", "helper").wantCode(t, exitOK)
	if r := w.exec("run", "-p", "/greet me"); r.code != exitInput || !strings.Contains(r.stderr, "unknown command /greet") {
		t.Errorf("disabled: %+v", r)
	}
	w.exec("extensions", "enable", "helper", "--yes").wantCode(t, exitOK)
	w.exec("trust", "remove").wantCode(t, exitOK)
	if r := w.exec("run", "-p", "/greet me"); r.code != exitInput {
		t.Errorf("restricted: %+v", r)
	}
	w.exec("extensions", "uninstall", "helper").wantCode(t, exitOK)
	if _, err := os.Stat(installed); err == nil {
		t.Error("it still exists")
	}
}

func TestExtensionOfAProject(t *testing.T) {
	w := newWorld(t, geminitest.Say("Yes."), geminitest.Say("Yes."), geminitest.Say("Yes."))
	w.showSelf()
	w.putExtension(filepath.Join(w.dir, ".gemini", "extensions", "helper"))
	if r := w.exec("extensions", "list"); !strings.Contains(r.stdout, "helper 1.2.0: not used: the folder is restricted") {
		t.Errorf("listed: %s", r.stdout)
	}
	w.exec("run", "-p", "hi").wantCode(t, exitOK)
	for what, there := range sentOf(string(w.model.Requests()[0].Body)) {
		if there && what != "excluded" {
			t.Errorf("before trust: %s is there", what)
		}
	}
	added := w.exec("trust", "add").stdout
	for _, want := range []string{
		"MCP server double: ", "hook BeforeAgent 1.1 (note) of the extension helper: bash ", "extension .gemini/extensions/helper: helper 1.2.0; excludes the tools web_fetch",
		"command .gemini/extensions/helper/commands/greet.toml", "skill .gemini/extensions/helper/skills/pdf/SKILL.md", "agent .gemini/extensions/helper/agents/scout.md",
		"context .gemini/extensions/helper/GEMINI.md",
	} {
		if !strings.Contains(added, want) {
			t.Errorf("trust add does not list %q:\n%s", want, added)
		}
	}
	r := w.exec("run", "-p", "/greet me")
	r.wantCode(t, exitOK)
	for what, there := range sentOf(string(w.model.Requests()[1].Body)) {
		if there != (what != "excluded") {
			t.Errorf("trusted: %s is there: %t; %s", what, there, r.stderr)
		}
	}
	if !strings.Contains(string(w.model.Requests()[1].Body), "Greet me.") {
		t.Error("the command was not expanded")
	}
	for command, want := range map[string]string{
		"/commands": "| `/greet` | [helper] Custom command from greet.toml | extension helper |", "/skills": "| pdf | Fills forms. | extension helper |",
		"/agents": "| scout | Looks around. | all | extension helper |", "/mcp": "- **double** (extension helper): ",
	} {
		if r := w.exec("run", "-p", command); !strings.Contains(r.stdout, want) {
			t.Errorf("%s: %s", command, r.stdout)
		}
	}
}
