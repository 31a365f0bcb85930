//go:build unix

package trust

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// checkOwner rejects a file that another user could have written.
func checkOwner(info fs.FileInfo) error {
	if s, ok := info.Sys().(*syscall.Stat_t); ok && int(s.Uid) != os.Getuid() {
		return errors.New("it belongs to another user")
	}
	if info.Mode().Perm()&0o022 != 0 {
		return errors.New("other users may write it: run chmod 600")
	}
	return nil
}
