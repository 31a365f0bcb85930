//go:build unix && !linux

package trust

import (
	"io/fs"
	"syscall"
)

// number returns what the file system knows the folder at path by.
func number(path string) (folder, error) {
	var s syscall.Stat_t
	if err := syscall.Stat(path, &s); err != nil {
		return folder{}, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	return folder{Device: uint64(s.Dev), File: uint64(s.Ino)}, nil
}
