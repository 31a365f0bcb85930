package language

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/langserver"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/code"
)

// Supply is the [state.Supply] of a session, and its [state.Checker]. It is the
// [code.Sources] of its tools: the editor answers what it declares, servers of emendo's own
// the rest.
type Supply struct {
	pool    *langserver.Pool
	session *state.Session
	editor  ide.LanguageServers // nil: the editor answers nothing
	wait    time.Duration       // of a request, for the look for files

	mu      sync.Mutex
	lease   *langserver.Lease
	folders []string          // of the lease
	samples map[string]string // program → a file that it serves; empty: none was found
	looks   sync.WaitGroup
	looking chan struct{} // closed when the look for files has ended; nil: there was none
	endLook context.CancelFunc
}

// NewSupply returns the supply of a session. It starts nothing. A patient one has requests
// wait until it is known which servers have files: nobody watches, and the model may have no
// other request.
func NewSupply(p *langserver.Pool, s *state.Session, patient bool) *Supply {
	editor, _ := s.Agent.Options.Editor.(ide.LanguageServers)
	wait := lookTime
	if patient {
		wait = patientTime
	}
	return &Supply{pool: p, session: s, editor: editor, wait: wait, endLook: func() {}}
}

// Await implements [state.Awaiter].
func (s *Supply) Await(ctx context.Context, tool string) (waited bool) {
	s.mu.Lock()
	looking := s.looking
	s.mu.Unlock()
	if looking == nil || !slices.ContainsFunc(code.All(), func(t tools.Tool) bool { return t.Spec().Name == tool }) {
		return false
	}
	select {
	case <-looking:
		return true
	case <-ctx.Done():
		return false
	}
}

// Tools implements [state.Supply]. No server is started before a tool needs it.
func (s *Supply) Tools(ctx context.Context, _ state.Asker) []tools.Tool {
	s.findSamples(ctx)
	return code.Offered(s)
}

// Close implements [state.Supply].
func (s *Supply) Close() {
	s.mu.Lock()
	lease := s.lease
	s.lease = nil
	s.endLook()
	s.mu.Unlock()
	if lease != nil {
		lease.Close()
	}
	s.looks.Wait()
}

// leased returns the use of servers for the session's folders as they are now; nil
// if none may be started.
func (s *Supply) leased() *langserver.Lease {
	roots := s.session.Work.Roots()
	trusted := s.session.Trusted() && len(s.programs()) > 0
	s.mu.Lock()
	old := s.lease
	if old != nil && trusted && slices.Equal(s.folders, roots) {
		s.mu.Unlock()
		return old
	}
	s.endLook()
	s.lease, s.samples, s.looking = nil, nil, nil
	if trusted {
		s.lease, s.folders = s.pool.Lease(roots), roots
	}
	now := s.lease
	s.mu.Unlock()
	if old != nil {
		old.Close()
	}
	return now
}

// programs returns the servers that the settings allow.
func (s *Supply) programs() []langserver.Program {
	return s.session.Agent.Choices().LanguageServers
}

// How long a request waits for the look for files, at most. Tools that it finds later are
// offered with the next request.
const (
	lookTime    = 200 * time.Millisecond
	patientTime = time.Minute
)

// findSamples looks for a file of the workspace for each installed program, once.
func (s *Supply) findSamples(ctx context.Context) {
	lease := s.leased()
	if lease == nil {
		return
	}
	s.mu.Lock()
	looking := s.looking
	if looking == nil {
		looking = make(chan struct{})
		life, end := context.WithCancel(context.WithoutCancel(ctx)) // it is for later requests too
		s.looking, s.endLook = looking, end
		tree, folders := s.session.Work.Tree(), s.folders
		s.looks.Go(func() {
			defer close(looking)
			defer end()
			samples := map[string]string{}
			for _, p := range s.programs() {
				if lease.Find(p) != "" {
					samples[p.Name] = p.Sample(life, tree, folders)
				}
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.lease == lease {
				s.samples = samples
			}
		})
	}
	s.mu.Unlock()
	timer := time.NewTimer(s.wait)
	defer timer.Stop()
	select {
	case <-looking:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// present returns the installed programs that have files in the workspace, and one
// of the files of each.
func (s *Supply) present() (programs []langserver.Program, files []string) {
	if s.leased() == nil {
		return nil, nil
	}
	s.mu.Lock()
	samples := s.samples
	s.mu.Unlock()
	open := s.session.Agent.Options.Workspace.Snapshot().Documents()
	for _, p := range s.programs() {
		file, installed := samples[p.Name]
		for _, d := range open {
			if d.Path != "" && p.Serves(d.Path) && s.session.Work.Tree().Contains(d.Path) {
				file = d.Path
			}
		}
		if installed && file != "" {
			programs, files = append(programs, p), append(files, file)
		}
	}
	return programs, files
}

// programFor returns the installed program that serves a file.
func (s *Supply) programFor(path string) (langserver.Program, *langserver.Lease, bool) {
	lease := s.leased()
	if lease == nil {
		return langserver.Program{}, nil, false
	}
	for _, p := range s.programs() {
		if p.Serves(path) && lease.Find(p) != "" {
			return p, lease, true
		}
	}
	return langserver.Program{}, nil, false
}
