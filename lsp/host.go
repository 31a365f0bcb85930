package lsp

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/ide/disk"
)

// lazyHost is the host, made when it is first needed.
type lazyHost struct {
	mu    sync.Mutex
	being chan struct{} // closed when the attempt that is under way has ended; nil when none is
	host  *Host         // nil until one succeeded
	err   error         // of the last attempt
}

// now is the host if there is one already, else nil.
func (l *lazyHost) now() *Host {
	h, _ := l.state()
	return h
}

// state is the host, or why the last attempt to make it failed; neither before
// one has ended.
func (l *lazyHost) state() (*Host, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.host, l.err
}

// needHost gives the host and makes it when there is none.
func (s *server) needHost(ctx context.Context) (*Host, error) {
	l := &s.host
	l.mu.Lock()
	if l.host != nil {
		defer l.mu.Unlock()
		return l.host, nil
	}
	if l.being == nil {
		l.being = make(chan struct{})
		s.spawn(s.startHost)
	}
	being := l.being
	l.mu.Unlock()
	select {
	case <-being:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-s.life.Done(): // the attempt may never have begun
		return nil, context.Cause(s.life)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.host, l.err
}

// startHost makes one attempt.
func (s *server) startHost() {
	var h *Host
	err := s.contained(func() (err error) {
		h, err = s.makeHost()
		return err
	})
	if err != nil {
		s.log.Error("the agent did not start", "error", err)
	} else {
		h.Ledger.Watch(s.announce.note)
		h.Agent.WatchModels(s.modelsChanged)
		for _, w := range h.Warnings {
			s.tell(s.life, warningMessage, w)
		}
	}
	l := &s.host
	l.mu.Lock()
	l.host, l.err = h, err
	close(l.being)
	l.being = nil
	l.mu.Unlock()
	s.announce.touch()
}

func (s *server) makeHost() (*Host, error) {
	paths := s.openFolders()
	h, err := s.o.Start(s.life, Start{
		Client: (*client)(s), Editor: (*editor)(s), Workspace: s.workspace, Folders: paths, Holds: s.holds, Settings: s.settings, Trust: s.trust,
		Configuration: s.configuration.now, Warn: func(text string) { s.tell(s.life, warningMessage, text) },
	})
	if err != nil {
		return nil, fmt.Errorf("starting the agent: %w", err)
	}
	return h, nil
}

// openFolders gives the workspace the folders that exist.
func (s *server) openFolders() []string {
	s.folders.mu.Lock()
	defer s.folders.mu.Unlock()
	s.folders.open = true
	var paths []string
	_ = s.workspace.ChangeTree(func(*disk.Tree) (tree *disk.Tree, _ error) { // it cannot fail: folders that do not open are left out
		tree, paths = s.tree(s.folders.paths)
		return tree, nil
	})
	return paths
}

// tree opens those of the folders that can be opened.
func (s *server) tree(folders []string) (*disk.Tree, []string) {
	var paths []string
	for _, f := range folders {
		t, err := disk.NewTree([]string{f})
		if err != nil {
			s.log.Warn("a folder of the workspace is left out", "error", err)
			continue
		}
		paths = append(paths, t.Folders()...)
		if err := t.Close(); err != nil {
			s.log.Warn("a folder was not closed", "error", err)
		}
	}
	t, err := disk.NewTree(paths)
	if err != nil { // gone between the two
		s.log.Warn("the workspace has no folders", "error", err)
		t, _ = disk.NewTree(nil) // which opens none, so that none fails
		return t, nil
	}
	return t, paths
}

// close ends the host, if one was made.
func (l *lazyHost) close(log *slog.Logger) {
	h := l.now()
	if h == nil {
		return
	}
	h.Agent.Close()
	if h.Close != nil {
		if err := h.Close(); err != nil {
			log.Error("closing what the agent used", "error", err)
		}
	}
}

// session finds a session of the host, or opens a stored one.
func (s *server) session(ctx context.Context, id string) (*agent.Session, error) {
	if err := need(id, "sessionId"); err != nil {
		return nil, err
	}
	h, err := s.needHost(ctx)
	if err != nil {
		return nil, err
	}
	return h.Agent.Session(ctx, id)
}

// roots are the workspace's folders as sessions have them, those that exist;
// without any, where the process is.
func (s *server) roots() []string {
	s.folders.mu.Lock()
	defer s.folders.mu.Unlock()
	paths := make([]string, 0, len(s.folders.paths))
	for _, f := range s.folders.paths {
		if p := disk.RealPath(f); isFolder(p) && !slices.Contains(paths, p) {
			paths = append(paths, p)
		}
	}
	if len(paths) == 0 && s.o.Cwd != "" {
		paths = append(paths, disk.RealPath(s.o.Cwd))
	}
	return paths
}

func isFolder(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}
