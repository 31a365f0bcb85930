//go:build unix

package private

import (
	"io/fs"
	"os"
	"syscall"
)

// AsIs opens no symbolic links, and does not block on a pipe.
const AsIs = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// IsMine reports whether a folder or file belongs to this user.
func IsMine(fi fs.FileInfo) bool { return owner(fi) == os.Geteuid() }

// roots reports whether a folder belongs to root.
func roots(fi fs.FileInfo) bool { return owner(fi) == 0 }

func owner(fi fs.FileInfo) int {
	s, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return -1
	}
	return int(s.Uid)
}

// othersMayUse reports whether other users have access.
func othersMayUse(fi fs.FileInfo) bool { return fi.Mode().Perm()&0o077 != 0 }
