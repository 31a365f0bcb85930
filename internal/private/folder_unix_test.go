//go:build unix

package private_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/emendo-dev/emendo/internal/private"
)

func TestFoldersAreForThisUserAlone(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	dir := t.TempDir()
	for name, c := range map[string]struct {
		prepare func(path string) error
		want    error
	}{
		"a new one":         {func(string) error { return nil }, nil},
		"one that is there": {func(p string) error { return os.MkdirAll(p, 0o700) }, nil},
		"one that is open":  {func(p string) error { return os.MkdirAll(p, 0o777) }, nil},
		"a link": {func(p string) error {
			return errors.Join(os.MkdirAll(p+".other", 0o700), os.Symlink(p+".other", p))
		}, private.ErrForeign},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name, "in", "it")
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), c.prepare(path)); err != nil {
				t.Fatal(err)
			}
			if err := private.Folder(path); !errors.Is(err, c.want) {
				t.Fatalf("the error is %v, want %v", err, c.want)
			}
			if fi, err := os.Lstat(path); c.want == nil && (err != nil || fi.Mode().Perm() != 0o700) {
				t.Errorf("it is %v, %v", fi.Mode(), err)
			}
		})
	}
}

func TestAnotherUsersFolderIsRefused(t *testing.T) {
	theirs := "/" // root's, when an ordinary user asks
	if os.Geteuid() == 0 {
		theirs = filepath.Join(t.TempDir(), "theirs")
		if err := errors.Join(os.Mkdir(theirs, 0o777), os.Chown(theirs, 65534, 65534)); err != nil {
			t.Fatal(err)
		}
	}
	if err := private.Folder(theirs); !errors.Is(err, private.ErrForeign) {
		t.Errorf("the error is %v", err)
	}
}
