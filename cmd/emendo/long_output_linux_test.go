package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// Commands can read stored output of their own session without approval, but not change
// it.
func TestCommandsReadKeptOutput(t *testing.T) {
	for _, level := range []string{"A", "B"} {
		t.Run(level, func(t *testing.T) {
			w := newWorld(t, shellCall("seq 1 30000"), geminitest.Say("It is long."))
			w.env = append(w.env, levelVariable+"="+level)
			w.run("--trust", "--allowed-tools", "run_shell_command", "--session-id", "long", "-p", "count").wantCode(t, 0)
			kept, err := filepath.Glob(filepath.Join(w.home, "state", "output", "long", "run_shell_command_*.txt"))
			if err != nil || len(kept) != 1 {
				t.Fatalf("kept is %q: %v", kept, err)
			}
			if text := w.lastResult(); !strings.Contains(text, kept[0]) || !strings.Contains(text, "commands can read it") {
				t.Errorf("the model got %s", text)
			}
			before, err := os.ReadFile(kept[0])
			if err != nil {
				t.Fatal(err)
			}
			w.model.Add(shellCall("sed -n 12345p "+kept[0]), geminitest.Say("Read."))
			w.run("--trust", "--resume", "long", "-p", "which is it").wantCode(t, 0)
			if text := w.lastResult(); !strings.Contains(text, `12345\n`) {
				t.Errorf("the command printed %s", text)
			}
			w.model.Add(shellCall("echo x > "+kept[0]), geminitest.Say("Tried."))
			w.run("--trust", "--resume", "long", "--allowed-tools", "run_shell_command", "-p", "change it").wantCode(t, 0)
			if after, err := os.ReadFile(kept[0]); err != nil || string(after) != string(before) {
				t.Errorf("a command changed it: %v", err)
			}
		})
	}
}
