package hooks_test

import (
	"os"
	"testing"
)

// TestMain has the shells of hooks speak plainly: they complain about a user's language that
// the machine does not have, and what a hook says counts.
func TestMain(m *testing.M) {
	os.Setenv("LC_ALL", "C") //nolint:errcheck // the name is valid
	os.Exit(m.Run())
}
