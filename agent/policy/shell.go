package policy

import (
	"cmp"
	"fmt"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/tools"
)

// Asking is how much is asked about commands that a sandbox holds, as in emendo's settings.
type Asking string

// The values of [Asking].
const (
	AskOutside Asking = "outside" // commands run unasked inside the sandbox
	AskAlways  Asking = "always"  // only commands that are known to read do
)

// A Shell describes what holds commands in a session's folder, and how much is asked about
// them. The zero value is no sandbox.
type Shell struct {
	Level sandbox.Level
	Ask   Asking // empty is [AskOutside]
	// Unsafe says why no command runs unasked in this folder, in a sentence; empty if that
	// is not so.
	Unsafe string
}

// holds reports whether there is a sandbox.
func (s Shell) holds() bool { return s.Level > sandbox.Open }

// Why returns why commands that change something are asked about in a session's mode, in a
// sentence; empty if the sandbox decides.
func (s Shell) Why() string {
	switch {
	case !s.holds():
		return "There is no sandbox for commands here, so each needs approval."
	case s.Unsafe != "":
		return s.Unsafe
	case s.Ask == AskAlways:
		return "The setting tools.shell.ask is always."
	case s.Level == sandbox.Restricted:
		return "The sandbox is at level B, which cannot keep commands from making files beside protected ones, or from the network, unasked."
	}
	return ""
}

// Asking returns the setting in effect.
func (s Shell) Asking() Asking { return cmp.Or(s.Ask, AskOutside) }

// Decides reports whether commands run unasked in the sandbox.
func (s Shell) Decides() bool { return s.holds() && s.Unsafe == "" && s.Ask != AskAlways }

// decides reports whether the sandbox decides about the call. What a discovered tool runs is a
// program of the project's that the user knows by name, and is asked about by that.
func (c *Call) decides() bool {
	r, runs := c.Effect.(tools.Runs)
	return runs && !r.Discovered && c.Shell.Decides()
}

// needsNetwork describes the hosts that a command needs, for a question.
func needsNetwork(hosts []string) string {
	if len(hosts) == 0 {
		return "It needs the network, and its words do not say which hosts."
	}
	return fmt.Sprintf("It needs the network: %s.", joinNames(hosts))
}
