//go:build linux

package linux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/emendo-dev/emendo/internal/sandbox/process"
	"github.com/emendo-dev/emendo/internal/sandbox/profile"
)

// outletPort is the port of the outlet in a command's own network.
const outletPort = 3128

// startIsolated starts a command at level A, with an outlet if it may reach some
// hosts.
func startIsolated(ctx context.Context, c process.Command, conf confinement, o process.Supervision) (*process.Supervised, error) {
	o.Confinement = conf
	if !c.Profile.HasOutlet() {
		return process.Start(ctx, isolated(c, ""), o)
	}
	key, err := process.NewKey()
	if err != nil {
		return nil, err
	}
	if o.In != nil {
		listener, port, err := o.In.Listen()
		if err != nil {
			return nil, fmt.Errorf("make a way out: %w", err)
		}
		p, err := process.Start(ctx, isolated(c, profile.OutletAddress(port, key)), o)
		if err != nil {
			listener.Close()
			return nil, err
		}
		p.ServeOutlet(ctx, c.Profile, listener, key)
		return p, nil
	}
	ours, theirs, err := process.SocketPair()
	if err != nil {
		return nil, fmt.Errorf("make a socket for a command's way out: %w", err)
	}
	defer ours.Close()
	o.Files = append(slices.Clone(o.Files), theirs)
	conf.Isolation.Outlet = process.ControlFD + len(o.Files)
	p, err := process.Start(ctx, isolated(c, profile.OutletAddress(outletPort, key)), o)
	theirs.Close()
	if err != nil {
		return nil, err
	}
	listener, err := takeFile(ours) // it was sent before the command was started
	if err != nil {
		p.Kill(0)
		return nil, fmt.Errorf("take a command's way out: %w", err)
	}
	p.ServeOutlet(ctx, c.Profile, listener, key)
	return p, nil
}

// openOutlet creates a listening socket in this process's network namespace and sends
// it to the server, which serves the outlet on it.
func openOutlet(to int) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("make a way out: %w", err)
	}
	defer unix.Close(fd)
	if err := unix.Bind(fd, &unix.SockaddrInet4{Port: outletPort, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return fmt.Errorf("make a way out: %w", err)
	}
	if err := unix.Listen(fd, unix.SOMAXCONN); err != nil {
		return fmt.Errorf("make a way out: %w", err)
	}
	if err := unix.Sendmsg(to, []byte{0}, unix.UnixRights(fd), nil, 0); err != nil {
		return fmt.Errorf("send the way out: %w", err)
	}
	return unix.Close(to)
}

// takeFile receives a file that was sent through a socket.
func takeFile(from *os.File) (*os.File, error) {
	c, err := from.SyscallConn()
	if err != nil {
		return nil, err
	}
	var fds []int
	var failed error
	err = c.Read(func(fd uintptr) bool {
		rights := make([]byte, unix.CmsgSpace(4))
		var n int
		_, n, _, _, failed = unix.Recvmsg(int(fd), make([]byte, 1), rights, unix.MSG_CMSG_CLOEXEC)
		if errors.Is(failed, unix.EAGAIN) {
			return false
		}
		if failed == nil {
			fds, failed = process.FilesIn(rights[:n])
		}
		return true
	})
	switch {
	case err != nil:
		return nil, err
	case failed != nil:
		return nil, failed
	case len(fds) != 1:
		return nil, errors.New("it was not sent")
	}
	return os.NewFile(uintptr(fds[0]), "outlet"), nil
}
