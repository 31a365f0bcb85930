package process

import (
	"os"

	"golang.org/x/sys/unix"
)

// unblock returns a terminal whose reads end at their deadlines. Package pty makes every
// read block. It closes f.
func unblock(f *os.File) (*os.File, error) {
	defer f.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("dup", err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return nil, os.NewSyscallError("setnonblock", err)
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}
