//go:build editors

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// program is emendo, built for all tests.
var program string

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	if out, err := exec.Command("./install.sh").CombinedOutput(); err != nil {
		return 1, fmt.Errorf("install the clients: %w\n%s", err, out)
	}
	dir, err := os.MkdirTemp("", "emendo-acp")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "emendo")
	build := exec.Command("go", "build", "-trimpath", "-o", program, "../../../cmd/emendo") // what a release is built of
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return 1, fmt.Errorf("build emendo: %w\n%s", err, out)
	}
	return m.Run(), nil
}
