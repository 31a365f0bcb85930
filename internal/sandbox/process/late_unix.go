//go:build unix

package process

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// readNow reads what a pipe or terminal has now, whatever its deadline. It does not wait: if
// there is nothing, it returns 0 and no error.
func readNow(f *os.File, b []byte) (n int, err error) {
	c, err := f.SyscallConn()
	if err != nil {
		return 0, err
	}
	closed := c.Control(func(fd uintptr) {
		ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		if _, err = again(func() (int, error) { return unix.Poll(ready, 0) }); err != nil || ready[0].Revents == 0 {
			return // a terminal may block
		}
		if n, err = again(func() (int, error) { return unix.Read(int(fd), b) }); n == 0 && err == nil {
			err = io.EOF
		}
	})
	if closed != nil {
		return 0, closed
	}
	return max(n, 0), err
}

// again repeats a system call while signals interrupt it.
func again(call func() (int, error)) (n int, err error) {
	for n, err = call(); err == unix.EINTR; n, err = call() {
	}
	return n, err
}
