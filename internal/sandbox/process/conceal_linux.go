package process

import (
	"sync"

	"golang.org/x/sys/unix"
)

// concealment is whether other processes of the same user may look into this
// one: into its memory, where keys are, and its environment.
var concealment struct {
	sync.Mutex
	on      bool
	showing int // starts that need it to be off
}

// Conceal keeps other processes of the user, commands above all, from looking
// into this process. No core is written when it dies either.
func Conceal() {
	concealment.Lock()
	defer concealment.Unlock()
	concealment.on = true
	conceal(concealment.showing == 0)
}

// shown runs f while the process can be looked into: only then may an ordinary
// user write who is who in a namespace of a child.
func shown(f func() error) error {
	concealment.Lock()
	concealment.showing++
	if concealment.on {
		conceal(false)
	}
	concealment.Unlock()
	defer func() {
		concealment.Lock()
		defer concealment.Unlock()
		concealment.showing--
		if concealment.on && concealment.showing == 0 {
			conceal(true)
		}
	}()
	return f()
}

func conceal(so bool) {
	var dumpable uintptr
	if !so {
		dumpable = 1
	}
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, dumpable, 0, 0, 0) // with these values it cannot fail
}
