//go:build linux || darwin

package buffers

import (
	"errors"
	"net"
)

// onSocket calls f with the descriptor of a connection.
func onSocket(c net.Conn, f func(fd int) error) error {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return errors.New("not a Unix socket")
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return err
	}
	var asked error
	if err := raw.Control(func(fd uintptr) { asked = f(int(fd)) }); err != nil {
		return err
	}
	return asked
}
