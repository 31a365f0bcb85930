//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// nonBlocking avoids that opening a pipe which replaced a file waits for the other
// end.
const nonBlocking = syscall.O_NONBLOCK

// onlyFolders makes opening anything else an error.
const onlyFolders = syscall.O_DIRECTORY

const canSyncFolders = true

// owner is the owner of a file and the number of its hard links.
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

// tryLock locks a file until it is closed, and reports false if it is locked already.
func tryLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// renameInto moves an entry from one folder to another. Both are handles, so no
// link on the way to either is followed.
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
