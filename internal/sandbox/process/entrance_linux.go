package process

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/emendo-dev/emendo/internal/sandbox/profile"
)

// Enter returns two sockets in the network for one command, which whoever serves them closes:
// one that listens on a free port of its loopback interface, and one for questions about
// names, see [profile.NamesAddress].
func (n *Network) Enter() (proxy, names *os.File, port int, err error) {
	l, err := n.ask(holding{Listen: true})
	if err == nil && len(l) != 2 {
		err = errors.New("the holder of the commands' network sent no sockets")
	}
	var at unix.Sockaddr
	if err == nil {
		at, err = unix.Getsockname(int(l[0].Fd()))
	}
	if err != nil {
		CloseAll(l)
		return nil, nil, 0, err
	}
	return l[0], l[1], at.(*unix.SockaddrInet4).Port, nil
}

// Lost returns a function that counts again what was sent without a way out, and reports
// whether that is more than before.
func (n *Network) Lost() func() bool {
	before := n.lost.Load()
	return func() bool {
		now, err := n.unrouted()
		if err != nil {
			return true // perhaps
		}
		n.lost.Store(now)
		return now > before
	}
}

// listen returns the sockets of [Network.Enter].
func listen() ([]int, error) {
	tcp, port, err := Bound(unix.SOCK_STREAM, netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), 0))
	if err != nil {
		return nil, err
	}
	if err := unix.Listen(tcp, unix.SOMAXCONN); err != nil {
		unix.Close(tcp)
		return nil, fmt.Errorf("listen on loopback: %w", err)
	}
	udp, _, err := Bound(unix.SOCK_DGRAM, netip.AddrPortFrom(profile.NamesAddress(port), profile.NamesPort))
	if err != nil {
		unix.Close(tcp)
		return nil, err
	}
	return []int{tcp, udp}, nil
}

// Bound returns a socket of this process's network that is bound to an address, and its port.
func Bound(kind int, to netip.AddrPort) (fd, port int, err error) {
	fd, err = unix.Socket(unix.AF_INET, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, 0, os.NewSyscallError("socket", err)
	}
	err = unix.Bind(fd, &unix.SockaddrInet4{Addr: to.Addr().As4(), Port: int(to.Port())})
	var at unix.Sockaddr
	if err == nil {
		at, err = unix.Getsockname(fd)
	}
	if err != nil {
		unix.Close(fd)
		return -1, 0, fmt.Errorf("make a way out at %s: %w", to, err)
	}
	return fd, at.(*unix.SockaddrInet4).Port, nil
}

// counters are the files with the counters of a network, of both protocols. The second need
// not be there.
var counters = []string{"/proc/self/net/snmp", "/proc/self/net/snmp6"}

// openCounters opens those of this process's network.
func openCounters() ([]int, error) {
	var fds []int
	for i, name := range counters {
		fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil && i == 0 {
			return nil, &os.PathError{Op: "open", Path: name, Err: err}
		}
		if err == nil {
			fds = append(fds, fd)
		}
	}
	return fds, nil
}

// unrouted returns how many packets of the network had no way to their address.
func (n *Network) unrouted() (all uint64, err error) {
	text := make([]byte, 16<<10)
	for _, f := range n.counters {
		size, err := f.ReadAt(text, 0)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		var names []string // of the numbers in the next line of the first file
		for line := range strings.Lines(string(text[:size])) {
			l := strings.Fields(line)
			switch {
			case len(l) == 2 && l[0] == "Ip6OutNoRoutes":
				names, l = l[:1], l[1:]
			case len(l) == 0 || l[0] != "Ip:":
				continue
			}
			for i, name := range names {
				if strings.HasSuffix(name, "OutNoRoutes") && i < len(l) {
					n, err := strconv.ParseUint(l[i], 10, 64)
					if err != nil {
						return 0, err
					}
					all += n
				}
			}
			names = l
		}
	}
	return all, nil
}
