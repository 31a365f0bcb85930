// Package dial connects to the editor that started emendo with an address, and
// checks that the listener there is the user's own. It knows nothing of what is
// sent.
package dial

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
)

// ErrOtherUser means that another user listens at the address.
var ErrOtherUser = errors.New("the listener belongs to another user, who could run commands in your name")

// Pipe connects to the Unix socket or named pipe that an editor listens on.
func Pipe(ctx context.Context, path string) (io.ReadWriteCloser, error) {
	return checked(dialPipe(ctx, path))
}

// Port connects to the port of the loopback interface that an editor listens on.
func Port(ctx context.Context, port int) (io.ReadWriteCloser, error) {
	var d net.Dialer
	return checked(d.DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))))
}

// checked closes a connection to a listener of another user. A named pipe of
// Windows has an access list.
func checked(c io.ReadWriteCloser, err error) (io.ReadWriteCloser, error) {
	nc, ok := c.(net.Conn)
	if err != nil || !ok {
		return c, err
	}
	if err := ofUser(nc); err != nil {
		return nil, errors.Join(err, nc.Close())
	}
	return c, nil
}

// ofUser checks that the process at the other end of a connection runs as this
// user or as root.
func ofUser(c net.Conn) error {
	var uid int
	var err error
	switch c := c.(type) {
	case *net.UnixConn:
		uid, err = unixPeer(c)
	case *net.TCPConn:
		uid, err = tcpPeer(c)
	default:
		return fmt.Errorf("a connection of type %T", c)
	}
	if err != nil {
		return fmt.Errorf("find the owner of the listener: %w", err)
	}
	if uid != 0 && uid != thisUser() {
		return ErrOtherUser
	}
	return nil
}
