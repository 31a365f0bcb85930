package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
	// Ignored says whether git ignores a folder, absolute: nobody adds a repository
	// that is in it. Without it, all are that usually hold what others made.
	Ignored func(path string) bool
	// Outlet leads to Network's hosts, where commands have a network of their
	// own. Without it, they are not reached.
	Outlet Outlet
	// Blob is the content of a file that git tracks, by its hash, and Shown a
	// private folder, which exists, for copies of such files, and of settings of
	// git's without the passwords in them. Without them git is not shown a secret
	// that differs from the index.
	Blob  func(tree, hash string) ([]byte, error)
	Shown string

	sweep *sweep
	lists *lists
}

// NewPlace makes a place that remembers what it has seen of the workspace.
func NewPlace(p Place) *Place {
	p.sweep = &sweep{secret: p.Secret, ignored: p.Ignored}
	p.lists = &lists{}
	return &p
}

// Profile is what a command that is started now may reach, with what it was
// given leave for beyond that.
func (p *Place) Profile(wider Wider) Profile {
	home := resolved(p.Home)
	found, err := p.sweep.look(p.Folders)
	repos := p.repositories(&found)
	prof := Profile{
		Write:     all(p.Folders, p.Allowed, wider.Write),
		Read:      slices.Concat(toolchainFolders(home, p.Environ), outsideOf(repos.all, p.Folders), gitSettings(home, variable(p.Environ, "XDG_CONFIG_HOME")), resolvedAll(wider.Read), resolvedAll(wider.Outputs)),
		Hidden:    slices.Concat(secretsOf(home), resolvedAll(p.Private), found.hidden),
		Protected: slices.Concat(found.protected, found.git),
		Kept:      foldersAbove(found, p.Folders),
		Network:   p.Network.and(wider.Network),
		Home:      home, Temp: resolved(p.Temp), Cache: resolved(p.Cache),
		before: before{place: p, known: marksOf(slices.Concat(found.protected, found.links)), allowed: resolvedAll(wider.Write)},
		outlet: p.Outlet, refused: &refusals{}, replaced: &paths{},
	}
	if prof.Network.All {
		prof.Read = append(prof.Read, resolverFiles()...)
	}
	prof.follow(found)
	prof.openGit(repos, wider.Git)
	if err != nil {
		prof.unseen = unseen(err)
	}
	prof.showTracked(p, repos.all, found.hidden, wider.Git)
	prof.withhold(p, repos.settingsFiles(found), wider)
	for _, l := range append(searchPath(p.Environ), p.Home) {
		if filepath.IsAbs(l) {
			prof.Links = append(prof.Links, filepath.Clean(l))
		}
	}
	prof.Hidden = less(prof.Hidden, append(prof.Write, prof.Read...))
	prof.Protected = less(prof.Protected, prof.Write)
	prof.keep()
	for _, l := range []*[]string{&prof.Write, &prof.Read, &prof.Hidden, &prof.Protected, &prof.Kept, &prof.Links} {
		slices.Sort(*l)
		*l = slices.Compact(*l)
	}
	return prof
}

// unseen is why no command runs where the workspace was not looked through.
func unseen(err error) error {
	if errors.Is(err, errTooMany) {
		return fmt.Errorf("%w, more than %d, to know what to keep from commands, so none runs; have git ignore folders of dependencies, open a smaller folder, or switch tools.sandbox off", err, mostFolders)
	}
	return fmt.Errorf("a folder of the workspace cannot be looked through for what to keep from commands, so none runs; make it readable: %w", err)
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

// Wider is what a command may reach beyond its place: what the user gave leave
// for.
type Wider struct {
	Write   []string // absolute
	Read    []string // absolute
	Outputs []string // absolute; kept long outputs, which every command of a session may read
	Network Network
	Git     GitUse
}

// A GitUse is what a command is known to do with git.
type GitUse struct {
	Calls  bool
	Alone  bool // nothing but git sees what is in the workspace
	Writes bool // git's own data, by leave of the policy or of the user
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

func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
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
