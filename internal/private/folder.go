// Package private makes the folders in which emendo keeps files for one user
// alone, and refuses those that somebody else could have made. It knows nothing
// of what is kept.
package private

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ErrForeign says that a folder is not this user's to keep files in.
var ErrForeign = errors.New("the folder is not this user's own")

// Folder makes a folder with those that it is in, for this user alone. One that
// is there is closed to others; it is an error when it belongs to another user or
// is a link, through which somebody else may have led here.
func Folder(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	fi, err := os.Lstat(path)
	switch {
	case err != nil:
		return err
	case fi.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s: %w: it is a link; move it away", path, ErrForeign)
	case !fi.IsDir():
		return fmt.Errorf("%s: %w: it is no folder; move it away", path, ErrForeign)
	case !mine(fi):
		return fmt.Errorf("%s: %w: it belongs to another user; remove it or choose another with EMENDO_HOME", path, ErrForeign)
	case open(fi):
		return os.Chmod(path, 0o700)
	}
	return nil
}
