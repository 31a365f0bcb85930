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

// hookSettings are settings with one hook at an event.
func hookSettings(event, command string) string {
	b, err := json.Marshal(map[string]any{"hooks": map[string]any{event: []any{map[string]any{"hooks": []any{map[string]any{"type": "command", "name": "mine", "command": command}}}}}})
	if err != nil {
		panic(err) // strings
	}
	return string(b)
}

// A script for Gemini CLI, in a project's own settings, refuses a command: once
// the folder is trusted and the hook approved, and not before.
func TestAProjectsHookInAScript(t *testing.T) {
	const guard = `#!/usr/bin/env bash
input=$(cat)
if echo "$input" | grep -q 'rm -rf'; then
  echo "Not that." >&2
  exit 2
fi
`
	flags := []string{"-p", "clean up", "--allowed-tools", "run_shell_command"}
	for _, tt := range []struct {
		name    string
		prepare func(w *world)
		flags   []string
		refused bool
		says    string // on standard error
	}{
		{name: "approved for this run", flags: []string{"--trust"}, refused: true},
		{name: "approved for good", prepare: func(w *world) { w.exec("trust", "add", w.dir).wantCode(w.t, 0) }, refused: true},
		{name: "changed since it was approved", prepare: func(w *world) {
			w.exec("trust", "add", w.dir).wantCode(w.t, 0)
			w.write(".gemini/hooks/guard.sh", guard+"\n# more\n")
		}, says: "Not started: hook BeforeTool 1.1 (mine)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, geminitest.Do(geminitest.Call("run_shell_command", `{"command": "rm -rf build; echo gone", "description": "d"}`)), geminitest.Say("Done."))
			w.write(".gemini/hooks/guard.sh", guard)
			w.write(".gemini/settings.json", hookSettings("BeforeTool", "bash $GEMINI_PROJECT_DIR/.gemini/hooks/guard.sh"))
			w.write("build/x", "")
			if tt.prepare != nil {
				tt.prepare(w)
			}
			r := w.exec(append(append([]string{"run"}, flags...), tt.flags...)...)
			r.wantCode(t, 0)
			_, err := os.Stat(filepath.Join(w.dir, "build"))
			if refused := err == nil; refused != tt.refused {
				t.Errorf("refused: %v; standard error: %s", refused, r.stderr)
			}
			if !strings.Contains(r.stderr, tt.says) {
				t.Errorf("standard error is %q", r.stderr)
			}
		})
	}
}

func TestTheUsersHooksInAScript(t *testing.T) {
	for _, tt := range []struct {
		name, event, command string
		restricted           bool
		code                 int
		stdout, stderr       string
	}{
		{name: "a prompt is refused", event: "BeforeAgent", command: "echo not today >&2; exit 2", code: 1, stderr: "not today"},
		{name: "a turn is stopped", event: "BeforeAgent", command: `echo '{"continue": false, "stopReason": "later"}'`, stderr: "later"},
		{name: "an answer without a model", event: "BeforeModel", command: `echo '{"hookSpecificOutput": {"llm_response": {"candidates": [{"content": {"parts": ["pong"]}}]}}}'`, stdout: "pong\n"},
		{name: "a message", event: "SessionStart", command: "echo hello", stdout: "Yes.\n", stderr: "hello"},
		{name: "nothing to say", event: "SessionStart", command: "exit 0", stdout: "Yes.\n"},
		{name: "a failure", event: "BeforeModel", command: "exit 7", stdout: "Yes.\n", stderr: "The hook mine failed"},
		{name: "the end of the session", event: "SessionEnd", command: "sleep 1; touch ended", stdout: "Yes.\n"},
		{name: "a restricted folder", event: "BeforeAgent", command: "touch ran; exit 2", restricted: true, stdout: "Yes.\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, geminitest.Say("Yes."))
			w.put(filepath.Join(w.home, "config", "settings.json"), hookSettings(tt.event, tt.command))
			args := []string{"run", "-p", "go"}
			if !tt.restricted {
				args = append(args, "--trust")
			}
			r := w.exec(args...)
			r.wantCode(t, tt.code)
			if r.stdout != tt.stdout || !strings.Contains(r.stderr, tt.stderr) || tt.stderr == "" && r.stderr != "" {
				t.Errorf("printed %q, and %q on standard error", r.stdout, r.stderr)
			}
			if _, err := os.Stat(filepath.Join(w.dir, "ran")); err == nil {
				t.Error("it ran in a restricted folder")
			}
			if _, err := os.Stat(filepath.Join(w.dir, "ended")); (err == nil) != (tt.event == "SessionEnd") {
				t.Errorf("the session's end: %v", err)
			}
		})
	}
}
