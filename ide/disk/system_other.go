//go:build !unix

package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

const (
	nonBlocking    = 0
	onlyFolders    = 0
	canSyncFolders = false
)

// owner is the owner of a file and the number of its hard links.
type owner struct {
	uid, gid int
	links    uint64
	known    bool
}

func ownerOf(fs.FileInfo) owner { return owner{links: 1} }

// tryLock always reports true: a file that is open cannot be removed here.
func tryLock(*os.File) (bool, error) { return true, nil }

// renameInto is not supported: it would have to use the names of both folders,
// which may lead elsewhere by now.
func renameInto(*os.Root, string, *os.Root, string) error {
	return fmt.Errorf("%w: a file cannot move to another folder on this system; write a new one and remove the old", errors.ErrUnsupported)
}
