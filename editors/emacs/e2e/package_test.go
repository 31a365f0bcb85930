//go:build editors

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The package compiles without warnings, and its own tests pass.
func TestPackage(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"emendo.el", "emendo-tests.el"} {
		text, err := os.ReadFile(filepath.Join("..", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"--eval", "(setq byte-compile-error-on-warn t)", "-f", "batch-byte-compile", "emendo.el", "emendo-tests.el"},
		{"-l", "emendo-tests", "-f", "ert-run-tests-batch-and-exit"},
	} {
		cmd := exec.CommandContext(t.Context(), machine.Editor, append([]string{"-Q", "--batch", "-L", "."}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(cmd.Environ(), "HOME="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
}
