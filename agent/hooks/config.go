package hooks

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/internal/visible"
)

// Hook is one command that runs at an event.
type Hook struct {
	Event  Event
	Source settings.Origin
	Folder string // of a project's hook, or its extension's: whose it is, absolute
	// Extension is the name of its extension; empty: none.
	Extension string
	// Home is the folder of that extension if the user installed it; empty: a project has
	// it.
	Home        string
	Name        string // set by the user; may be empty
	Description string
	Command     string            // for the shell
	Timeout     time.Duration     // 0: [DefaultTimeout]
	Env         map[string]string // added to the environment of every hook
	Matcher     string            // empty or "*": always
	Sequential  bool              // hooks planned together with it run one after another
	// Sandbox is true if one of the user's runs in the sandbox; nil: if its command runs
	// what files of the workspace say.
	Sandbox *bool

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
	if more {
		label += "…"
	}
	return printable(visible.Short(label, maxLabel))
}

const maxLabel = 61 // characters

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

// NeedsApproval reports whether the user has to approve the hook before it starts.
func (h Hook) NeedsApproval() bool {
	return h.Source == settings.OfProject || h.Source == settings.OfExtension
}

// StartsFor returns the folder that has to be trusted for the hook to start in a
// session in cwd.
func (h Hook) StartsFor(cwd string) string { return cmp.Or(h.Folder, cwd) }

// Entry returns the entry under which the hook is approved, without what depends on
// where it runs.
func (h Hook) Entry() trust.Entry {
	e := trust.Entry{Kind: trust.Hook, Name: trust.HookName(string(h.Event), h.Definition, h.Place, h.Name), Home: h.Home, On: string(h.Event), Command: h.Command, Env: h.Env}
	if h.Home != "" {
		e.File = filepath.Join(h.Home, "hooks", "hooks.json")
	}
	if h.Extension != "" {
		e.Name += " of the extension " + h.Extension
	}
	return e
}

// Sandboxed reports whether a hook runs in the sandbox in a session in cwd: one that needs
// approval does unless the user's settings name its command, and another one if its
// command runs what files of the workspace say, unless it says otherwise itself.
func (c Config) Sandboxed(h Hook, cwd string) bool {
	switch {
	case h.NeedsApproval():
		return !slices.Contains(c.Outside, h.Command)
	case h.Sandbox != nil:
		return *h.Sandbox
	}
	return shellcmd.RunsProject(h.Command, cwd) != ""
}

func (c Config) disabled(h Hook) bool {
	return slices.Contains(c.Disabled, cmp.Or(h.Name, h.Command))
}
