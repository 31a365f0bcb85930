package process

import (
	"net"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// What a command has left at its entrance does not reach the next command, which gets the same.
func TestAnEntranceIsEmptyForTheNextCommand(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	proxy, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	names, err := c.(*net.UDPConn).File()
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []net.Addr{l.Addr(), c.LocalAddr(), c.LocalAddr()} {
		sent, err := net.Dial(at.Network(), at.String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sent.Write([]byte("who is example.com")); err != nil {
			t.Fatal(err)
		}
		sent.Close()
	}
	n := &Network{}
	n.Leave(Entrance{proxy, names, 1})
	e, err := n.Enter()
	if err != nil || e.Proxy != proxy || e.Names != names {
		t.Fatalf("got %v, %v", e, err)
	}
	waiting := []unix.PollFd{{Fd: int32(e.Proxy.Fd()), Events: unix.POLLIN}, {Fd: int32(e.Names.Fd()), Events: unix.POLLIN}} //nolint:gosec // descriptors
	if n, err := unix.Poll(waiting, 0); n != 0 || err != nil {
		t.Errorf("something is left: %+v, %v", waiting, err)
	}
	p, q, err := e.Open()
	if err != nil {
		t.Fatal(err)
	}
	CloseAll([]*os.File{p, q})
	n.Leave(e)
	n.Leave(e) // as two commands at once leave two
	if n.closed = true; len(n.left) != 2 {
		t.Errorf("%d entrances are left", len(n.left))
	}
	n.Leave(e)
	if _, err := e.Proxy.Stat(); err == nil {
		t.Error("an entrance of a closed network is open")
	}
}
