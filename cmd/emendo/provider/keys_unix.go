//go:build unix

package provider

import (
	"io/fs"
	"os"
	"syscall"
)

// openAsIs follows no link, and does not wait for the other end of a pipe.
const openAsIs = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// ownFile reports whether a file belongs to this user.
func ownFile(fi fs.FileInfo) bool {
	s, ok := fi.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}
