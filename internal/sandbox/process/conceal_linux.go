package process

import (
	"sync"

	"golang.org/x/sys/unix"
)

// concealment reports whether other processes of the same user may access this one: its
// memory, which holds keys, and its environment.
var concealment struct {
	sync.Mutex
	on      bool
	showing int // number of starts that need it to be off
}

// Conceal prevents other processes of the user, commands above all, from accessing this
// process. It also disables core dumps.
func Conceal() {
	concealment.Lock()
	defer concealment.Unlock()
	concealment.on = true
	conceal(concealment.showing == 0)
}

// shown runs f while the process is not concealed. Without that an ordinary user may
// not write the ID maps of a child's user namespace.
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
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, dumpable, 0, 0, 0) // cannot fail with these values
}
