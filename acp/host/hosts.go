package host

import (
	"context"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/acp/client"
	"github.com/emendo-dev/emendo/acp/failure"
	"github.com/emendo-dev/emendo/agent"
)

// Hosts are the hosts of one client, and the sessions that it has opened.
type Hosts struct {
	Client *client.Client
	// Make makes the host of a folder. It is called off the read loop, once for each
	// folder, and again after it failed.
	Make func(folder string) (*Host, error)

	mu       sync.Mutex
	folders  map[string]*attempt
	sessions map[string]*Session
	latest   map[string]string // the session of a folder that was used last
}

// attempt makes a host.
type attempt struct {
	done chan struct{} // closed when host and err are set
	host *Host
	err  error
}

// Session is a session that the client has opened.
type Session struct {
	ID     string
	Host   *Host
	Folder string   // of the host
	Added  []string // folders that the client has added since the session was created
	// used is set by MarkUsed, whose first caller tells the user that the folder is
	// restricted, and the host's warnings. Guarded by the mutex of Hosts.
	used bool
}

// Agent returns the agent's session. It is opened again if it was closed meanwhile.
func (s *Session) Agent(ctx context.Context) (*agent.Session, error) {
	return s.Host.Agent.Session(ctx, s.ID)
}

// ForFolder returns the host of a folder, and makes it if there is none.
func (h *Hosts) ForFolder(ctx context.Context, folder string) (*Host, error) {
	h.mu.Lock()
	a := h.folders[folder]
	if a == nil {
		a = &attempt{done: make(chan struct{})}
		if h.folders == nil {
			h.folders = map[string]*attempt{}
		}
		h.folders[folder] = a
		h.Client.Go(func() { h.start(folder, a) })
	}
	h.mu.Unlock()
	select {
	case <-a.done:
		return a.host, a.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-h.Client.Life().Done(): // the attempt may never have begun
		return nil, context.Cause(h.Client.Life())
	}
}

func (h *Hosts) start(folder string, a *attempt) {
	defer close(a.done)
	a.err = h.Client.Contain(func() (err error) {
		a.host, err = h.Make(folder)
		return err
	})
	if a.err != nil {
		h.Client.Log.Error("the agent did not start", "folder", folder, "error", a.err)
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.folders, folder)
	}
}

// Open notes that the client has opened a session, or opened it again.
func (h *Hosts) Open(s *Session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.sessions == nil {
		h.sessions, h.latest = map[string]*Session{}, map[string]string{}
	}
	if before := h.sessions[s.ID]; before != nil {
		s.used = before.used
	}
	h.sessions[s.ID], h.latest[s.Folder] = s, s.ID
}

// Session returns a session that the client has opened.
func (h *Hosts) Session(id string) (*Session, error) {
	if id == "" {
		return nil, failure.Invalid("sessionId is missing")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sessions[id]
	if s == nil {
		return nil, failure.Unknown("session %q is not open: create it with session/new, or open it with session/load or session/resume", id)
	}
	return s, nil
}

// MarkUsed notes that a session is used, and reports whether that is for the first time.
func (h *Hosts) MarkUsed(s *Session) (first bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.latest[s.Folder] = s.ID
	first, s.used = !s.used, true
	return first
}

// Latest returns the ID of the open session in a folder that was used last, or "".
func (h *Hosts) Latest(folder string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.latest[folder]
}

// Forget notes that the client has closed a session. Another one of its folder takes its
// place as the latest, since clients refuse what names a session that they have closed.
func (h *Hosts) Forget(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sessions[id]
	delete(h.sessions, id)
	if s == nil || h.latest[s.Folder] != id {
		return
	}
	delete(h.latest, s.Folder)
	for _, other := range h.sessions {
		if other.Folder == s.Folder {
			h.latest[s.Folder] = other.ID
		}
	}
}

// startedHosts returns the hosts that were made.
func (h *Hosts) startedHosts() (l []*Host) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range h.folders {
		select {
		case <-a.done:
			if a.host != nil {
				l = append(l, a.host)
			}
		default:
		}
	}
	return l
}

// Save reports whether a host has an editor that can be asked to save.
func (h *Hosts) Save() bool {
	return slices.ContainsFunc(h.startedHosts(), func(x *Host) bool { return x.Saves != nil && x.Saves() })
}

// Close closes all hosts.
func (h *Hosts) Close() {
	var all sync.WaitGroup
	for _, x := range h.startedHosts() {
		all.Go(func() {
			x.Agent.Close()
			if x.Close == nil {
				return
			}
			if err := x.Close(); err != nil {
				h.Client.Log.Error("close the host", "error", err)
			}
		})
	}
	all.Wait()
}
