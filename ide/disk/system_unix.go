//go:build unix

package disk

import (
	"io/fs"
	"syscall"
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
