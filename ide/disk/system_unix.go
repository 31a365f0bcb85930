//go:build unix

package disk

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// nonBlocking keeps the opening of a pipe that has taken a file's place from
// waiting for its other end.
const nonBlocking = syscall.O_NONBLOCK

// onlyFolders makes opening anything else an error.
const onlyFolders = syscall.O_DIRECTORY

const canSyncFolders = true

// owner is whose a file is, and how many names it has.
type owner struct {
	uid, gid int
	links    uint64
	known    bool
}

func ownerOf(fi fs.FileInfo) owner {
	s, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return owner{links: 1}
	}
	return owner{int(s.Uid), int(s.Gid), uint64(s.Nlink), true} //nolint:unconvert // its width differs by system
}

// renameInto moves what a folder holds under a name into another one. Both are
// handles, so that no link on the way to either is followed.
func renameInto(from *os.Root, name string, to *os.Root, as string) error {
	a, err := from.Open(".")
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := to.Open(".")
	if err != nil {
		return err
	}
	defer b.Close()
	return unix.Renameat(int(a.Fd()), name, int(b.Fd()), as) //nolint:gosec // descriptors are small
}
