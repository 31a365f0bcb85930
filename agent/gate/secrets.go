package gate

import (
	"sync"

	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/tools"
)

// secrets holds the new names of files that looked like secrets by their old ones: a secret
// stays one.
type secrets struct {
	mu    sync.Mutex
	names map[string]bool // absolute, links resolved
}

// follow notes the new names that a call gives to secrets, whether it is allowed or not.
func (s *secrets) follow(c policy.Call) {
	e, edits := c.Effect.(tools.Edits)
	if !edits {
		return
	}
	for _, file := range e.Files {
		if !c.Hides(file) {
			continue
		}
		s.mu.Lock()
		if s.names == nil {
			s.names = map[string]bool{}
		}
		s.names[disk.RealPath(file.NewPath)] = true
		s.mu.Unlock()
	}
}

func (s *secrets) holdSecret(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.names[path]
}
