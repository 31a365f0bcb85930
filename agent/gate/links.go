package gate

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/secret"
)

// links finds other names of files by hard links. Few files have any, so it looks for
// them only then.
type links struct{ folders *disk.Tree }

// maxNames bounds the files among which other names are looked for.
const maxNames = 100_000

// linked returns a file of the workspace that has more than one name, by its absolute path
// without links.
func (l links) linked(path string) (info disk.Info, at disk.Path, ok bool) {
	at, err := l.folders.Resolve(path)
	if path == "" || err != nil {
		return disk.Info{}, at, false
	}
	info, err = l.folders.Stat(at)
	return info, at, err == nil && info.Mode().IsRegular() && info.Links > 1
}

// leave reports whether a file has names that are not in the workspace, or may have.
func (l links) leave(path string) bool {
	info, _, ok := l.linked(path)
	if !ok {
		return false
	}
	missing, seen := info.Links, 0
	for _, root := range l.folders.Folders() {
		err := filepath.WalkDir(root, func(_ string, e fs.DirEntry, err error) error {
			if seen++; seen > maxNames {
				return errMany
			}
			if err != nil || !e.Type().IsRegular() {
				return nil //nolint:nilerr // it is not one of the names that are known
			}
			if other, err := e.Info(); err == nil && os.SameFile(other, info.FileInfo) {
				missing--
			}
			if missing == 0 {
				return fs.SkipAll
			}
			return nil
		})
		if missing == 0 || err != nil {
			break
		}
	}
	return missing > 0
}

var errMany = errors.New("too many files")

// toSecret reports whether a file is also called like a secret, in its folder or in one
// above in the workspace.
func (l links) toSecret(path string) bool {
	info, at, ok := l.linked(path)
	if !ok {
		return false
	}
	for dir := at.Abs; dir != at.Root && dir != filepath.Dir(dir); {
		dir = filepath.Dir(dir)
		entries, err := os.ReadDir(dir)
		if err != nil {
			return false
		}
		for _, e := range entries {
			if name := filepath.Join(dir, e.Name()); e.Type().IsRegular() && secret.Named(name) {
				if other, err := e.Info(); err == nil && os.SameFile(other, info.FileInfo) {
					return true
				}
			}
		}
	}
	return false
}
