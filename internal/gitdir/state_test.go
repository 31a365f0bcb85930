package gitdir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Files that git would follow are found however much a command puts in front of
// them; if there are too many, that is reported.
func TestStraysAreFoundFromTheTop(t *testing.T) {
	defer func(n int) { mostWalked = n }(mostWalked)
	mostWalked = 40
	dir := t.TempDir()
	for n := range 30 {
		if err := os.MkdirAll(filepath.Join(dir, "AAA", fmt.Sprint(n), "x"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	want := []Stray{{filepath.Join(dir, "COMMIT_EDITMSG"), "/etc/hosts"}, {filepath.Join(dir, "logs"), "x"}}
	for _, s := range want {
		if err := os.Symlink(s.To, s.Path); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Strays(dir)
	if diff := cmp.Diff(want, got); diff != "" || !errors.Is(err, ErrTooMany) {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}
