package process

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/emendo-dev/emendo/internal/sandbox/profile"
)

// An Entrance is two sockets in a network that the server holds: one that listens on a free
// port of its loopback interface, and one for questions about names, see
// [profile.NamesAddress].
type Entrance struct {
	Proxy, Names *os.File
	Port         int // of Proxy
}

// Close closes the sockets.
func (e Entrance) Close() { CloseAll([]*os.File{e.Proxy, e.Names}) }

// Enter returns an entrance to the network: the one that [Network.Prepare] has made, or a new
// one.
func (n *Network) Enter() (Entrance, error) {
	n.entering.Lock()
	next := n.next
	n.next = nil
	n.entering.Unlock()
	if next == nil {
		next = n.enter()
	}
	e := <-next
	return e.Entrance, e.err
}

// Prepare begins to make an entrance for the next command, which then starts sooner.
func (n *Network) Prepare() {
	n.entering.Lock()
	defer n.entering.Unlock()
	if n.next == nil && !n.closed {
		n.next = n.enter()
	}
}

// Lost returns a function that counts again what was sent without a way out, and reports
// whether that is more than before.
func (n *Network) Lost() func() bool {
	before := n.lost.Load()
	return func() bool {
		now, err := n.count()
		n.lost.Store(now)
		return err == nil && now > before
	}
}

// An entered is an [Entrance] that could be made, or not.
type entered struct {
	Entrance
	err error
}

// enter makes an entrance, in a goroutine that ends when it is made.
func (n *Network) enter() <-chan entered {
	made := make(chan entered, 1)
	go func() {
		l, err := n.ask(holding{Listen: true})
		if err == nil && len(l) != 2 {
			err = errors.New("the holder of the commands' network sent no sockets")
		}
		e := entered{err: err}
		if err == nil {
			e.Proxy, e.Names = l[0], l[1]
			var at unix.Sockaddr
			if at, e.err = unix.Getsockname(int(e.Proxy.Fd())); e.err == nil {
				e.Port = at.(*unix.SockaddrInet4).Port
			}
		}
		if e.err != nil {
			CloseAll(l)
		}
		made <- e
	}()
	return made
}

// listen returns the sockets of an [Entrance].
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

// unrouted returns how many packets of this process's network had no way to their address.
func unrouted() (uint64, error) {
	var all uint64
	text, err := os.ReadFile("/proc/self/net/snmp")
	if err != nil {
		return 0, err
	}
	var names []string // of the numbers in the next line
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] != "Ip:" {
			continue
		}
		for i, name := range names {
			if name == "OutNoRoutes" && i < len(f) {
				n, err := strconv.ParseUint(f[i], 10, 64)
				if err != nil {
					return 0, err
				}
				all += n
			}
		}
		names = f
	}
	text, _ = os.ReadFile("/proc/self/net/snmp6") // it need not have the other protocol
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "Ip6OutNoRoutes" {
			n, err := strconv.ParseUint(f[1], 10, 64)
			if err != nil {
				return 0, err
			}
			all += n
		}
	}
	return all, nil
}
