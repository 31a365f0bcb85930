//go:build unix

package private

import (
	"io/fs"
	"os"
	"syscall"
)

// mine says whether a folder belongs to this user.
func mine(fi fs.FileInfo) bool {
	s, ok := fi.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}

// open says whether others may look in.
func open(fi fs.FileInfo) bool { return fi.Mode().Perm()&0o077 != 0 }
