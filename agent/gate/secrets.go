package gate

import (
	"sync"

	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/tools"
)

// secrets holds the new names of files that looked like secrets by their old ones, absolute and
// with links resolved: a secret stays one.
type secrets struct{ names sync.Map }

// follow notes the new names that a call gives to secrets, whether it is allowed or not.
func (s *secrets) follow(c policy.Call) {
	e, _ := c.Effect.(tools.Edits)
	for _, file := range e.Files {
		if c.Hides(file) {
			s.names.Store(disk.RealPath(file.NewPath), true)
		}
	}
}

func (s *secrets) holdSecret(path string) bool {
	_, holds := s.names.Load(path)
	return holds
}
