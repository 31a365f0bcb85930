//go:build kate && linux

package e2e

import (
	"os"
	"testing"

	"github.com/emendo-dev/emendo/editors/internal/plaintest"
)

var machine plaintest.Machine // for all tests

func TestMain(m *testing.M) {
	setup := plaintest.Setup{Name: "Kate", Variable: "EMENDO_KATE", Page: "kate.md", Configure: configure, Environ: os.Environ(), Window: true}
	os.Exit(setup.Run(&machine, m.Run))
}

// configure writes the configuration of the page.
func configure(home plaintest.Home, page string) error {
	servers, err := plaintest.Block(page, "json")
	if err != nil {
		return err
	}
	return home.Write(".config/kate/lspclient/settings.json", servers)
}
