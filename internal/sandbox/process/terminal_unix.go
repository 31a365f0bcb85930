//go:build unix

package process

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// noControl prevents a terminal from becoming the server's controlling terminal.
const noControl = syscall.O_NOCTTY

// resize sets the size of a terminal. Package pty would make its reads block.
func resize(f *os.File, rows, columns uint16) error {
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	failed := c.Control(func(fd uintptr) {
		err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns})
	})
	if failed != nil {
		return failed
	}
	return err
}
