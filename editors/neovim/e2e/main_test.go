//go:build editors

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Shared by all tests.
var (
	neovim     string // the program
	repository string
	home       string // a home folder set up as docs/neovim.md says
	program    string // the installed emendo, which the tap wraps
)

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "emendo" {
		os.Exit(tap(os.Args[1:]))
	}
	os.Exit(prepared(m.Run))
}

// prepared sets up a home folder exactly as the user documentation says, and replaces
// the program by the tap.
func prepared(tests func() int) int {
	if neovim = os.Getenv("EMENDO_NVIM"); neovim == "" {
		fmt.Fprintln(os.Stderr, "EMENDO_NVIM does not name Neovim: run make test-editors, which finds or installs one")
		return 1
	}
	scratch, err := os.MkdirTemp("", "emendo-neovim-")
	if err == nil {
		defer os.RemoveAll(scratch)
		scratch, err = filepath.EvalSymlinks(scratch)
	}
	if err == nil {
		repository, err = filepath.Abs("../../..")
	}
	if err == nil {
		home = filepath.Join(scratch, "home")
		err = follow(filepath.Join(repository, "docs", "neovim.md"))
	}
	if err == nil {
		err = tapIn(filepath.Join(home, "go", "bin", "emendo"), filepath.Join(scratch, "emendo-itself"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "setting up Neovim:", err)
		return 1
	}
	return tests()
}

var (
	shellBlock  = regexp.MustCompile("(?s)\n```sh\n(.*?)```\n")
	configBlock = regexp.MustCompile("(?s)\n```lua\n(.*?)```\n")
)

// follow applies the first shell block and the first Lua block of a page.
func follow(page string) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	commands, config := shellBlock.FindSubmatch(text), configBlock.FindSubmatch(text)
	if commands == nil || config == nil {
		return fmt.Errorf("%s has no commands or no configuration", page)
	}
	folder := filepath.Join(home, ".config", "nvim")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "init.lua"), config[1], 0o600); err != nil {
		return err
	}
	install := exec.Command("sh", "-eu", "-c", string(commands[1]))
	install.Dir = repository
	caches, err := exec.Command("go", "env", "GOMODCACHE", "GOCACHE").Output()
	if err != nil {
		return err
	}
	modules, built, _ := strings.Cut(strings.TrimSpace(string(caches)), "\n")
	install.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath", // as other tests build it, so that it is compiled once
		"HOME="+home, "GOBIN=", "GOPATH=", "XDG_DATA_HOME=", "XDG_CONFIG_HOME=", "GOMODCACHE="+modules, "GOCACHE="+built)
	if out, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// tapIn moves the program away and puts a link to this test binary in its place.
func tapIn(installed, away string) error {
	program = away
	if err := os.Rename(installed, away); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return os.Symlink(self, installed)
}
