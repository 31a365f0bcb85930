//go:build unix && !linux

package trust

import (
	"io/fs"
	"syscall"
)

// number identifies the folder at path in the file system.
func number(path string) (Folder, error) {
	var s syscall.Stat_t
	if err := syscall.Stat(path, &s); err != nil {
		return Folder{}, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	return Folder{Device: uint64(s.Dev), File: uint64(s.Ino)}, nil
}
