package profile

import (
	"context"
	"os"
	"strconv"
)

// An Outlet is the only way out of a command's network. It serves a proxy to the given
// hosts on a listening socket in that network until ctx ends, and then closes the socket.
// Other commands may be in the network, so it serves only whoever knows the key.
type Outlet func(ctx context.Context, listener *os.File, hosts []string, key string)

// OutletUser is the name that goes with the key of an [Outlet].
const OutletUser = "emendo"

// OutletAddress returns the proxy address for programs, on loopback.
func OutletAddress(port int, key string) string {
	return "http://" + OutletUser + ":" + key + "@127.0.0.1:" + strconv.Itoa(port)
}

// HasOutlet reports whether commands reach some hosts through an [Outlet].
func (p *Profile) HasOutlet() bool {
	return p.Outlet != nil && !p.Network.All && len(p.Network.Hosts) > 0
}
