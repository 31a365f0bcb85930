package hooks

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Source says whose a hook is. Hooks run in the order of their sources.
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
	Name        string // as the user calls it; may be empty
	Description string
	Command     string            // for the shell
	Timeout     time.Duration     // 0: [DefaultTimeout]
	Env         map[string]string // on top of what every hook gets
	Matcher     string            // empty or "*": always
	Sequential  bool              // the hooks that run with it run one after another
	Sandbox     bool              // it runs in the sandbox, whoever's it is

	// Definition and Place say where it stands in its source's list for the
	// event, each from zero.
	Definition, Place int
}

// How long a hook may run: what its configuration says, up to MostTimeout.
const (
	DefaultTimeout = time.Minute
	MostTimeout    = 10 * time.Minute
)

// Label is how the user is told of a hook: its name, else the beginning of its
// command.
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

// timeout is how long the hook may run.
func (h Hook) timeout() time.Duration {
	if h.Timeout <= 0 {
		return DefaultTimeout
	}
	return min(h.Timeout, MostTimeout)
}

// key is the same for hooks of which one is enough.
func (h Hook) key() string { return h.Name + ":" + h.Command }

// Config is every hook that is configured. It is not changed.
type Config struct {
	Hooks []Hook
	// Disabled names hooks that do not run: by name, those without one by
	// their command.
	Disabled []string
	Outside  []string // commands of projects' hooks that run outside of the sandbox
	Off      bool     // none runs
	Quiet    bool     // the user is not told of hooks that ran and had nothing to say
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
