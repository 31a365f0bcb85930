package hooks

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Source tells where a hook is configured. Hooks run in the order of their
// sources.
type Source int

// The sources, in the order in which their hooks run.
const (
	Project Source = iota + 1 // a trusted project's settings; each needs the user's approval
	User
	System // the administrator's settings
)

func (s Source) String() string {
	switch s {
	case Project:
		return "project"
	case User:
		return "user"
	case System:
		return "system"
	}
	return "unknown"
}

// Hook is one command that runs at an event.
type Hook struct {
	Event       Event
	Source      Source
	Folder      string // of a project's hook: whose it is, absolute
	Name        string // set by the user; may be empty
	Description string
	Command     string            // for the shell
	Timeout     time.Duration     // 0: [DefaultTimeout]
	Env         map[string]string // added to the environment of every hook
	Matcher     string            // empty or "*": always
	Sequential  bool              // hooks planned together with it run one after another
	Sandbox     bool              // run in the sandbox, whatever the source

	// Definition and Place are the indexes of the hook's definition and of the
	// hook in its source's list for the event.
	Definition, Place int
}

// Default and maximum of a hook's timeout.
const (
	DefaultTimeout = time.Minute
	MostTimeout    = 10 * time.Minute
)

// Label returns the name that users see: the hook's name, or the beginning of
// its command.
func (h Hook) Label() string {
	label, _, more := strings.Cut(strings.TrimSpace(cmp.Or(h.Name, h.Command)), "\n")
	if r := []rune(label); len(r) > maxLabel {
		label, more = string(r[:maxLabel]), true
	}
	if more {
		label += "…"
	}
	return printable(label)
}

const maxLabel = 60 // characters

// timeout returns how long the hook may run.
func (h Hook) timeout() time.Duration {
	if h.Timeout <= 0 {
		return DefaultTimeout
	}
	return min(h.Timeout, MostTimeout)
}

// key returns a key that is equal for duplicates, of which only one runs.
func (h Hook) key() string { return h.Name + ":" + h.Command }

// Config holds every configured hook. It is immutable.
type Config struct {
	Hooks []Hook
	// Disabled lists hooks that do not run, by name, or by command if they have
	// no name.
	Disabled []string
	Outside  []string // commands of projects' hooks that run outside the sandbox
	Off      bool     // no hook runs
	Quiet    bool     // do not tell the user about hooks that ran and had no output
}

// Has reports whether any hook is configured for the event.
func (c Config) Has(e Event) bool {
	return !c.Off && slices.ContainsFunc(c.Hooks, func(h Hook) bool { return h.Event == e && !c.disabled(h) })
}

// Sandboxed reports whether a hook runs in the sandbox: a project's does unless the
// user's settings name its command.
func (c Config) Sandboxed(h Hook) bool {
	if h.Source == Project {
		return !slices.Contains(c.Outside, h.Command)
	}
	return h.Sandbox
}

func (c Config) disabled(h Hook) bool {
	if h.Name != "" {
		return slices.Contains(c.Disabled, h.Name)
	}
	return slices.Contains(c.Disabled, h.Command)
}
