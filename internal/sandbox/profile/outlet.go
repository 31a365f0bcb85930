package profile

import (
	"context"
	"net/netip"
	"os"
	"strconv"
)

// An Outlet is the only way out of a command's network. It serves the sockets of a way out
// until ctx ends, and then closes them.
type Outlet func(ctx context.Context, w WayOut)

// A WayOut has the sockets that an [Outlet] serves.
type WayOut struct {
	// Proxy is a listening socket in the command's network, for a proxy to Hosts. Other
	// commands may be in the network, so it serves only whoever knows Key.
	Proxy *os.File
	Hosts []string
	Key   string
	// Names is a datagram socket for questions about the names of hosts, at an address that
	// only this command is told; nil: there is none.
	Names *os.File
	// Lost reports whether something in the network has tried to reach an address outside
	// since the command started. Call it when the outlet's ctx has ended; nil: nobody knows.
	Lost func() bool
}

// OutletUser is the name that goes with the key of an [Outlet].
const OutletUser = "emendo"

// OutletAddress returns the proxy address for programs, on loopback.
func OutletAddress(port int, key string) string {
	return "http://" + OutletUser + ":" + key + "@127.0.0.1:" + strconv.Itoa(port)
}

// NamesPort is the port at which programs ask for the addresses of names.
const NamesPort = 53

// NamesAddress returns the loopback address for questions about names that goes with the port
// of a proxy. No two commands of a network have the same one.
func NamesAddress(port int) netip.Addr {
	return netip.AddrFrom4([4]byte{127, 83, byte(port >> 8), byte(port)}) //nolint:gosec // a port has two bytes
}

// HasOutlet reports whether commands have an [Outlet]: those of a session, which learn from it
// that a host is closed, and those that may reach some hosts.
func (p *Profile) HasOutlet() bool {
	return p.Outlet != nil && !p.Network.All && (p.Session != "" || len(p.Network.Hosts) > 0)
}
