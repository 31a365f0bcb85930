package disk

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// setGroups sets the groups of the calling thread alone.
func setGroups(groups []uint32) error {
	if _, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, uintptr(len(groups)), uintptr(unsafe.Pointer(&groups[0])), 0); errno != 0 {
		return errno
	}
	return nil
}
