package plaintest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// A Home is a home folder in which emendo is installed.
type Home struct {
	Dir string
	env []string // environment of the process
}

// Program returns the path of the installed emendo.
func (h Home) Program() string { return filepath.Join(h.Dir, "go", "bin", "emendo") }

// NewHome sets up a home folder in an empty folder by running the first shell block of
// the page in a clone of the repository.
func NewHome(dir, repository, page string, env []string) (Home, error) {
	h := Home{dir, env}
	commands, err := Block(page, "sh")
	if err != nil {
		return h, err
	}
	caches, err := exec.Command("go", "env", "GOMODCACHE", "GOCACHE").Output()
	if err != nil {
		return h, err
	}
	modules, built, _ := strings.Cut(strings.TrimSpace(string(caches)), "\n")
	install := exec.Command("sh", "-eu", "-c", commands)
	install.Dir = repository
	install.Env = append(append([]string{}, env...), "CGO_ENABLED=0", "GOFLAGS=-trimpath", // as other tests build it, so that it is compiled once
		"HOME="+dir, "GOBIN=", "GOPATH=", "XDG_DATA_HOME=", "XDG_CONFIG_HOME=", "GOMODCACHE="+modules, "GOCACHE="+built)
	if out, err := install.CombinedOutput(); err != nil {
		return h, fmt.Errorf("run the shell commands of %s: %w\n%s", page, err, out)
	}
	return h, nil
}

// Write writes a file in the home folder.
func (h Home) Write(name, text string) error { return write(filepath.Join(h.Dir, name), text) }

// Block returns the first code block of a page in a language.
func Block(page, language string) (string, error) {
	all, err := Blocks(page, language)
	if err != nil {
		return "", err
	}
	return all[0], nil
}

// Blocks returns all code blocks of a page in a language.
func Blocks(page, language string) (all []string, err error) {
	text, err := os.ReadFile(page)
	if err != nil {
		return nil, err
	}
	for _, block := range regexp.MustCompile("(?s)\n```"+language+"\n(.*?)```\n").FindAllSubmatch(text, -1) {
		all = append(all, string(block[1]))
	}
	if all == nil {
		return nil, fmt.Errorf("%s has no code block in %s", page, language)
	}
	return all, nil
}

func write(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o600)
}
