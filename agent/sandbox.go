package agent

import "github.com/emendo-dev/emendo/internal/sandbox"

// A Sandbox says how commands are held. Package sandbox's Guard is one.
type Sandbox interface {
	// Survey finds it out when it is not known yet, which starts processes.
	Survey() sandbox.Survey
	// Known is what was found out, if it was.
	Known() (sandbox.Survey, bool)
}

// sandboxed says whether commands run in a sandbox. Finding it out may start
// processes, so only what acts in a trusted folder asks.
func (a *Agent) sandboxed() bool {
	if a.o.Sandboxed != nil {
		return a.o.Sandboxed()
	}
	return a.o.Sandbox != nil && a.o.Sandbox.Survey().Level > sandbox.Open
}

// heldAt is the letter of the level that commands are held at, for the user
// and the model; empty where nothing is known of sandboxes.
func (a *Agent) heldAt() string {
	if a.o.Sandbox == nil {
		return ""
	}
	return a.o.Sandbox.Survey().Level.String()
}

// SandboxLevel is the letter of the level that commands are held at, empty
// while it is not known. Nothing is started to find out.
func (a *Agent) SandboxLevel() string {
	if a.o.Sandbox == nil {
		return ""
	}
	s, ok := a.o.Sandbox.Known()
	if !ok {
		return ""
	}
	return s.Level.String()
}
