package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// Changes of a command in a repository are recorded with git's help: a file that matches
// its commit is not copied before the command, but can still be restored.
func TestCheckpointsOfCommands(t *testing.T) {
	w := newWorld(t, geminitest.Do(geminitest.Call("run_shell_command", `{"command": "sed -i s/before/after/ a.txt"}`)), geminitest.Say("Done."))
	w.put(filepath.Join(w.dir, "a.txt"), "before\n")
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "one"}} {
		c := exec.CommandContext(t.Context(), "git", args...)
		c.Dir = w.dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	w.run("-p", "change it", "--allowed-tools", "run_shell_command(sed)", "--approval-mode", "yolo", "--session-id", "mine").wantCode(t, 0)
	kept := filepath.Join(w.home, "state", "checkpoints", "mine")
	journal, err := os.ReadFile(filepath.Join(kept, "changes.jsonl"))
	if err != nil || !strings.Contains(string(journal), "a.txt") {
		t.Errorf("the journal: %v\n%s", err, journal)
	}
	blobs, err := filepath.Glob(filepath.Join(kept, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	var held string
	for _, b := range blobs {
		data, err := os.ReadFile(b)
		if err != nil {
			t.Fatal(err)
		}
		held += string(data)
	}
	if !strings.Contains(held, "before\n") || !strings.Contains(held, "after\n") {
		t.Errorf("kept is %q", held)
	}
	if got, want := w.exec("sessions", "list", "--json").stdout, fmt.Sprintf(`"files": %d,`, len(blobs)); !strings.Contains(got, want) {
		t.Errorf("sessions list --json prints %s, want %s", got, want)
	}
	if got := w.exec("sessions", "list").stdout; !strings.Contains(got, "0.0 MiB of copies") {
		t.Errorf("sessions list prints %s", got)
	}
}
