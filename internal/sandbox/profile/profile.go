package profile

import (
	"slices"

	"github.com/emendo-dev/emendo/internal/sandbox/paths"
)

// A Level is how firmly commands are held. A higher one holds more firmly.
type Level int

// The levels.
const (
	// Open, level C, holds nothing: a command can do what the user can.
	Open Level = iota
	// Restricted, level B, is Landlock and a system call filter: a command
	// sees the machine, reads and writes what it was granted, and has no
	// sockets.
	Restricted
	// Isolated, level A, is namespaces: a command sees only what it was
	// granted, and has a network of its own that leads nowhere.
	Isolated
)

// String is the level's letter, as users see it.
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

// A Profile says what a command may reach of the machine. Paths are absolute
// and clean, without links, sorted; a folder stands for all that is in it.
// What is named nowhere in it may not be read: a level that can hide it does.
// Where two lists speak of a path, the longer path decides; for the same path
// Hidden comes before Protected, and that before Write. Read only adds: within
// Write it takes nothing away, since a toolchain can be part of a project.
type Profile struct {
	Write     []string // may be read, changed and made
	Read      []string // may be read and run: the system's folders, toolchains
	Hidden    []string // may not be read: secrets within what is granted
	Protected []string // may be read and not changed, within Write
	Kept      []string // folders that cannot be renamed or removed, within Write
	Links     []string // by which what is granted is known, such as folders of the search path
	// Shown are copies that are shown in the place of Hidden and Protected files, by
	// those, where the level makes its own view.
	Shown map[string]string
	// Network is what it may reach outside of the machine.
	Network Network

	// Temp and Cache are private folders that exist, are writable, and may be
	// shared by the commands of a session, and of a workspace. Where the
	// level makes its own view of the machine, Temp is also its /tmp.
	Temp, Cache string
	// Home is the user's home folder. Where the level makes its own view, an
	// empty one that lasts as long as the command is in its place, with what
	// is granted of the true one.
	Home string

	// Incomplete is the reason why it is not known what to keep from a command.
	// If it is set, no level but [Open] starts one.
	Incomplete error `json:"-"`
	// Outlet leads to the hosts of Network where commands have a network of
	// their own. Without it they are not reached.
	Outlet Outlet `json:"-"`
	// EndIfReplaced are protected files that somebody else may replace. With
	// that the kernel removes the mount that protects the file at level A, so
	// the command is ended, and OnReplaced is called with the path first.
	EndIfReplaced []string          `json:"-"`
	OnReplaced    func(path string) `json:"-"`
}

// Network is what a command may reach. The zero value is nothing at all; where
// the level makes a network of the command's own, it reaches itself.
type Network struct {
	All bool
	// Hosts are reached through emendo's proxy, by HTTP and HTTPS on the usual
	// ports: a name, or "*." and a domain for all names below it.
	Hosts []string
}

// And returns what may be reached through n or more.
func (n Network) And(more Network) Network {
	if more.All {
		return more
	}
	return Network{All: n.All, Hosts: slices.Concat(n.Hosts, more.Hosts)}
}

// None says that nothing outside can be reached.
func (n Network) None() bool { return !n.All && len(n.Hosts) == 0 }

// Hide keeps these files from the command too, but for those that it was granted
// by name.
func (p *Profile) Hide(files []string) {
	p.Hidden = append(p.Hidden, paths.Except(slices.Clone(files), slices.Concat(p.Write, p.Read))...)
	slices.Sort(p.Hidden)
	p.Hidden = slices.Compact(p.Hidden)
}
