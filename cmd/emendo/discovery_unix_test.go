//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// putDiscovery creates a project whose settings have commands to list and call tools.
func (w *world) putDiscovery() {
	w.t.Helper()
	w.write("tools/list.json", `[
{"name": "add up", "description": "Adds numbers.", "parameters": {"type": "object", "properties": {"numbers": {"type": "array", "items": {"type": "integer"}}}}},
{"function_declarations": [{"name": "add-up"}, {"name": "add_up"}, {"name": ""}]}]`)
	w.write("tools/call.sh", `#!/usr/bin/env bash
echo "called $1 with $(cat)"
[ "$1" != add-up ] || { echo "no such thing" >&2; exit 3; }
`)
	w.write(".gemini/settings.json", `{"tools": {"discoveryCommand": "cat tools/list.json", "callCommand": "bash tools/call.sh"}}`)
}

func TestDiscoveredTools(t *testing.T) {
	w := newWorld(t,
		geminitest.Do(geminitest.Call("discovered_tool_add_up", `{"numbers": [1, 2], "note": "it's $(id)\nARGUMENTS"}`), geminitest.Call("discovered_tool_add-up", `{}`)),
		geminitest.Say("Done."), geminitest.Say("Hm."), geminitest.Say("Hm."))
	w.putDiscovery()
	if listed := w.exec("trust", "add").stdout; !strings.Contains(listed, "discovery command tools.callCommand: bash tools/call.sh\n    with tools/call.sh\n    in the sandbox, if one is available") {
		t.Errorf("listed: %s", listed)
	}
	r := w.exec("run", "-p", "add", "--allowed-tools", "discovered_tool_*", "-o", "stream-json")
	r.wantCode(t, exitOK)
	first := string(w.model.Requests()[0].Body)
	for _, want := range []string{`"discovered_tool_add_up"`, `"Adds numbers."`, `"discovered_tool_add-up"`, `"discovered_tool_add_up_2"`} {
		if !strings.Contains(first, want) {
			t.Errorf("the model is not offered %s: %s", want, r.stdout+r.stderr)
		}
	}
	second := string(w.model.Requests()[1].Body)
	for _, want := range []string{`called add up with {`, "it's $(id)", "no such thing", "Exit Code: 3"} {
		if !strings.Contains(second, want) {
			t.Errorf("the model does not read %q: %s", want, second[max(0, len(second)-3000):])
		}
	}
	w.write("tools/call.sh", "touch pwned\n")
	if r := w.exec("run", "-p", "add"); !strings.Contains(r.stderr, "Not started: discovery command tools.callCommand") {
		t.Errorf("standard error: %s", r.stderr)
	}
	w.exec("trust", "remove").wantCode(t, exitOK)
	w.exec("run", "-p", "add").wantCode(t, exitOK)
	for i, r := range w.model.Requests()[2:] {
		if strings.Contains(string(r.Body), `"discovered_tool_add_up"`) {
			t.Errorf("request %d offers the tool", i+3)
		}
	}
	if _, err := os.Stat(filepath.Join(w.dir, "pwned")); err == nil {
		t.Error("the changed command ran")
	}
}

// Without a rule, a call needs approval.
func TestDiscoveredToolsNeedApproval(t *testing.T) {
	w := newWorld(t, geminitest.Do(geminitest.Call("discovered_tool_add_up", `{}`)), geminitest.Say("Done."))
	w.putDiscovery()
	w.run("-p", "add").wantCode(t, exitOK)
	if body := string(w.model.Requests()[1].Body); strings.Contains(body, "called add up") {
		t.Errorf("it ran: %s", body)
	}
}

func TestDiscoveryThatFails(t *testing.T) {
	for command, want := range map[string]string{
		"echo nonsense":                 "its output is not a JSON array of tools",
		"true":                          "it printed nothing",
		"bash -c 'echo no >&2; exit 4'": "it exited with code 4: no",
	} {
		w := newWorld(t, geminitest.Say("Hm."))
		w.put(filepath.Join(w.home, "config", "settings.json"), `{"tools": {"discoveryCommand": "`+command+`", "callCommand": "x"}}`)
		if r := w.run("-p", "hi"); !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %s", command, r.stderr)
		}
	}
}
