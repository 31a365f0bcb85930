//go:build linux

package linux

import (
	"os"
	"slices"

	"github.com/emendo-dev/emendo/internal/sandbox/paths"
	"github.com/emendo-dev/emendo/internal/sandbox/profile"
)

// A view is the file system as a command at level A sees it: a list of mounts,
// in the order in which they are made, on a root that is empty and cannot be
// written. It is told to the child that makes it, and to bubblewrap.
type view struct {
	Mounts []mount `json:"mounts"`
}

// A mount is one thing in a view. Paths are absolute and clean, and a source
// is without links.
type mount struct {
	Kind   mountKind `json:"kind"`
	Target string    `json:"target"`
	Source string    `json:"source,omitempty"` // of binds; what a link holds
}

// A mountKind says what is put at a place.
type mountKind string

const (
	bindRead  mountKind = "read"    // the source, which cannot be changed
	bindWrite mountKind = "write"   // the source
	fixedAt   mountKind = "fixed"   // what the view has there already, which cannot be changed
	keptAt    mountKind = "kept"    // what the view has there already, which cannot be renamed or removed
	blankFile mountKind = "blank"   // an empty file that nobody may read
	blankDir  mountKind = "nothing" // an empty folder that nobody may enter
	emptyDir  mountKind = "empty"   // a folder that holds nothing but places of the view
	freshDir  mountKind = "fresh"   // an empty folder that lasts as long as the command
	linkTo    mountKind = "link"
	processes mountKind = "proc"    // the command's own processes
	devices   mountKind = "devices" // those that every program expects, and no others
)

// mostFresh bounds what a command can keep in folders that are in memory, in
// bytes.
const mostFresh = 256 << 20

// systemCounts are read by runtimes that want to know how many processors they
// have and how much memory they may use.
var systemCounts = []string{"/sys/devices/system/cpu", "/sys/devices/system/node", "/sys/fs/cgroup"}

// machineOfProc is what of /proc speaks to the machine. It cannot be changed in
// a view: its owner is root, and so is a command where emendo is run by root.
var machineOfProc = []string{"sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi"}

// viewOf returns the view of this machine, as it is now, that a profile asks for.
func viewOf(p *profile.Profile) view {
	var v view
	add := func(kind mountKind, target, source string) { v.Mounts = append(v.Mounts, mount{kind, target, source}) }
	for _, f := range profile.SystemFolders {
		switch info, err := os.Lstat(f); {
		case err != nil: // this system has none
		case info.Mode()&os.ModeSymlink != 0:
			if to, err := os.Readlink(f); err == nil {
				add(linkTo, f, to)
			}
		default:
			add(bindRead, f, f)
		}
	}
	for _, f := range systemCounts {
		if paths.Exists(f) {
			add(bindRead, f, f)
		}
	}
	add(processes, "/proc", "")
	add(devices, "/dev", "")
	if p.Temp != "" {
		add(bindWrite, "/tmp", p.Temp)
		add(linkTo, "/var/tmp", "../tmp")
	}
	if p.Home != "" && p.Home != "/" {
		add(freshDir, p.Home, "")
	}
	grants := p.Grants()
	for i, g := range grants {
		switch g.Access {
		case profile.MayWrite:
			if !v.changeable(g.Path) {
				add(bindWrite, g.Path, g.Path)
			} else if slices.Contains(p.Kept, g.Path) {
				add(keptAt, g.Path, "")
			}
		case profile.MayRead:
			if !v.has(g.Path) {
				add(bindRead, g.Path, g.Path)
			}
		case profile.MayNotChange:
			if copied := p.Shown[g.Path]; copied != "" && v.has(g.Path) {
				add(bindRead, g.Path, copied)
			} else if v.has(g.Path) {
				add(fixedAt, g.Path, "")
			}
		case profile.MayNotRead:
			if copied := p.Shown[g.Path]; copied != "" && v.has(g.Path) {
				add(bindRead, g.Path, copied)
			} else if v.has(g.Path) {
				add(blank(g, grants[i+1:]), g.Path, "")
			}
		}
	}
	for _, l := range append(rootLinks(), p.Links...) {
		if to := paths.Resolve(l); to != l && !v.has(l) && !v.makes(l) {
			add(linkTo, l, to)
		}
	}
	return v
}

// changeable says whether the view shows what is at a path of the machine, to be
// changed.
func (v view) changeable(path string) bool {
	for _, m := range slices.Backward(v.Mounts) {
		if paths.Below(path, m.Target) && m.Kind != linkTo {
			return m.Kind == bindWrite && m.Target == m.Source || m.Kind == keptAt
		}
	}
	return false
}

// rootLinks are the links right below the root, such as /home on some systems.
func rootLinks() []string {
	entries, _ := os.ReadDir("/") // what was read counts
	var l []string
	for _, e := range entries {
		if p := "/" + e.Name(); e.Type()&os.ModeSymlink != 0 && !slices.Contains(profile.SystemFolders, p) {
			l = append(l, p)
		}
	}
	return l
}

// makes says whether something of the view is at a path or below it.
func (v view) makes(path string) bool {
	return slices.ContainsFunc(v.Mounts, func(m mount) bool { return paths.Below(m.Target, path) })
}

// has says whether the view shows what is at a path of the machine.
func (v view) has(path string) bool {
	for _, m := range slices.Backward(v.Mounts) {
		if paths.Below(path, m.Target) && m.Kind != linkTo {
			return (m.Kind == bindRead || m.Kind == bindWrite) && m.Target == m.Source || m.Kind == fixedAt || m.Kind == keptAt
		}
	}
	return false
}

// blank is what is put in the place of what may not be read. More may be
// granted within it.
func blank(g profile.Grant, rest []profile.Grant) mountKind {
	info, err := os.Stat(g.Path)
	switch {
	case err != nil || !info.IsDir():
		return blankFile
	case slices.ContainsFunc(rest, func(r profile.Grant) bool { return paths.Below(r.Path, g.Path) && r.Access != profile.MayNotRead }):
		return emptyDir
	}
	return blankDir
}
