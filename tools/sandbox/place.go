package sandbox

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// A Place is where a session's commands run, as the user and the machine have
// it. It makes the profile of each command anew, for a workspace changes.
type Place struct {
	Folders []string // the workspace's folders, links resolved
	Home    string   // the user's home folder
	Environ []string // the server's environment: it says where toolchains are
	Private []string // emendo's own folders: of no command's business
	Temp    string   // the session's private folder for temporary files, which exists
	Cache   string   // the workspace's private folder for caches, which exists
	Allowed []string // further files and folders that may be written
	Network Network
	// Secret says whether a file, by its name relative to the workspace,
	// usually holds secrets. Without it, none does.
	Secret func(path string) bool
	// Outlet leads to Network's hosts, where commands have a network of their
	// own. Without it, they are not reached.
	Outlet Outlet

	sweep *sweep
}

// NewPlace makes a place that remembers what it has seen of the workspace.
func NewPlace(p Place) *Place {
	p.sweep = &sweep{secret: p.Secret}
	return &p
}

// gitRuns is what of git's folder decides what git runs: a commit needs to write
// none of it.
var gitRuns = []string{"hooks", "config", "config.worktree", "commondir", "info", "modules", "worktrees"}

// Profile is what a command that is started now may reach, with what it was
// given leave for beyond that.
func (p *Place) Profile(wider Wider) Profile {
	home := resolved(p.Home)
	found, err := p.sweep.look(p.Folders)
	prof := Profile{
		Write:     all(p.Folders, p.Allowed, wider.Write),
		Read:      slices.Concat(toolchainFolders(home, p.Environ), repositories(p.Folders), gitSettings(home), resolvedAll(wider.Read)),
		Hidden:    slices.Concat(secretsOf(home), resolvedAll(p.Private), found.hidden),
		Protected: slices.Concat(found.protected, found.git),
		Network:   p.Network.and(wider.Network),
		Home:      home, Temp: resolved(p.Temp), Cache: resolved(p.Cache),
		before: before{sweep: p.sweep, roots: p.Folders, known: marksOf(slices.Concat(found.protected, found.links)), allowed: resolvedAll(wider.Write)},
		outlet: p.Outlet, refused: &refusals{},
	}
	if err != nil {
		prof.unseen = fmt.Errorf("a folder of the workspace cannot be looked through for what to keep from commands, so none runs; make it readable: %w", err)
	}
	if prof.Network.All {
		prof.Read = append(prof.Read, resolverFiles()...)
	}
	prof.follow(found)
	prof.protectGit()
	for _, l := range append(searchPath(p.Environ), p.Home) {
		if filepath.IsAbs(l) {
			prof.Links = append(prof.Links, filepath.Clean(l))
		}
	}
	prof.Hidden = less(prof.Hidden, append(prof.Write, prof.Read...))
	prof.Protected = less(prof.Protected, prof.Write)
	for _, l := range []*[]string{&prof.Write, &prof.Read, &prof.Hidden, &prof.Protected, &prof.Links} {
		slices.Sort(*l)
		*l = slices.Compact(*l)
	}
	return prof
}

// follow keeps what links lead to: they themselves cannot be kept.
func (p *Profile) follow(found findings) {
	for _, l := range found.links {
		if to := resolved(l); underAny(to, p.Write) {
			p.Protected = append(p.Protected, to)
		}
	}
	for _, l := range found.aliases {
		if to := resolved(l); underAny(to, p.Write) && isFile(to) {
			p.Hidden = append(p.Hidden, to)
		}
	}
}

// protectGit keeps what git runs and heeds, which needs leave of its own, from
// who may write git's folder.
func (p *Profile) protectGit() {
	for _, w := range p.Write {
		if filepath.Base(w) != ".git" || !exists(w) {
			continue
		}
		for _, name := range gitRuns {
			if path := filepath.Join(w, name); exists(path) {
				p.Protected = append(p.Protected, path)
			} else if !slices.Contains(p.Write, path) {
				p.before.absent = append(p.before.absent, path)
			}
		}
	}
}

// Wider is what a command may reach beyond its place: what the user gave leave
// for.
type Wider struct {
	Write   []string // absolute
	Read    []string // absolute
	Network Network
}

// None says that it is nothing.
func (w Wider) None() bool { return len(w.Write) == 0 && len(w.Read) == 0 && w.Network.None() }

// resolved is a path without links; what does not exist is below what does.
func resolved(p string) string {
	if p == "" {
		return ""
	}
	p = filepath.Clean(p)
	if real, err := filepath.EvalSymlinks(p); err == nil {
		return real
	}
	if dir := filepath.Dir(p); dir != p {
		return filepath.Join(resolved(dir), filepath.Base(p))
	}
	return p
}

func resolvedAll(paths []string) []string {
	var l []string
	for _, p := range paths {
		l = append(l, resolved(p))
	}
	return l
}

func all(lists ...[]string) []string {
	var l []string
	for _, paths := range lists {
		l = append(l, resolvedAll(paths)...)
	}
	return l
}

// repositories are git's folders of the workspace's folders that have them
// elsewhere, as worktrees and submodules do. One counts only when it looks
// like git's: the file that names it is the repository's to write.
func repositories(folders []string) []string {
	var l []string
	for _, f := range folders {
		to, found := strings.CutPrefix(line(filepath.Join(f, ".git")), "gitdir:")
		if to = strings.TrimSpace(to); !found || to == "" {
			continue
		}
		dir := resolved(absolute(to, f))
		if !exists(filepath.Join(dir, "HEAD")) {
			continue
		}
		if common := line(filepath.Join(dir, "commondir")); common != "" {
			dir = resolved(absolute(common, dir))
		}
		if exists(filepath.Join(dir, "HEAD")) && exists(filepath.Join(dir, "objects")) && exists(filepath.Join(dir, "refs")) {
			l = append(l, dir)
		}
	}
	return l
}

// longestLine is how much of a file is read that should hold one line, in bytes.
const longestLine = 8 << 10

// line is what a file holds, without the white space around it; empty for what is
// no file. A command can have put a pipe or a device in its place.
func line(path string) string {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	b, _ := io.ReadAll(io.LimitReader(f, longestLine)) // what was read counts
	return strings.TrimSpace(string(b))
}

func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

func absolute(p, dir string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(dir, p)
}

// resolverFiles are what a program needs to look names up, where they are links
// out of /etc.
func resolverFiles() []string {
	var l []string
	for _, f := range []string{"/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf"} {
		if real, err := filepath.EvalSymlinks(f); err == nil && !underAny(real, systemFolders) {
			l = append(l, real)
		}
	}
	return l
}

// less is all but the members of some.
func less(paths, some []string) []string {
	return slices.DeleteFunc(paths, func(p string) bool { return slices.Contains(some, p) })
}
