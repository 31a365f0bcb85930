package disk

import (
	"io/fs"
	"os"
	"slices"
	"sync"
)

// mostMade bounds how many of the files and folders that were made last are known.
const mostMade = 500

// made knows the files and folders that this process has made last, whatever tree they are in:
// who guards a folder against others must not take them for theirs.
var made struct {
	sync.Mutex
	all []madeFile // oldest first
}

type madeFile struct {
	path string
	info fs.FileInfo
}

// noteMade adds what was just made at a path.
func noteMade(path string) {
	info, err := os.Lstat(path)
	if err != nil {
		return // somebody has removed it
	}
	made.Lock()
	defer made.Unlock()
	made.all = append(made.all, madeFile{path, info})
	made.all = slices.Delete(made.all, 0, max(0, len(made.all)-mostMade))
}

// Made reports whether this process has made what is at an absolute path, and no file of it has
// been changed since.
func Made(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	made.Lock()
	defer made.Unlock()
	return slices.ContainsFunc(made.all, func(m madeFile) bool {
		return m.path == path && os.SameFile(m.info, info) && (info.IsDir() || m.info.ModTime().Equal(info.ModTime()))
	})
}
