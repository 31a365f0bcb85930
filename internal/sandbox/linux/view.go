//go:build linux

package linux

import (
	"os"
	"slices"

	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/sandbox/profile"
)

// A view is the file system of a command at level A: a list of mounts in the order in
// which they are made, on an empty, read-only root. The supervisor makes it, or
// bubblewrap.
type view struct {
	Mounts []mount `json:"mounts"`
}

// A mount is one entry of a view. Paths are absolute and clean; a source contains no
// links.
type mount struct {
	Kind   mountKind `json:"kind"`
	Target string    `json:"target"`
	Source string    `json:"source,omitempty"` // of a bind, or the target of a link
	Text   string    `json:"text,omitempty"`
}

// A mountKind selects what is mounted.
type mountKind string

const (
	bindRead  mountKind = "read"    // the source, read-only
	bindWrite mountKind = "write"   // the source
	fixedAt   mountKind = "fixed"   // what the view has there, read-only
	keptAt    mountKind = "kept"    // what the view has there, protected from rename and removal
	blankFile mountKind = "blank"   // an empty file without permissions
	blankDir  mountKind = "nothing" // an empty folder without permissions
	emptyDir  mountKind = "empty"   // a read-only folder of mount points
	freshDir  mountKind = "fresh"   // an empty folder that lasts as long as the command
	textFile  mountKind = "text"    // a read-only file with that text
	linkTo    mountKind = "link"
	processes mountKind = "proc"    // the command's own processes
	devices   mountKind = "devices" // those that every program expects, and no others
)

// mostFresh is the size of a folder in memory, in bytes.
const mostFresh = 256 << 20

// systemCounts are read by runtimes to find the number of processors and the memory
// limit.
var systemCounts = []string{"/sys/devices/system/cpu", "/sys/devices/system/node", "/sys/fs/cgroup"}

// machineOfProc lists the entries of /proc that control the machine. They are read-only
// in a view: root owns them, and a command of root's is root.
var machineOfProc = []string{"sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi"}

// mark is a link in every view, which nobody can remove, and which a command cannot see
// anywhere else.
const mark = "/.emendo-command"

// Marked reports whether this process is in a view.
func Marked() bool {
	_, err := os.Readlink(mark)
	return err == nil
}

// memoryOfProc lists the entries of /proc that show the memory of the whole machine, which a
// command of root's could read.
var memoryOfProc = []string{"kcore", "kpageflags", "kpagecount", "kpagecgroup"}

// viewOf returns the view of this machine, as it is now, that a profile asks for.
func viewOf(p *profile.Profile) view {
	var v view
	add := func(kind mountKind, target, source string) {
		v.Mounts = append(v.Mounts, mount{Kind: kind, Target: target, Source: source})
	}
	for _, f := range profile.SystemFolders {
		switch info, err := os.Lstat(f); {
		case err != nil: // not on this system
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
	add(linkTo, mark, "a command of emendo's")
	add(processes, "/proc", "")
	for _, name := range memoryOfProc {
		if paths.Exists("/proc/" + name) {
			add(blankFile, "/proc/"+name, "")
		}
	}
	add(devices, "/dev", "")
	grants := p.Grants()
	if p.Temp != "" {
		add(bindWrite, "/tmp", p.Temp)
		if below := func(path string) bool { return path != "" && paths.Within(path, "/var/tmp") }; below(p.Home) || slices.ContainsFunc(grants, func(g profile.Grant) bool { return below(g.Path) }) {
			add(bindWrite, "/var/tmp", p.Temp) // nothing can be mounted below a link
		} else {
			add(linkTo, "/var/tmp", "../tmp")
		}
	}
	if p.Home != "" && p.Home != "/" {
		add(freshDir, p.Home, "")
	}
	for i, g := range grants {
		switch g.Access {
		case profile.MayWrite:
			if !v.changeable(g.Path) {
				add(bindWrite, g.Path, g.Path)
			} else if slices.Contains(p.Kept, g.Path) {
				add(keptAt, g.Path, "")
			}
		case profile.MayRead:
			if copied := p.Shown[g.Path]; copied != "" {
				add(bindRead, g.Path, copied)
			} else if !v.has(g.Path) {
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

// changeable reports whether the view shows a path of the machine, writable.
func (v view) changeable(path string) bool {
	for _, m := range slices.Backward(v.Mounts) {
		if paths.Within(path, m.Target) && m.Kind != linkTo {
			return m.Kind == bindWrite && m.Target == m.Source || m.Kind == keptAt
		}
	}
	return false
}

// rootLinks returns the links directly below the root, such as /home on some systems.
func rootLinks() []string {
	entries, _ := os.ReadDir("/") // use what could be read
	var l []string
	for _, e := range entries {
		if p := "/" + e.Name(); e.Type()&os.ModeSymlink != 0 && !slices.Contains(profile.SystemFolders, p) {
			l = append(l, p)
		}
	}
	return l
}

// makes reports whether the view has something at a path or below it.
func (v view) makes(path string) bool {
	return slices.ContainsFunc(v.Mounts, func(m mount) bool { return paths.Within(m.Target, path) })
}

// has reports whether the view shows a path of the machine.
func (v view) has(path string) bool {
	for _, m := range slices.Backward(v.Mounts) {
		if paths.Within(path, m.Target) && m.Kind != linkTo {
			return (m.Kind == bindRead || m.Kind == bindWrite) && m.Target == m.Source || m.Kind == fixedAt || m.Kind == keptAt
		}
	}
	return false
}

// blank returns what replaces a path that may not be read. Paths within it may be
// granted.
func blank(g profile.Grant, rest []profile.Grant) mountKind {
	info, err := os.Stat(g.Path)
	switch {
	case err != nil || !info.IsDir():
		return blankFile
	case slices.ContainsFunc(rest, func(r profile.Grant) bool { return paths.Within(r.Path, g.Path) && r.Access != profile.MayNotRead }):
		return emptyDir
	}
	return blankDir
}
