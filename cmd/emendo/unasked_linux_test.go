package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// What a background command that nobody allowed makes later is moved aside while it runs, and
// git's data stays as it is whatever calls git. Git alone changes its index, without hooks.
func TestUnaskedCommandsAreGuarded(t *testing.T) {
	if testing.Short() {
		t.Skip("attack test")
	}
	const commit = "git commit-tree -m evil $(git write-tree) </dev/null >evil && git update-ref refs/heads/evil $(cat evil)\n"
	const later = "until test -e go; do sleep 0.01; done; mkdir -p .vscode && echo evil >.vscode/tasks.json; echo evil >.envrc; until test -e stop; do sleep 0.01; done"
	background, err := json.Marshal(map[string]any{"command": "sh later.sh", "is_background": true})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t,
		geminitest.Do(geminitest.Call("run_shell_command", string(background))),
		shellCall("sh wait.sh"),
		shellCall("git add -A && sh ./commit.sh"),
		shellCall("git add -A"),
		shellCall("echo evil >>AGENTS.md"),
		geminitest.Say("Done."), geminitest.Say("Done."),
	)
	w.write("commit.sh", commit)
	w.write("later.sh", later)
	w.write("wait.sh", "touch go\nuntil test -e made-by-a-command-1-vscode.aside && test -e made-by-a-command-1-envrc.aside; do sleep 0.01; done\necho moved-$((40+2)); touch stop\n")
	w.write("AGENTS.md", "mine\n")
	git := w.git
	git("init", "-q", "-b", "main")
	git("add", "AGENTS.md")
	git("-c", "user.name=u", "-c", "user.email=u@example.com", "commit", "-qm", "first")
	hook := filepath.Join(w.dir, ".git", "hooks", "post-index-change")
	if err := os.MkdirAll(filepath.Dir(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(hook, []byte("#!/bin/sh\ntouch hooked\n"), 0o755); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	w.run("-p", "hi", "--trust", "--approval-mode", "auto_edit").wantCode(t, 0)
	body := string(w.model.Requests()[len(w.model.Requests())-1].Body)
	if !strings.Contains(body, "moved-42") {
		t.Errorf("nothing was moved at once: %s", body)
	}
	for _, name := range []string{".vscode", ".envrc", "hooked", ".git/refs/heads/evil"} {
		if _, err := os.Lstat(filepath.Join(w.dir, name)); err == nil {
			t.Errorf("%s is there", name)
		}
	}
	if got := w.read("AGENTS.md"); got != "mine\n" {
		t.Errorf("AGENTS.md is %q", got)
	}
	if got := git("ls-files"); !strings.Contains(got, "commit.sh") {
		t.Errorf("git alone did not add: %s", got)
	}
	w.write("probe", "")
	git("add", "-A")
	if _, err := os.Lstat(filepath.Join(w.dir, "hooked")); err != nil {
		t.Errorf("as the user runs it the hook does not run: %v", err)
	}
}
