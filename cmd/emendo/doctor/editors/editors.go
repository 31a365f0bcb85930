// Package editors finds the editors on a machine, and reports how emendo is set up in
// each and what is missing. It owns what an installation and a configuration look like.
// It starts no editor except to print its version, and changes no file.
package editors

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// A Machine is where editors are looked for.
type Machine struct {
	OS   string   // as in runtime.GOOS
	Home string   // the user's home folder
	Path []string // folders in which programs are looked for
	Env  func(name string) string
	// Version returns what a program prints as its version.
	Version func(ctx context.Context, program string) (string, error)
	// Avoid reports whether a program must not be started; nil: none.
	Avoid func(program string) bool
	Root  string // contains the usual places of programs; empty: the whole disk
}

// An Editor is an editor on the machine.
type Editor struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"` // empty: the editor did not print it
	Program string `json:"program"`
	SetUp   bool   `json:"setUp"` // emendo is set up in it
	How     string `json:"-"`     // how it is set up
	Problem string `json:"-"`     // what keeps it from working; empty: nothing
	Fix     string `json:"-"`     // of the problem, or how to set it up
	Page    string `json:"page"`  // of the documentation
}

// A kind is a kind of editor.
type kind struct {
	name, page string
	programs   []string // names of its program, without an extension
	oldest     string   // first version in which emendo works; empty: not known
	version    *regexp.Regexp
	// applications are paths of the program inside applications of macOS, and below the
	// folders in which Windows has programs.
	applications []string
	// look fills in how emendo is set up.
	look func(m Machine, e *Editor)
}

// Find returns the editors of the machine in a fixed order.
func Find(ctx context.Context, m Machine) []Editor {
	all := kinds()
	found := make([]*Editor, len(all))
	var asked sync.WaitGroup
	for i, k := range all {
		if program := m.find(k); program != "" {
			asked.Go(func() { found[i] = k.examine(ctx, m, program) })
		}
	}
	asked.Wait()
	var there []Editor
	for _, e := range found {
		if e != nil {
			there = append(there, *e)
		}
	}
	return there
}

// find returns the path of the editor's program, or "".
func (m Machine) find(k kind) string {
	var candidates []string
	for _, dir := range append(append([]string{}, m.Path...), m.folders()...) {
		for _, name := range k.programs {
			candidates = append(candidates, filepath.Join(dir, name))
		}
	}
	candidates = append(candidates, m.applications(k.applications)...)
	for _, c := range candidates {
		program, err := exec.LookPath(c) // adds the extension on Windows
		if err == nil && filepath.IsAbs(program) && (m.Avoid == nil || !m.Avoid(program)) {
			return program
		}
	}
	return ""
}

// folders returns the folders in which programs usually are, and which an editor that
// was not started in a terminal may not have on its search path.
func (m Machine) folders() []string {
	switch m.OS {
	case "windows":
		return nil
	case "darwin":
		return []string{m.under("/opt/homebrew/bin"), m.under("/usr/local/bin"), filepath.Join(m.Home, ".local", "bin")}
	}
	return []string{filepath.Join(m.Home, ".local", "bin"), m.under("/usr/local/bin"), m.under("/usr/bin"), m.under("/snap/bin")}
}

// under returns a path of the whole disk below Root.
func (m Machine) under(path string) string { return m.Root + filepath.FromSlash(path) }

// examine asks the editor's version and reads its configuration.
func (k kind) examine(ctx context.Context, m Machine, program string) *Editor {
	e := &Editor{Name: k.name, Program: program, Page: "docs/" + k.page}
	if text, err := m.Version(ctx, program); err == nil {
		if v := k.version.FindStringSubmatch(text); v != nil {
			e.Version = v[1]
		}
	}
	k.look(m, e)
	switch {
	case !e.SetUp:
		e.Fix = "see " + e.Page
	case e.Version != "" && before(e.Version, k.oldest):
		e.Problem = fmt.Sprintf("emendo needs %s %s or later", k.name, k.oldest)
		e.Fix = "update " + k.name
	case e.Problem != "" && e.Fix == "":
		e.Fix = "see " + e.Page
	}
	return e
}

// before reports whether version a is older than b, number by number.
func before(a, b string) bool {
	if b == "" {
		return false
	}
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range y {
		want, _ := strconv.Atoi(y[i])
		have := 0
		if i < len(x) {
			have, _ = strconv.Atoi(x[i])
		}
		if have != want {
			return have < want
		}
	}
	return false
}

// setUp records that emendo is set up.
func (e *Editor) setUp(format string, a ...any) {
	e.SetUp = true
	e.How = fmt.Sprintf(format, a...)
}

// lacks records what keeps emendo from working, though it is set up.
func (e *Editor) lacks(fix, format string, a ...any) {
	e.SetUp, e.Fix = true, fix
	e.Problem = fmt.Sprintf(format, a...)
}

// starts records the program that a configuration starts as emendo, and whether it is
// there.
func (e *Editor) starts(m Machine, command, file string) bool {
	if filepath.IsAbs(command) {
		if _, err := os.Stat(command); err != nil {
			e.lacks("correct the path in "+file, "%s starts %s, which does not exist", file, command)
			return false
		}
		return true
	}
	for _, dir := range m.Path {
		if _, err := exec.LookPath(filepath.Join(dir, command)); err == nil {
			return true
		}
	}
	e.lacks("put the folder of emendo on the PATH that the editor starts with, or write the full path of emendo into "+file,
		"%s starts %s, which is not on PATH", file, command)
	return false
}
