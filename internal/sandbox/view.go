package sandbox

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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

// systemFolders hold what programs need to run. What of them is a link stays
// one, as /bin to /usr/bin.
var systemFolders = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu", "/var/lib/dpkg", "/var/lib/rpm", "/var/lib/texmf", "/var/lib/ghc", "/var/cache/fontconfig"}

// systemSecrets are within them, and no business of a command's even where
// emendo is run by root.
var systemSecrets = []string{
	"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssh", "/etc/ssl/private", "/etc/pki/tls/private",
	"/etc/krb5.keytab", "/etc/NetworkManager/system-connections", "/etc/wireguard", "/etc/openvpn", "/etc/emendo", "/etc/polkit-1", "/etc/letsencrypt", "/etc/docker",
	"/etc/kubernetes", "/etc/rancher",
}

// machineSecrets are those that this machine has, without links. Where emendo is
// run by root, they are also what nobody else may read of /etc.
var machineSecrets = sync.OnceValue(func() []string {
	l := resolvedAll(slices.DeleteFunc(slices.Clone(systemSecrets), func(p string) bool { return !exists(p) }))
	if os.Geteuid() != 0 {
		return l
	}
	_ = filepath.WalkDir("/etc", func(path string, entry os.DirEntry, err error) error { // what can be read counts
		if err != nil || entry.Type()&os.ModeSymlink != 0 {
			return nil //nolint:nilerr // as said
		}
		info, err := entry.Info()
		if err != nil || info.Mode().Perm()&0o004 != 0 {
			return nil //nolint:nilerr // as said
		}
		l = append(l, path)
		if entry.IsDir() {
			return filepath.SkipDir
		}
		return nil
	})
	return l
})

// systemCounts are read by runtimes that want to know how many processors they
// have and how much memory they may use.
var systemCounts = []string{"/sys/devices/system/cpu", "/sys/devices/system/node", "/sys/fs/cgroup"}

// machineOfProc is what of /proc speaks to the machine. It cannot be changed in
// a view: its owner is root, and so is a command where emendo is run by root.
var machineOfProc = []string{"sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi"}

// holdable says whether commands can be held to the profile.
func (p Profile) holdable() error {
	for _, w := range p.Write {
		for _, f := range append([]string{"/proc", "/dev", "/sys"}, systemFolders...) {
			if below(f, w) {
				return fmt.Errorf("commands may write %s, which holds the system's own %s: no sandbox can keep that from them; open a folder that is less, or switch tools.sandbox off", w, f)
			}
		}
	}
	return nil
}

// view makes the view that a profile asks for of this machine as it is now.
func (p Profile) view() view {
	var v view
	add := func(kind mountKind, target, source string) { v.Mounts = append(v.Mounts, mount{kind, target, source}) }
	for _, f := range systemFolders {
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
		if exists(f) {
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
	grants := p.grants()
	for i, g := range grants {
		switch g.access {
		case mayWrite:
			if !v.changeable(g.path) {
				add(bindWrite, g.path, g.path)
			} else if slices.Contains(p.Kept, g.path) {
				add(keptAt, g.path, "")
			}
		case mayRead:
			if !v.has(g.path) {
				add(bindRead, g.path, g.path)
			}
		case mayNotChange:
			if copied := p.Shown[g.path]; copied != "" && v.has(g.path) {
				add(bindRead, g.path, copied)
			} else if v.has(g.path) {
				add(fixedAt, g.path, "")
			}
		case mayNotRead:
			if copied := p.Shown[g.path]; copied != "" && v.has(g.path) {
				add(bindRead, g.path, copied)
			} else if v.has(g.path) {
				add(blank(g, grants[i+1:]), g.path, "")
			}
		}
	}
	for _, l := range append(rootLinks(), p.Links...) {
		if to := resolved(l); to != l && !v.has(l) && !v.makes(l) {
			add(linkTo, l, to)
		}
	}
	return v
}

// changeable says whether the view shows what is at a path of the machine, to be
// changed.
func (v view) changeable(path string) bool {
	for _, m := range slices.Backward(v.Mounts) {
		if below(path, m.Target) && m.Kind != linkTo {
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
		if p := "/" + e.Name(); e.Type()&os.ModeSymlink != 0 && !slices.Contains(systemFolders, p) {
			l = append(l, p)
		}
	}
	return l
}

// makes says whether something of the view is at a path or below it.
func (v view) makes(path string) bool {
	return slices.ContainsFunc(v.Mounts, func(m mount) bool { return below(m.Target, path) })
}

// has says whether the view shows what is at a path of the machine.
func (v view) has(path string) bool {
	for _, m := range slices.Backward(v.Mounts) {
		if below(path, m.Target) && m.Kind != linkTo {
			return (m.Kind == bindRead || m.Kind == bindWrite) && m.Target == m.Source || m.Kind == fixedAt || m.Kind == keptAt
		}
	}
	return false
}

// blank is what is put in the place of what may not be read. More may be
// granted within it.
func blank(g grant, rest []grant) mountKind {
	info, err := os.Stat(g.path)
	switch {
	case err != nil || !info.IsDir():
		return blankFile
	case slices.ContainsFunc(rest, func(r grant) bool { return below(r.path, g.path) && r.access != mayNotRead }):
		return emptyDir
	}
	return blankDir
}

// An access is what may be done with a path, from the most to the least.
type access int

const (
	mayRead access = iota
	mayWrite
	mayNotChange
	mayNotRead
)

// A grant is one path of a profile.
type grant struct {
	path   string
	access access
}

// grants are the paths of a profile that exist, each once, with what contains
// others before them.
func (p Profile) grants() []grant {
	said := map[string]access{}
	for _, l := range []struct {
		paths  []string
		access access
	}{
		{p.Read, mayRead},
		{p.Write, mayWrite},
		{[]string{p.Temp, p.Cache}, mayWrite},
		{p.Kept, mayWrite},
		{p.Protected, mayNotChange},
		{p.Hidden, mayNotRead},
		{machineSecrets(), mayNotRead},
	} {
		for _, path := range l.paths {
			if path != "" && exists(path) {
				said[path] = max(said[path], l.access)
			}
		}
	}
	var l []grant
	for path, a := range said {
		l = append(l, grant{path, a})
	}
	slices.SortFunc(l, func(a, b grant) int {
		return cmp.Or(cmp.Compare(len(a.path), len(b.path)), strings.Compare(a.path, b.path))
	})
	return l
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// below says whether a clean path is dir or in it, by name.
func below(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}
