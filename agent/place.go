package agent

import (
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/tools/protect"
)

// place says how far paths of the session's folders are kept from changes.
func (s *Session) place() protect.Place {
	p := protect.Place{Tree: s.tree}
	for _, own := range s.agent.o.Own {
		if own != "" {
			p.Own = append(p.Own, disk.RealPath(own))
		}
	}
	return p
}
