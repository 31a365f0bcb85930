package client

import (
	"context"
	"sync"

	"github.com/emendo-dev/emendo/agent"
)

// Lazy is the host of a server, made off the read loop when it is first needed,
// and again after an attempt that failed.
type Lazy struct {
	Client *Client
	Server Server

	mu      sync.Mutex
	attempt chan struct{} // closed at the end of the attempt under way; nil when there is none
	host    *Host         // nil until an attempt succeeded
	err     error         // of the last attempt
}

// Now returns the host, or nil if there is none yet.
func (l *Lazy) Now() *Host {
	h, _ := l.State()
	return h
}

// State returns the host, or why the last attempt to make it failed. Before the
// end of the first attempt both are nil.
func (l *Lazy) State() (*Host, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.host, l.err
}

// Need returns the host and makes it if there is none.
func (l *Lazy) Need(ctx context.Context) (*Host, error) {
	l.mu.Lock()
	if l.host != nil {
		defer l.mu.Unlock()
		return l.host, nil
	}
	if l.attempt == nil {
		l.attempt = make(chan struct{})
		l.Client.Go(l.start)
	}
	attempt := l.attempt
	l.mu.Unlock()
	select {
	case <-attempt:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-l.Client.Life().Done(): // the attempt may never have begun
		return nil, context.Cause(l.Client.Life())
	}
	return l.State()
}

// start makes one attempt.
func (l *Lazy) start() {
	var h *Host
	err := l.Client.Contain(func() (err error) {
		h, err = l.Server.MakeHost()
		return err
	})
	if err != nil {
		l.Client.Log.Error("the agent did not start", "error", err)
	}
	l.mu.Lock()
	l.host, l.err = h, err
	close(l.attempt)
	l.attempt = nil
	l.mu.Unlock()
	l.Server.HostTried()
}

// Close closes the host, if one was made.
func (l *Lazy) Close() {
	h := l.Now()
	if h == nil {
		return
	}
	h.Agent.Close()
	if h.Close != nil {
		if err := h.Close(); err != nil {
			l.Client.Log.Error("close the host", "error", err)
		}
	}
}

// Session returns a session of the host, and opens a stored one.
func (l *Lazy) Session(ctx context.Context, id string) (*agent.Session, error) {
	if err := Need(id, "sessionId"); err != nil {
		return nil, err
	}
	h, err := l.Need(ctx)
	if err != nil {
		return nil, err
	}
	return h.Agent.Session(ctx, id)
}
