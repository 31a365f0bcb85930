//go:build linux || darwin

package buffers

import (
	"errors"
	"net"
	"os"
)

var errForeign = errors.New("the process at the other end is another user's")

// sameUser checks that the process at the other end of a connection is this user's.
func sameUser(c net.Conn) error {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return errors.New("not a Unix socket")
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return err
	}
	var uid int
	var asked error
	if err := raw.Control(func(fd uintptr) { uid, asked = peerUID(int(fd)) }); err != nil {
		return err
	}
	if asked == nil && uid != os.Geteuid() {
		return errForeign
	}
	return asked
}
