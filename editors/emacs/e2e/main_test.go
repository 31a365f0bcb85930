//go:build editors

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/emendo-dev/emendo/editors/internal/plaintest"
)

// What all tests share.
var (
	emacs, tmux string // the programs
	repository  string
	home        plaintest.Home // was empty before docs/emacs.md was followed
)

func TestMain(m *testing.M) { os.Exit(prepared(m.Run)) }

// prepared sets up a home folder as the page for users says, to the letter.
func prepared(tests func() int) int {
	emacs, tmux = os.Getenv("EMENDO_EMACS"), os.Getenv("EMENDO_TMUX")
	if emacs == "" || tmux == "" {
		fmt.Fprintln(os.Stderr, "EMENDO_EMACS and EMENDO_TMUX do not name an Emacs and a tmux: run make test-editors, which finds or installs them")
		return 1
	}
	scratch, err := os.MkdirTemp("", "emendo-emacs-")
	if err == nil {
		defer os.RemoveAll(scratch)
		repository, err = filepath.Abs("../../..")
	}
	page := filepath.Join(repository, "docs", "emacs.md")
	if err == nil {
		home, err = plaintest.NewHome(filepath.Join(scratch, "home"), repository, page, os.Environ())
	}
	if err == nil {
		err = configure(page)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "setting up Emacs:", err)
		return 1
	}
	return tests()
}

// configure writes the configuration that the page says.
func configure(page string) error {
	config, err := plaintest.Block(page, "elisp")
	if err != nil {
		return err
	}
	return home.Write(".emacs.d/init.el", config)
}
