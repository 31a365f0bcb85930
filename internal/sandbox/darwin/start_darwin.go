package darwin

import (
	"context"
	"fmt"
	"net"
	"os"

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
	l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, 0, err
	}
	defer l.Close() // the file is a socket of its own
	f, err := l.File()
	return f, l.Addr().(*net.TCPAddr).Port, err
}
