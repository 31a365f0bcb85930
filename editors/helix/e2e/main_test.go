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
	helix, tmux string // the programs
	repository  string
	home        plaintest.Home // was empty before docs/helix.md was followed
)

func TestMain(m *testing.M) { os.Exit(prepared(m.Run)) }

// prepared sets up a home folder as the page for users says, to the letter.
func prepared(tests func() int) int {
	helix, tmux = os.Getenv("EMENDO_HELIX"), os.Getenv("EMENDO_TMUX")
	if helix == "" || tmux == "" {
		fmt.Fprintln(os.Stderr, "EMENDO_HELIX and EMENDO_TMUX do not name a Helix and a tmux: run make test-editors, which finds or installs them")
		return 1
	}
	scratch, err := os.MkdirTemp("", "emendo-helix-")
	if err == nil {
		defer os.RemoveAll(scratch)
		repository, err = filepath.Abs("../../..")
	}
	page := filepath.Join(repository, "docs", "helix.md")
	if err == nil {
		home, err = plaintest.NewHome(filepath.Join(scratch, "home"), repository, page, os.Environ())
	}
	if err == nil {
		err = configure(page)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "setting up Helix:", err)
		return 1
	}
	return tests()
}

// configure writes the configuration that the page says.
func configure(page string) error {
	blocks, err := plaintest.Blocks(page, "toml")
	if err != nil {
		return err
	}
	for i, file := range []string{"languages.toml", "config.toml"} {
		if i == len(blocks) {
			break
		}
		if err := home.Write(".config/helix/"+file, blocks[i]); err != nil {
			return err
		}
	}
	return nil
}
