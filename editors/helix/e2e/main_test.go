//go:build editors

package e2e

import (
	"os"
	"testing"

	"github.com/emendo-dev/emendo/editors/internal/plaintest"
)

var machine plaintest.Machine // for all tests

func TestMain(m *testing.M) {
	setup := plaintest.Setup{Name: "Helix", Variable: "EMENDO_HELIX", Page: "helix.md", Configure: configure, Environ: os.Environ()}
	os.Exit(setup.Run(&machine, m.Run))
}

// configure writes the configuration of the page.
func configure(home plaintest.Home, page string) error {
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
