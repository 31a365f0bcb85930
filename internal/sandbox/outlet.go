package sandbox

import (
	"context"
	"os"
	"slices"
	"strconv"
	"sync"
)

// An Outlet is the one way out of a network of a command's own, to some hosts:
// a proxy that answers on a listening socket within it until ctx ends, and
// closes it. It tells which hosts it turned away since there is no leave for them.
type Outlet func(ctx context.Context, listener *os.File, hosts []string, refused func(host string))

// outletPort is where commands find their outlet in a network of their own.
const outletPort = 3128

// outletAddress is how programs are told of it, on loopback.
func outletAddress(port int) string { return "http://127.0.0.1:" + strconv.Itoa(port) }

// refusals are the hosts that an outlet has turned away.
type refusals struct {
	mu    sync.Mutex
	hosts []string
}

func (r *refusals) add(host string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.hosts) < mostDenied && !slices.Contains(r.hosts, host) {
		r.hosts = append(r.hosts, host)
	}
}

func (r *refusals) list() []string {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(slices.Values(r.hosts))
}
