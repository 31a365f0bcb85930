package turn

import (
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/visible"
)

// unasked are the commands of a turn that nobody allowed.
type unasked struct {
	mu sync.Mutex
	l  []transcript.Unasked
}

// Limits of what the end of a turn says about them.
const (
	mostUnasked    = 200  // commands
	longestUnasked = 1000 // characters of a command
)

func (u *unasked) add(callID, command string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.l) < mostUnasked {
		u.l = append(u.l, transcript.Unasked{CallID: callID, Command: visible.Short(command, longestUnasked)})
	}
}

func (u *unasked) list() []transcript.Unasked {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.l)
}
