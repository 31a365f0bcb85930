package profile

import (
	"context"
	"os"
	"strconv"
)

// An Outlet is the only way out of a command's own network. It serves a proxy to
// the given hosts on a listening socket in that network until ctx ends, and then
// closes the socket.
type Outlet func(ctx context.Context, listener *os.File, hosts []string)

// OutletAddress returns the proxy address for programs, on loopback.
func OutletAddress(port int) string { return "http://127.0.0.1:" + strconv.Itoa(port) }

// HasOutlet reports whether commands reach some hosts through an [Outlet].
func (p *Profile) HasOutlet() bool {
	return p.Outlet != nil && !p.Network.All && len(p.Network.Hosts) > 0
}
