//go:build unix

package profile

import "golang.org/x/sys/unix"

// usable reports whether the user may read a path, or write it. What the user may not do was
// not denied by a sandbox.
func usable(path string, write bool) bool {
	mode := uint32(unix.R_OK)
	if write {
		mode = unix.W_OK
	}
	return unix.Faccessat(unix.AT_FDCWD, path, mode, unix.AT_EACCESS) == nil
}
