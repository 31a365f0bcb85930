package profile

import (
	"slices"

	"github.com/emendo-dev/emendo/internal/paths"
)

// A Level is how strictly commands are confined; higher is stricter.
type Level int

// The levels.
const (
	// Open, level C, does not confine: a command can do what the user can.
	Open Level = iota
	// Restricted, level B, is Landlock and a system call filter, or Seatbelt: a command
	// sees the machine, reads and writes what it was granted, and has no network.
	Restricted
	// Isolated, level A, is namespaces: a command sees only what it was granted, and has
	// an empty network of its own.
	Isolated
)

// String returns the level's letter, as users see it.
func (l Level) String() string {
	switch l {
	case Open:
		return "C"
	case Restricted:
		return "B"
	case Isolated:
		return "A"
	}
	panic("sandbox: unknown level")
}

// A Profile says what a command may reach of the machine. Paths are absolute, clean,
// sorted and without links; a folder includes everything in it. What is in no list may
// not be read, and is hidden if the level can hide it. For a path within several lists,
// the longest entry applies; for equal entries, Hidden before Protected before Write.
// Read only adds: within Write it removes nothing, since a toolchain can be part of a
// project.
type Profile struct {
	Write     []string // may be read, changed and created
	Read      []string // may be read and run: toolchains
	Hidden    []string // may not be read: secrets in granted folders
	Protected []string // may be read but not changed, within Write
	Kept      []string // folders that cannot be renamed or removed, within Write
	Links     []string // links to granted paths, such as folders of the search path
	// Shown maps files in Read, Hidden and Protected to copies that replace them, where the level
	// makes its own view.
	Shown map[string]string
	// Network is what the command may reach outside of the machine.
	Network Network

	// Session names the commands that share the command's network at level A, where one
	// reaches the servers of another: those with the same name. Empty: it has its own.
	Session string
	// Temp and Cache are private, writable folders that exist and may be shared by the
	// commands of a session and of a workspace. Where the level makes its own view, Temp
	// is also /tmp.
	Temp, Cache string
	// Home is the user's home folder. Where the level makes its own view, it is an empty
	// folder that lasts as long as the command, with what is granted of the real one.
	Home string

	// SearchPath is the PATH of the command; empty: that of its environment.
	SearchPath string

	// Incomplete says why it is unknown what to protect from a command. If it is set, a
	// command starts at level [Open] only.
	Incomplete error `json:"-"`
	// Outlet serves the hosts of Network where commands have a network of their own.
	// Without it they cannot be reached.
	Outlet Outlet `json:"-"`
	// EndIfReplaced lists protected files that another process may replace. The kernel
	// then removes the mount that protects the file at level A, so OnReplaced is called
	// with the path and the command is ended.
	EndIfReplaced []string          `json:"-"`
	OnReplaced    func(path string) `json:"-"`
}

// Network limits the network of a command. The zero value is nothing; at level A a command
// still reaches itself and the commands of its session.
type Network struct {
	All bool
	// Hosts are reached through the proxy by HTTP and HTTPS on the usual ports: a name, or
	// "*." and a domain for all names below it.
	Hosts []string
}

// And returns what may be reached through n or more.
func (n Network) And(more Network) Network {
	if more.All {
		return more
	}
	return Network{All: n.All, Hosts: slices.Concat(n.Hosts, more.Hosts)}
}

// None reports whether nothing outside can be reached.
func (n Network) None() bool { return !n.All && len(n.Hosts) == 0 }

// Hide hides files from the command, except those that it was granted by name.
func (p *Profile) Hide(files []string) {
	p.Hidden = append(p.Hidden, paths.Except(slices.Clone(files), slices.Concat(p.Write, p.Read))...)
	slices.Sort(p.Hidden)
	p.Hidden = slices.Compact(p.Hidden)
}
