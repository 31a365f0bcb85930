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

func TestFoldersArePrivate(t *testing.T) {
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
		"below a link of the user's own": {func(p string) error {
			in := filepath.Dir(p)
			return errors.Join(os.Rename(in, in+".real"), os.Symlink(in+".real", in))
		}, nil},
		"below a link in a circle": {func(p string) error {
			return errors.Join(os.Remove(filepath.Dir(p)), os.Symlink("in", filepath.Dir(p)))
		}, syscall.ELOOP},
		"below a file": {func(p string) error {
			return errors.Join(os.Remove(filepath.Dir(p)), os.WriteFile(filepath.Dir(p), nil, 0o600))
		}, syscall.ENOTDIR},
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

func TestFolderOfAnotherUserIsRejected(t *testing.T) {
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
	if os.Geteuid() != 0 {
		return // only root can make a folder of another user's
	}
	if err := private.Folder(filepath.Join(theirs, "deeper", "down")); !errors.Is(err, private.ErrForeign) {
		t.Errorf("below it the error is %v", err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := errors.Join(os.Symlink(t.TempDir(), link), os.Lchown(link, 65534, 65534)); err != nil {
		t.Fatal(err)
	}
	if err := private.Folder(filepath.Join(link, "state")); !errors.Is(err, private.ErrForeign) {
		t.Errorf("below a link that another user planted the error is %v", err)
	}
}

func TestOpenedFilesArePrivate(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	const flag = os.O_CREATE | os.O_WRONLY | os.O_APPEND
	dir := t.TempDir()
	for name, c := range map[string]struct {
		prepare func(path string) error
		refused bool
	}{
		"a new one":        {func(string) error { return nil }, false},
		"one that is open": {func(p string) error { return os.WriteFile(p, nil, 0o666) }, false},
		"a link": {func(p string) error {
			return errors.Join(os.WriteFile(p+".other", nil, 0o600), os.Symlink(p+".other", p))
		}, true},
		"a pipe":   {func(p string) error { return syscall.Mkfifo(p, 0o600) }, true},
		"a folder": {func(p string) error { return os.Mkdir(p, 0o700) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name)
			if err := c.prepare(path); err != nil {
				t.Fatal(err)
			}
			f, err := private.OpenFile(path, flag)
			if (err != nil) != c.refused {
				t.Fatalf("the error is %v", err)
			}
			if err != nil {
				return
			}
			defer f.Close()
			if fi, err := f.Stat(); err != nil || fi.Mode().Perm() != 0o600 {
				t.Errorf("it is %v, %v", fi.Mode(), err)
			}
		})
	}
}
