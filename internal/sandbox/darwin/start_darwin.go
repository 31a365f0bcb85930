package darwin

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/emendo-dev/emendo/internal/sandbox/process"
	"github.com/emendo-dev/emendo/internal/sandbox/profile"
	"github.com/emendo-dev/emendo/internal/sandbox/toolchain"
)

// StartInSeatbelt starts a command at level B, confined by Seatbelt.
func StartInSeatbelt(ctx context.Context, c process.Command) (process.Process, error) {
	var listener *os.File
	port, outlet, key := 0, "", ""
	if c.Profile.HasOutlet() && len(c.Profile.Network.Hosts) > 0 {
		var err error
		if key, err = process.NewKey(); err != nil {
			return nil, err
		}
		if listener, port, err = listenOnLoopback(); err != nil {
			return nil, fmt.Errorf("make a way out for a command: %w", err)
		}
		outlet = profile.OutletAddress(port, key)
	}
	c.Argv = append([]string{"/usr/bin/sandbox-exec", "-p", seatbelt(c.Profile, port)}, c.Argv...)
	c.Env = toolchain.ConfinedEnvironment(c.Env, c.Profile, c.Profile.Temp, outlet)
	p, err := process.Start(ctx, c, process.Supervision{Level: profile.Restricted})
	switch {
	case err != nil && listener != nil:
		listener.Close()
		return nil, err
	case err != nil:
		return nil, err
	case listener != nil:
		p.ServeOutlet(ctx, c.Profile.Outlet, profile.WayOut{Proxy: listener, Hosts: c.Profile.Network.Hosts, Key: key})
	}
	return p, nil
}

// listenOnLoopback returns a listening socket and its port.
func listenOnLoopback() (*os.File, int, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, 0, err
	}
	unix.CloseOnExec(fd)
	f := os.NewFile(uintptr(fd), "outlet")
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		f.Close()
		return nil, 0, err
	}
	if err := unix.Listen(fd, unix.SOMAXCONN); err != nil {
		f.Close()
		return nil, 0, err
	}
	at, err := unix.Getsockname(fd)
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	in4, ok := at.(*unix.SockaddrInet4)
	if !ok {
		f.Close()
		return nil, 0, errors.New("its address is of another kind")
	}
	return f, in4.Port, nil
}
