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

// owner is whose a file is, and how many names it has.
type owner struct {
	uid, gid int
	links    uint64
	known    bool
}

func ownerOf(fs.FileInfo) owner { return owner{links: 1} }

// renameInto would have to go by the names of both folders, which could lead
// elsewhere by now.
func renameInto(*os.Root, string, *os.Root, string) error {
	return fmt.Errorf("%w: here a file stays in its folder; write a new one and remove the old", errors.ErrUnsupported)
}
