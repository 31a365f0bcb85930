// Package private makes the folders and files that emendo keeps for one user
// alone, and refuses those that somebody else could have made or could replace.
// It does not know what they hold.
package private

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ErrForeign says that a folder or file is not this user's to keep files in.
var ErrForeign = errors.New("it is not this user's own")

// maxLinks bounds how many symbolic links lead to a folder.
const maxLinks = 40

// Folder makes a folder with those above it, for this user alone. A folder that
// exists is closed to others. It is an error when it or one above it belongs to
// another user who is not root, and when it is a symbolic link. Links above it
// are followed if they are this user's or root's.
func Folder(path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	links := 0
	if err := above(filepath.Dir(path), &links); err != nil {
		return err
	}
	fi, err := made(path)
	switch {
	case err != nil:
		return err
	case fi.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s: %w: it is a symbolic link; move it away", path, ErrForeign)
	case !fi.IsDir():
		return fmt.Errorf("%s: %w: it is not a folder; move it away", path, ErrForeign)
	case !mine(fi):
		return fmt.Errorf("%s: %w: it belongs to another user; remove it or choose another with EMENDO_HOME", path, ErrForeign)
	case open(fi):
		return os.Chmod(path, 0o700)
	}
	return nil
}

// made makes a folder unless something of that name exists, and describes it.
func made(path string) (fs.FileInfo, error) {
	fi, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		return os.Lstat(path)
	}
	return fi, err
}

// above checks a folder on the way to a private one, and makes it if need be.
func above(path string, links *int) error {
	up := filepath.Dir(path)
	if up == path {
		return nil // the root
	}
	if err := above(up, links); err != nil {
		return err
	}
	fi, err := made(path)
	switch {
	case err != nil:
		return err
	case !mine(fi) && !roots(fi):
		return fmt.Errorf("%s: %w: it belongs to another user; choose another folder with EMENDO_HOME", path, ErrForeign)
	case fi.Mode()&fs.ModeSymlink != 0:
		if *links++; *links > maxLinks {
			return fmt.Errorf("%s: %w", path, syscall.ELOOP)
		}
		to, err := os.Readlink(path)
		if err != nil {
			return err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(up, to)
		}
		return above(to, links)
	case !fi.IsDir():
		return fmt.Errorf("%s: %w", path, syscall.ENOTDIR)
	}
	return nil
}

// OpenFile opens a file in a private folder as [os.OpenFile] does, and makes it
// readable by this user alone. It follows no symbolic link, and it is an error
// when the file is not a regular file of this user's.
func OpenFile(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag|asIs, 0o600)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	switch {
	case err != nil:
	case !fi.Mode().IsRegular():
		err = fmt.Errorf("%s: %w: it is not a regular file; move it away", path, ErrForeign)
	case !mine(fi):
		err = fmt.Errorf("%s: %w: it belongs to another user; move it away", path, ErrForeign)
	case open(fi):
		err = f.Chmod(0o600)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
