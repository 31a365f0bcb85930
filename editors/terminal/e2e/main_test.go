//go:build editors

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/emendo-dev/emendo/editors/internal/plaintest"
)

var machine plaintest.Machine // for all tests

func TestMain(m *testing.M) {
	python, err := exec.LookPath("python3")
	if err != nil {
		fmt.Fprintln(os.Stderr, "the example needs Python:", err)
		os.Exit(1)
	}
	setup := plaintest.Setup{
		Name: "the example", Variable: "EMENDO_EXAMPLE", Page: "write-a-client.md",
		Configure: func(plaintest.Home, string) error { return nil }, Environ: append(os.Environ(), "EMENDO_EXAMPLE="+python),
	}
	os.Exit(setup.Run(&machine, m.Run))
}
