//go:build linux

package linux

import (
	"errors"
	"sync"

	"github.com/emendo-dev/emendo/internal/sandbox/process"
	"github.com/emendo-dev/emendo/internal/sandbox/profile"
)

// networks holds the networks that the commands of sessions share.
var networks struct {
	sync.Mutex
	by map[sharers]*shared
}

// sharers is what commands have in common that share a network.
type sharers struct{ session, means string }

// shared is a network that is made on first use.
type shared struct {
	sync.Once
	network *process.Network // nil: there can be none, so every command has its own
}

// networkOf returns the network of the profile's session, which create makes on first
// use. It returns nil if the command is to have its own.
func networkOf(p *profile.Profile, means string, create func() (*process.Network, error)) *process.Network {
	if p.Session == "" || p.Network.All {
		return nil
	}
	key := sharers{p.Session, means}
	for {
		networks.Lock()
		s := networks.by[key]
		if s == nil {
			s = &shared{}
			if networks.by == nil {
				networks.by = map[sharers]*shared{}
			}
			networks.by[key] = s
		}
		networks.Unlock()
		s.Do(func() { s.network, _ = create() }) // without one the command has its own
		if s.network == nil || s.network.Lives() {
			return s.network
		}
		networks.Lock()
		if networks.by[key] == s { // the kernel has ended it, as when memory runs out
			delete(networks.by, key)
		}
		networks.Unlock()
		s.network.Close()
	}
}

// inNetwork starts a command, once more if the holder of its network has just ended.
func inNetwork(start func() (*process.Supervised, error)) (*process.Supervised, error) {
	p, err := start()
	if errors.Is(err, process.ErrNoHolder) {
		return start()
	}
	return p, err
}

// EndSession ends what the commands of a session have shared. Call it when they have
// ended.
func EndSession(session string) {
	networks.Lock()
	var l []*shared
	for key, s := range networks.by {
		if key.session == session {
			l = append(l, s)
			delete(networks.by, key)
		}
	}
	networks.Unlock()
	for _, s := range l {
		s.Do(func() {}) // one may be on its way
		if s.network != nil {
			s.network.Close()
		}
	}
}
