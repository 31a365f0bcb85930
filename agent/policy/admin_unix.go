//go:build unix

package policy

import (
	"errors"
	"os"
	"syscall"
)

// checkAdmin rejects an administrator's file or directory that another user
// could have written.
func checkAdmin(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok && s.Uid != 0 {
		return errors.New("it is not owned by root, so it cannot be an administrator's")
	}
	if info.Mode().Perm()&0o022 != 0 {
		return errors.New("users other than root can write it (fix: chmod go-w)")
	}
	return nil
}
