package chat

import (
	"sync"

	"github.com/emendo-dev/emendo/agent"
)

// Current is the session that commands mean when they name none: the last one
// that was prompted or made by a command.
type Current struct {
	making sync.Mutex // held while one is made

	mu      sync.Mutex
	session *agent.Session
}

// ID returns the ID of the session, or "".
func (c *Current) ID() string {
	if ses := c.Session(); ses != nil {
		return ses.ID()
	}
	return ""
}

// Session returns the session, or nil.
func (c *Current) Session() *agent.Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}

// Set makes a session the current one.
func (c *Current) Set(ses *agent.Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session = ses
}

// forget makes no session the current one, if that has the ID.
func (c *Current) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != nil && c.session.ID() == id {
		c.session = nil
	}
}
