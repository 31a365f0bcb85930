package trust

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
)

// Cleared is an entry that may start, in the version in which that was decided. The zero
// value is a program that needs no approval.
type Cleared struct {
	Entry  Entry
	Folder string // whose settings name it
	Sum    string // [Look.Sum]
}

// Clear returns a look as an entry of a folder that may start.
func (l Look) Clear(folder string) Cleared { return Cleared{l.Entry, folder, l.Sum} }

// ErrChanged reports an entry that is not the one any more that was allowed to start.
var ErrChanged = errors.New("a file that it names was changed just now, after it was checked")

// Copy copies the files that the entry names into a private folder, and returns the
// copies by the absolute paths of the files, which may lead through links. Whoever starts
// the entry shows it the copies: they are what was allowed, whatever happens to the files.
// The error is [ErrChanged] if the files have changed meanwhile.
func (c Cleared) Copy(into string) (map[string]string, error) {
	if c.Sum == "" {
		return nil, nil
	}
	in, err := identify(cmp.Or(c.Entry.Home, c.Folder))
	if err != nil {
		return nil, err
	}
	copies, made := map[string]string{}, 0
	scripts, err := c.Entry.scripts(in.Path, func(path string) (io.WriteCloser, error) {
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			return nil, err
		}
		info, err := os.Stat(real)
		if err != nil {
			return nil, err
		}
		made++
		to := filepath.Join(into, strconv.Itoa(made))
		copies[path] = to
		return os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm()|0o600)
	})
	if err != nil {
		return nil, fmt.Errorf("copy what was approved: %w", err)
	}
	if c.Entry.sum(scripts) != c.Sum {
		return nil, ErrChanged
	}
	return copies, nil
}
