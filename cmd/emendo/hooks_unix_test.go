//go:build unix

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/hooks"
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

// A hook script for Gemini CLI in a project's settings rejects a command, but only once
// the folder is trusted and the hook approved.
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

// A script gets every event of a run in the form of Gemini CLI.
func TestEveryEventOfARun(t *testing.T) {
	w := newWorld(t, geminitest.Do(geminitest.Call("read_file", `{"file_path": "a.txt"}`)), geminitest.Say("Done."))
	w.write("a.txt", "one\n")
	w.write(".gemini/hooks/log.sh", `#!/usr/bin/env bash
{ cat; echo; } >> events.jsonl
echo "$GEMINI_PROJECT_DIR|$CLAUDE_PROJECT_DIR|$GEMINI_CWD|$GEMINI_SESSION_ID|$(basename "$GEMINI_PLANS_DIR")" >> env.txt
`)
	all := map[string]any{}
	for _, e := range hooks.Events() {
		all[string(e)] = []any{map[string]any{"hooks": []any{map[string]any{"type": "command", "command": "bash $GEMINI_PROJECT_DIR/.gemini/hooks/log.sh"}}}}
	}
	b, err := json.Marshal(map[string]any{"hooks": all})
	if err != nil {
		t.Fatal(err)
	}
	w.write(".gemini/settings.json", string(b))
	w.exec("run", "-p", "look", "--trust", "--session-id", "s-1").wantCode(t, 0)

	var events []string
	for text := range strings.Lines(w.read("events.jsonl")) {
		var e struct {
			Session    string `json:"session_id"`
			Transcript string `json:"transcript_path"`
			Cwd        string `json:"cwd"`
			Event      string `json:"hook_event_name"`
			At         string `json:"timestamp"`
		}
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(e.Transcript); err != nil || e.Session != "s-1" || e.Cwd != w.dir {
			t.Errorf("%s got session %s in %s, with %v", e.Event, e.Session, e.Cwd, err)
		}
		if _, err := time.Parse(time.RFC3339, e.At); err != nil {
			t.Error(err)
		}
		events = append(events, e.Event)
	}
	want := "SessionStart BeforeAgent BeforeModel BeforeToolSelection AfterModel BeforeTool AfterTool BeforeModel BeforeToolSelection AfterModel AfterAgent SessionEnd"
	if got := strings.Join(slices.Compact(events), " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for text := range strings.Lines(w.read("env.txt")) {
		if want := strings.Join([]string{w.dir, w.dir, w.dir, "s-1", "s-1"}, "|") + "\n"; text != want {
			t.Errorf("got  %s\nwant %s", text, want)
		}
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
