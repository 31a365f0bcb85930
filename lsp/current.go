package lsp

import (
	"context"
	"errors"
	"sync"

	"github.com/emendo-dev/emendo/agent"
)

// currentSession is the one that commands mean when they name none: the last
// that was prompted or made by a command.
type currentSession struct {
	making sync.Mutex // held while one is made

	mu sync.Mutex
	id string
}

func (c *currentSession) get() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.id
}

func (c *currentSession) set(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.id = id
}

func (c *currentSession) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.id == id {
		c.id = ""
	}
}

// commandSession is the session that a command means.
func (s *server) commandSession(ctx context.Context, id string) (*agent.Session, error) {
	if id != "" {
		return s.session(ctx, id)
	}
	if _, err := s.needHost(ctx); err != nil {
		return nil, err
	}
	s.current.making.Lock() // two commands at once have one session
	defer s.current.making.Unlock()
	if id := s.current.get(); id != "" {
		ses, err := s.session(ctx, id)
		if !errors.Is(err, agent.ErrUnknownSession) { // it may have been deleted elsewhere
			return ses, err
		}
	}
	ses, err := s.createSession(ctx, newSessionParams{})
	if err != nil {
		return nil, err
	}
	s.current.set(ses.ID())
	return ses, nil
}
