package plaintest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/emendo-dev/emendo/lsp/wiretest"
)

// A Setup describes an editor and how users set it up.
type Setup struct {
	Name string // as written in texts
	// Variable is the environment variable with the path of the program.
	Variable string
	Page     string // in docs
	// Configure writes the configuration of a page into the user's home.
	Configure func(home Home, page string) error
	Environ   []string // of the process
	Window    bool     // it has a window of its own, and needs no tmux
}

// The tap between an editor and the server: the name of its program, which is that of the
// tests, and the environment with the program that it starts and its log.
const (
	tapName    = "emendo"
	tapProgram = "EMENDO_TAP_PROGRAM"
	tapFile    = "EMENDO_TAP_FILE"
)

// Machine is shared by the tests of one editor: a machine set up exactly as the
// editor's page says.
type Machine struct {
	Editor, Tmux string // the programs
	Repository   string
	Home         Home
}

// Run sets m up, runs the tests and returns the exit status.
func (s Setup) Run(m *Machine, tests func() int) int {
	if filepath.Base(os.Args[0]) == tapName { // the editor starts this as its server
		return wiretest.Tap{Program: s.env(tapProgram), File: s.env(tapFile)}.Run(os.Args[1:])
	}
	m.Editor, m.Tmux = s.env(s.Variable), s.env("EMENDO_TMUX")
	if m.Editor == "" && s.Window {
		fmt.Fprintf(os.Stderr, "%s does not name %s\n", s.Variable, s.Name)
		return 1
	}
	if m.Editor == "" || m.Tmux == "" && !s.Window {
		fmt.Fprintf(os.Stderr, "%s and EMENDO_TMUX do not name %s and tmux: run make test-editors, which finds or installs them\n", s.Variable, s.Name)
		return 1
	}
	scratch, err := os.MkdirTemp("", "emendo-editor-")
	if err == nil {
		defer os.RemoveAll(scratch)
		m.Repository, err = filepath.Abs("../../..")
	}
	page := filepath.Join(m.Repository, "docs", s.Page)
	if err == nil {
		m.Home, err = NewHome(filepath.Join(scratch, "home"), m.Repository, page, s.Environ)
	}
	if err == nil {
		err = s.Configure(m.Home, page)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "setting up %s: %v\n", s.Name, err)
		return 1
	}
	return tests()
}

// env returns an environment variable.
func (s Setup) env(name string) string {
	for _, v := range s.Environ {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}
