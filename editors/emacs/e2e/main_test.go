//go:build editors

package e2e

import (
	"os"
	"testing"

	"github.com/emendo-dev/emendo/editors/internal/plaintest"
)

var machine plaintest.Machine // for all tests

func TestMain(m *testing.M) {
	setup := plaintest.Setup{Name: "Emacs", Variable: "EMENDO_EMACS", Page: "emacs.md", Configure: configure, Environ: os.Environ()}
	os.Exit(setup.Run(&machine, m.Run))
}

// configure writes the configuration of the page.
func configure(home plaintest.Home, page string) error {
	config, err := plaintest.Block(page, "elisp")
	if err != nil {
		return err
	}
	return home.Write(".emacs.d/init.el", config)
}
