package buffers

import (
	"errors"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

var errForeign = errors.New("the process at the other end is another user's")

// sameUser checks that the process at the other end of a connection is this user's.
func sameUser(c net.Conn) error {
	return onSocket(c, func(fd int) error {
		who, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
		if err == nil && int(who.Uid) != os.Geteuid() {
			err = errForeign
		}
		return err
	})
}
