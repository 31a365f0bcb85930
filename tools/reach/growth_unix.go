//go:build unix

package reach

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// diskOf returns which file system a folder is on, and how many bytes the user can still write
// there.
func diskOf(dir string) (id uint64, free int64, ok bool) {
	var s unix.Stat_t
	var f unix.Statfs_t
	if unix.Stat(dir, &s) != nil || unix.Statfs(dir, &f) != nil {
		return 0, 0, false
	}
	return uint64(s.Dev), int64(f.Bavail) * int64(f.Bsize), true //nolint:gosec,unconvert,nolintlint // types differ between systems
}

// blocksOf returns how many bytes a file takes on the disk.
func blocksOf(info os.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Blocks * 512
	}
	return info.Size()
}
