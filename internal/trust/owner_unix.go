//go:build unix

package trust

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// checkOwner refuses a file that somebody else could have written.
func checkOwner(info fs.FileInfo) error {
	if s, ok := info.Sys().(*syscall.Stat_t); ok && int(s.Uid) != os.Getuid() {
		return errors.New("it belongs to another user")
	}
	if info.Mode().Perm()&0o022 != 0 {
		return errors.New("others may write it (chmod 600 mends that)")
	}
	return nil
}
