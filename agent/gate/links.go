package gate

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/protect"
	"github.com/emendo-dev/emendo/internal/secret"
)

// files implements [policy.Files] for a call of a session. It finds other names of files by
// hard links; few files have any, so it looks for them only then.
type files struct {
	gate  *Gate
	facts Facts
	place protect.Place
}

// Real implements [policy.Files].
func (files) Real(path string) string { return disk.RealPath(path) }

// Level implements [policy.Files].
func (f files) Level(path string) protect.Level { return f.place.At(path) }

// IsPlan implements [policy.Files].
func (f files) IsPlan(path string) bool {
	return f.facts.Private != nil && f.facts.Private.IsPlan(path)
}

// Held implements [policy.Files].
func (f files) Held() func(path string) bool {
	if f.gate.o.Held == nil {
		return nil
	}
	return f.gate.o.Held(f.facts.Folders)
}

// WasSecret implements [policy.Files].
func (f files) WasSecret(path string) bool {
	return f.gate.secrets.holdSecret(path) || f.toSecret(path)
}

// maxNames bounds the files among which other names are looked for.
const maxNames = 100_000

// linked returns a file of the workspace that has more than one name, by its absolute path
// without links.
func (f files) linked(path string) (info disk.Info, at disk.Path, ok bool) {
	at, err := f.facts.Folders.Resolve(path)
	if path == "" || err != nil {
		return disk.Info{}, at, false
	}
	info, err = f.facts.Folders.Stat(at)
	return info, at, err == nil && info.Mode().IsRegular() && info.Links > 1
}

// Leaves implements [policy.Files]: it reports whether a file has names that are not in the
// workspace, or may have.
func (f files) Leaves(path string) bool {
	info, _, ok := f.linked(path)
	if !ok {
		return false
	}
	missing, seen := info.Links, 0
	for _, root := range f.facts.Folders.Folders() {
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
func (f files) toSecret(path string) bool {
	info, at, ok := f.linked(path)
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
