package dial

import (
	"errors"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

func thisUser() int { return os.Geteuid() }

// unixPeer asks the kernel who listened on a Unix socket.
func unixPeer(c *net.UnixConn) (int, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Xucred
	var failed error
	if err := raw.Control(func(fd uintptr) {
		cred, failed = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	}); err != nil {
		return 0, err
	}
	if failed != nil {
		return 0, os.NewSyscallError("getsockopt", failed)
	}
	return int(cred.Uid), nil
}

// tcpPeer fails: this system does not tell the owner of a connection.
func tcpPeer(*net.TCPConn) (int, error) {
	return 0, errors.New("this system does not tell the owner of a TCP connection; use --stdio or --pipe")
}
