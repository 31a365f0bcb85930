package view_test

import (
	"flag"
	"os"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMain has properties checked less often than by default, which takes a minute with the
// race detector. make nightly checks them more often.
func TestMain(m *testing.M) {
	flag.Set("rapid.checks", "25")
	os.Exit(m.Run())
}

// differ returns how two values differ. Most do not, which reflect finds out in less time.
func differ(a, b any, options ...cmp.Option) string {
	if reflect.DeepEqual(a, b) {
		return ""
	}
	return cmp.Diff(a, b, options...)
}
