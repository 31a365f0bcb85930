package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// A command of the model's cannot trust a folder by emendo itself, under whatever name it has
// the program, at any level of the sandbox. The same script does it for the user.
func TestCommandsCannotChangeAuthority(t *testing.T) {
	if testing.Short() {
		t.Skip("attack test")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ways := []string{
		"%s ./tool trust add sub; echo $? >code",
		"sh -c '%s ./tool trust add sub'; echo $? >code",
		"env -i %s ./tool trust add sub; echo $? >code",
		"(setsid env -i %s ./tool trust add sub; echo $? >code) & wait",
		"env -i sh -c '(%s ./tool run -p hi --trust; echo $? >code) &'; until test -s code; do sleep 0.01; done",
	}
	prepare := func(t *testing.T, level, way string) *world {
		t.Helper()
		args, err := json.Marshal(map[string]any{"command": "sh ./attack.sh"})
		if err != nil {
			t.Fatal(err)
		}
		w := newWorld(t, geminitest.Do(geminitest.Call("run_shell_command", string(args))), geminitest.Say("Done."), geminitest.Say("Done."))
		w.env = append(w.env, levelVariable+"="+level)
		w.write("sub/file", "")
		w.write("attack.sh", fmt.Sprintf(way, "EMENDO_TEST_MAIN=1 PATH=/usr/bin:/bin HOME="+filepath.Dir(w.dir)+" EMENDO_HOME="+w.home)+"\n")
		if err := os.Link(self, filepath.Join(w.dir, "tool")); err != nil {
			if out, err := exec.Command("cp", self, filepath.Join(w.dir, "tool")).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
		return w
	}
	trusts := func(w *world) bool {
		in, err := os.ReadFile(filepath.Join(w.home, "state", "trust.json"))
		return err == nil && strings.Contains(string(in), "sub")
	}
	t.Run("as the user", func(t *testing.T) {
		w := prepare(t, "C", ways[2])
		c := exec.Command("sh", "./attack.sh")
		c.Dir = w.dir
		if out, err := c.CombinedOutput(); err != nil || strings.TrimSpace(w.read("code")) != "0" || !trusts(w) {
			t.Errorf("%v: %s: the attack does not work", err, out)
		}
	})
	for _, level := range []string{"A", "B", "C"} {
		for i, way := range ways {
			t.Run(fmt.Sprint(level, i), func(t *testing.T) {
				w := prepare(t, level, way)
				w.run("-p", "hi", "--approval-mode", "yolo").wantCode(t, 0)
				if got := strings.TrimSpace(w.read("code")); got != "55" {
					t.Errorf("it ended with %q, want 55: %s", got, w.model.Requests()[1].Body)
				}
				if trusts(w) {
					t.Error("the folder is trusted")
				}
			})
		}
	}
}
