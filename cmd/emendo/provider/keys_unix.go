//go:build unix

package provider

import (
	"io/fs"
	"os"
	"syscall"
)

// openAsIs opens no link, and does not wait for the other end of a pipe.
const openAsIs = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// ownFile says whether a file is this user's.
func ownFile(fi fs.FileInfo) bool {
	s, ok := fi.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}
