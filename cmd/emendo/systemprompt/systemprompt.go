// Package systemprompt reads from the environment how the user changes the system
// prompt, and where it is written.
package systemprompt

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/briefing"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/own"
	"github.com/emendo-dev/emendo/internal/paths"
)

// Env looks up one environment variable.
type Env func(name string) string

// Options returns the changes that the environment makes to the system prompt:
// modules to leave out, and a file that replaces all of them. If the file cannot be
// read, the modules are used and the error says why.
func (env Env) Options(project string, trusted bool) (briefing.PromptOptions, error) {
	o := briefing.PromptOptions{Off: func(name string) bool {
		v, _ := env.either("PROMPT_" + strings.ToUpper(name))
		return isOff(v)
	}}
	path, err := env.file("SYSTEM_MD", project)
	if path == "" || err != nil {
		return o, err
	}
	if !trusted && project != "" && (paths.Within(path, project) || paths.Within(disk.RealPath(path), disk.RealPath(project))) {
		return o, fmt.Errorf("read the system prompt: %s is in a restricted folder: trust the folder, or use a file elsewhere", path)
	}
	text, err := os.ReadFile(path)
	if err == nil && strings.TrimSpace(string(text)) == "" {
		err = errors.New("the file is empty")
	}
	if err != nil {
		return o, fmt.Errorf("read the system prompt %s: %w", path, err)
	}
	o.Replacement = string(text)
	return o, nil
}

// Writer returns a function that writes the system prompt to the file that the
// environment names; nil if it names none.
func (env Env) Writer(project string) (func(text string) error, error) {
	path, err := env.file("WRITE_SYSTEM_MD", project)
	if path == "" || err != nil {
		return nil, err
	}
	return func(text string) error {
		if rel, ok := paths.CutFolder(path, project); ok && disk.RealPath(path) != filepath.Join(disk.RealPath(project), rel) {
			return fmt.Errorf("write the system prompt: a symbolic link in the project redirects %s: remove it, or use another file", path)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return fmt.Errorf("write the system prompt: %w", err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			return fmt.Errorf("write the system prompt: %w", err)
		}
		return nil
	}, nil
}

// file returns the path that a variable names: system.md in the project's own
// folder for 1 or true, and an empty path if it is off.
func (env Env) file(variable, project string) (string, error) {
	v, gemini := env.either(variable)
	switch {
	case v == "" || isOff(v):
		return "", nil
	case v == "1" || strings.EqualFold(v, "true"):
		folder := own.Emendo
		if gemini {
			folder = own.Gemini
		}
		return filepath.Join(project, folder, "system.md"), nil
	case v == "~" || strings.HasPrefix(v, "~/"):
		return filepath.Join(env("HOME"), v[1:]), nil
	}
	path, err := filepath.Abs(v)
	if err != nil {
		return "", fmt.Errorf("find the system prompt %s: %w", v, err)
	}
	return path, nil
}

// either returns a variable under emendo's or Gemini CLI's name; gemini means the
// latter.
func (env Env) either(name string) (value string, gemini bool) {
	if v := env("EMENDO_" + name); v != "" {
		return v, false
	}
	return env("GEMINI_" + name), true
}

func isOff(v string) bool { return slices.Contains([]string{"0", "false"}, strings.ToLower(v)) }
