//go:build linux

package linux

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/sandbox/process"
	"github.com/emendo-dev/emendo/internal/sandbox/profile"
)

// outletPort is the port of the outlet in a command's own network.
const outletPort = 3128

// An outlet is the way out of a command that is about to start. The zero value is none.
type outlet struct {
	way  profile.WayOut // without sockets, until the command's own network is there
	port int            // of the proxy; 0: there is no way out
}

// openOutlet returns the way out of a command, in the network n or in one of its own.
func openOutlet(p *profile.Profile, n *process.Network) (outlet, error) {
	if !p.HasOutlet() {
		return outlet{}, nil
	}
	key, err := process.NewKey()
	if err != nil {
		return outlet{}, err
	}
	o := outlet{way: profile.WayOut{Hosts: p.Network.Hosts, Key: key}, port: outletPort}
	if n != nil {
		if o.way.Proxy, o.way.Names, o.port, err = n.Enter(); err != nil {
			return outlet{}, fmt.Errorf("make a way out: %w", err)
		}
		o.way.Lost = n.Lost()
	}
	return o, nil
}

// address returns the address of the proxy, as programs read it; empty if there is none.
func (o outlet) address() string {
	if o.port == 0 {
		return ""
	}
	return profile.OutletAddress(o.port, o.way.Key)
}

func (o outlet) close() { process.CloseAll([]*os.File{o.way.Proxy, o.way.Names}) }

// resolverFile is where programs read whom to ask for the addresses of names.
const resolverFile = "/etc/resolv.conf"

// resolve has the programs of a view ask o for the addresses of names. A machine without such
// a file has none that could be replaced, and programs ask at 127.0.0.1, where nobody answers.
func (v *view) resolve(o outlet) {
	if o.port == 0 {
		return
	}
	at := paths.Resolve(resolverFile)
	if paths.WithinAny(at, profile.SystemFolders) && !paths.IsFile(at) {
		return
	}
	text := fmt.Sprintf("nameserver %s\noptions timeout:1 attempts:1\n", profile.NamesAddress(o.port))
	v.Mounts = append(v.Mounts, mount{Kind: textFile, Target: at, Text: text})
}

// startIsolated starts a command at level A, with the outlet that was opened for it.
func startIsolated(ctx context.Context, c process.Command, conf confinement, o process.Supervision, out outlet) (p *process.Supervised, err error) {
	defer func() {
		if err != nil {
			out.close()
		}
	}()
	o.Confinement = conf
	c = isolated(c, out.address())
	if out.port == 0 {
		return process.Start(ctx, c, o)
	}
	if o.In != nil {
		if p, err = process.Start(ctx, c, o); err != nil {
			return nil, err
		}
		p.ServeOutlet(ctx, c.Profile.Outlet, out.way)
		return p, nil
	}
	ours, theirs, err := process.SocketPair()
	if err != nil {
		return nil, fmt.Errorf("make a socket for a command's way out: %w", err)
	}
	defer ours.Close()
	o.Files = append(slices.Clone(o.Files), theirs)
	conf.Isolation.Outlet = process.ControlFD + len(o.Files)
	p, err = process.Start(ctx, c, o)
	theirs.Close()
	if err != nil {
		return nil, err
	}
	l, err := takeFiles(ours) // they were sent before the command was started
	if err != nil {
		p.Kill(0)
		return nil, fmt.Errorf("take a command's way out: %w", err)
	}
	out.way.Proxy = l[0]
	if len(l) > 1 {
		out.way.Names = l[1]
	}
	p.ServeOutlet(ctx, c.Profile.Outlet, out.way)
	return p, nil
}

// sendOutlet makes the sockets of the outlet in this process's network namespace and sends
// them to the server. Without the right to use [profile.NamesPort] there is one for the proxy
// alone.
func sendOutlet(to int) error {
	fd, _, err := process.Bound(unix.SOCK_STREAM, netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), outletPort))
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := unix.Listen(fd, unix.SOMAXCONN); err != nil {
		return fmt.Errorf("make a way out: %w", err)
	}
	fds := []int{fd}
	if names, _, err := process.Bound(unix.SOCK_DGRAM, netip.AddrPortFrom(profile.NamesAddress(outletPort), profile.NamesPort)); err == nil {
		defer unix.Close(names)
		fds = append(fds, names)
	}
	if err := unix.Sendmsg(to, []byte{0}, unix.UnixRights(fds...), nil, 0); err != nil {
		return fmt.Errorf("send the way out: %w", err)
	}
	return unix.Close(to)
}

// takeFiles receives the files that were sent through a socket.
func takeFiles(from *os.File) ([]*os.File, error) {
	c, err := from.SyscallConn()
	if err != nil {
		return nil, err
	}
	var fds []int
	var failed error
	err = c.Read(func(fd uintptr) bool {
		_, fds, failed = process.ReceiveFiles(int(fd))
		return !errors.Is(failed, unix.EAGAIN)
	})
	switch {
	case err != nil:
		return nil, err
	case failed != nil:
		return nil, failed
	case len(fds) == 0:
		return nil, errors.New("it was not sent")
	}
	var l []*os.File
	for _, fd := range fds {
		l = append(l, os.NewFile(uintptr(fd), "outlet"))
	}
	return l, nil
}
