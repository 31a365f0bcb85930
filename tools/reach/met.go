package reach

import (
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/internal/sandbox"
)

// Met lists what a command asked its way out for. Its methods are safe for concurrent use.
type Met struct {
	mu      sync.Mutex
	refused []string // hosts that may not be reached
	others  []string // what no permission for a host opens
	asked   []string // names that were looked up
	reached []string // hosts
	none    bool     // it tried no address that it could not reach
}

// Refused notes a host that the command may not reach.
func (m *Met) Refused(host string) { m.add(&m.refused, host) }

// Other notes what the command asked for in a way that permission for a host does not open: an
// address, or another port.
func (m *Met) Other(host string) { m.add(&m.others, host) }

// Asked notes the name of a host that the command looked up.
func (m *Met) Asked(name string) { m.add(&m.asked, name) }

// Reached notes a host that the command has reached.
func (m *Met) Reached(host string) { m.add(&m.reached, host) }

// Lost notes whether the command tried to reach addresses outside.
func (m *Met) Lost(packets bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.none = !packets
}

// onlyNames reports whether it is known that the command tried no address.
func (m *Met) onlyNames() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.none
}

// mostMet bounds each list.
const mostMet = 20

func (m *Met) add(to *[]string, host string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(*to) < mostMet && !slices.Contains(*to, host) {
		*to = append(*to, host)
	}
}

// denials returns what the command asked for in vain. A program that also asked the proxy for
// a name had looked it up for that.
func (m *Met) denials() sandbox.Denials {
	m.mu.Lock()
	defer m.mu.Unlock()
	names := slices.Concat(m.others, m.asked)
	names = slices.DeleteFunc(names, func(n string) bool { return slices.Contains(m.refused, n) || slices.Contains(m.reached, n) })
	slices.Sort(names)
	return sandbox.Denials{Hosts: slices.Sorted(slices.Values(m.refused)), Names: slices.Compact(names)}
}

// Hosts returns the hosts that the command has reached.
func (m *Met) Hosts() []string {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(slices.Values(m.reached))
}

// anything reports whether the command has reached a host.
func (m *Met) anything() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.reached) > 0
}
