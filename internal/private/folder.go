// Package private creates folders and files that only the current user can
// read, and rejects those that another user could have created or could
// replace. It does not know what they contain.
package private

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ErrForeign reports a folder or file that may not belong to this user only.
var ErrForeign = errors.New("it is not this user's own")

// maxLinks limits the number of symbolic links on the way to a folder.
const maxLinks = 40

// Folder creates a folder and its parents, readable by this user only. Access
// of others to an existing folder is removed. It is an error if the folder is a
// symbolic link, or if it or a parent belongs to another user than root.
// Parents may be links that belong to this user or root.
func Folder(path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	links := 0
	if err := above(filepath.Dir(path), &links); err != nil {
		return err
	}
	fi, err := makeFolder(path)
	switch {
	case err != nil:
		return err
	case fi.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s: %w: it is a symbolic link; move it away", path, ErrForeign)
	case !fi.IsDir():
		return fmt.Errorf("%s: %w: it is not a folder; move it away", path, ErrForeign)
	case !IsMine(fi):
		return fmt.Errorf("%s: %w: it belongs to another user; remove it or choose another with EMENDO_HOME", path, ErrForeign)
	case othersMayUse(fi):
		return os.Chmod(path, 0o700)
	}
	return nil
}

// makeFolder creates a folder unless the name exists, and returns its status.
func makeFolder(path string) (fs.FileInfo, error) {
	fi, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("%w; choose another folder with EMENDO_HOME", err)
		}
		return os.Lstat(path)
	}
	return fi, err
}

// above checks a parent of a private folder, and creates it if necessary.
func above(path string, links *int) error {
	up := filepath.Dir(path)
	if up == path {
		return nil // the root
	}
	if err := above(up, links); err != nil {
		return err
	}
	fi, err := makeFolder(path)
	switch {
	case err != nil:
		return err
	case !IsMine(fi) && !roots(fi):
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

// OpenFile opens a file in a private folder like [os.OpenFile], and makes it
// readable by this user only. It does not follow symbolic links, and returns an
// error if the file is not a regular file of this user.
func OpenFile(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag|AsIs, 0o600)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	switch {
	case err != nil:
	case !fi.Mode().IsRegular():
		err = fmt.Errorf("%s: %w: it is not a regular file; move it away", path, ErrForeign)
	case !IsMine(fi):
		err = fmt.Errorf("%s: %w: it belongs to another user; move it away", path, ErrForeign)
	case othersMayUse(fi):
		err = f.Chmod(0o600)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
