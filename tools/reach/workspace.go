package reach

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/sandbox/profile"
	"github.com/emendo-dev/emendo/internal/sandbox/toolchain"
)

// Options describe a workspace, the user and the machine.
type Options struct {
	Folders []string // the workspace's folders, links resolved
	Home    string   // the user's home folder
	Environ []string // the server's environment, which names toolchains
	Private []string // emendo's own folders, which no command may read
	Temp    string   // a private folder for temporary files of commands without a session; it exists
	Cache   string   // the workspace's private folder for caches; it exists
	Allowed []string // further files and folders that commands may write
	Network sandbox.Network
	// Secret reports whether a file usually holds secrets, by its name relative to
	// the workspace. Without it, no file does.
	Secret func(path string) bool
	// Ignored reports whether git ignores a folder, by its absolute path: nobody adds
	// a repository in it. Without it, folders that usually hold dependencies and
	// build results count as ignored.
	Ignored func(path string) bool
	// Mine reports whether emendo itself has made what is at a path, as by an edit that was
	// reviewed: no command did. Without it, nothing was.
	Mine func(path string) bool
	// Outlet is a [sandbox.Outlet] that tells what the command asks for. Without it,
	// commands reach no hosts.
	Outlet func(ctx context.Context, w sandbox.WayOut, met *Met)
	// Blob returns the content of a file that git tracks, by its hash. Shown is a
	// private folder, which exists, for copies of such files and of git's settings
	// without their passwords. Without them git is not shown a secret that differs
	// from the index.
	Blob  func(tree, hash string) ([]byte, error)
	Shown string
}

// A Workspace makes the profiles of commands. It makes one for each command, since a
// workspace changes, and remembers what it has read of the workspace.
type Workspace struct {
	Options
	sweep   *sweep
	beside  *sweep // of the folders in Allowed
	indexes *indexes
	running running

	making  sync.Mutex
	ignores map[string]bool // whether git ignores folders that builds may make
	made    []string        // those that were made for them
}

// New returns a workspace of which nothing has been read.
func New(o Options) *Workspace {
	return &Workspace{Options: o, sweep: &sweep{secret: o.Secret, ignored: o.Ignored}, beside: &sweep{secret: o.Secret}, indexes: &indexes{}}
}

// search searches the workspace, and as far as possible the other folders that commands may
// write: what is protected in one is protected in the other. Those may be large, and are not
// searched to the end then; the error is of the workspace alone.
func (p *Workspace) search() (findings, error) {
	f, err := p.sweep.search(p.Folders)
	if l := p.allowedFolders(); len(l) > 0 {
		more, _ := p.beside.search(l) // as above
		f.add(more)
	}
	return f, err
}

// network returns what a command may reach of the network.
func (p *Workspace) network(extra Extra) sandbox.Network {
	if extra.Closed {
		return extra.Network
	}
	return p.Network.And(extra.Network)
}

// allowedFolders returns the folders in Allowed that are not in the workspace, without links.
func (p *Workspace) allowedFolders() []string {
	return slices.DeleteFunc(paths.ResolveAll(p.Allowed), func(dir string) bool { return !paths.IsRealFolder(dir) || paths.WithinAny(dir, p.Folders) })
}

// Profile returns what a command that is started now may reach, extended by extra.
func (p *Workspace) Profile(extra Extra) *Profile {
	home := paths.Resolve(p.Home)
	own := p.makeOwn(resolveAll(p.Folders, p.Allowed, extra.Write))
	p.sweep.alsoWatch(extra.Context)
	found, err := p.search()
	repos := p.repositories(&found)
	terms := termsOf(extra)
	found.guard(p, terms)
	prof := &Profile{Met: &Met{}, replaced: &pathList{}}
	prof.Profile = sandbox.Profile{
		Write:     resolveAll(p.Folders, p.Allowed, extra.Write),
		Read:      slices.Concat(toolchain.Folders(home, p.Environ), outsideOf(repos.all, p.Folders), gitSettings(home, toolchain.Variable(p.Environ, "XDG_CONFIG_HOME")), paths.ResolveAll(extra.Read), paths.ResolveAll(extra.Outputs)),
		Hidden:    slices.Concat(secretsOf(home), own.folders, found.hidden),
		Protected: slices.Concat(found.protected, found.git),
		Kept:      slices.Concat(foldersAbove(found, slices.Concat(p.Folders, p.allowedFolders())), own.above),
		Network:   p.network(extra),
		Session:   extra.Session,
		Home:      home, Temp: paths.Resolve(cmp.Or(extra.Temp, p.Temp)), Cache: paths.Resolve(p.Cache),
	}
	prof.before = before{place: p, known: marksOf(slices.Concat(found.protected, found.links)), allowed: paths.ResolveAll(extra.Write), absent: own.absent, own: own, terms: terms}
	prof.OnReplaced = prof.replaced.add
	if p.Outlet != nil {
		prof.Outlet = func(ctx context.Context, w sandbox.WayOut) { p.Outlet(ctx, w, prof.Met) }
	}
	if prof.Network.All {
		prof.Read = append(prof.Read, resolverFiles()...)
	}
	prof.follow(found)
	if extra.Unasked && extra.Git.Writes && repos.launch() {
		extra.Git.Writes = false // it would write git's data too
	}
	prof.openGit(repos, extra.gitUse())
	prof.before.spots = p.spotsOf(repos, found, prof.before.absent)
	if err != nil {
		prof.Incomplete = unseen(err)
	}
	prof.showTracked(p, repos.all, found.hidden, extra.Git)
	prof.withhold(p, repos.settingsFiles(found), extra)
	for _, l := range append(toolchain.SearchPath(p.Environ), p.Home) {
		if filepath.IsAbs(l) {
			prof.Links = append(prof.Links, filepath.Clean(l))
		}
	}
	prof.Hidden = paths.Except(prof.Hidden, append(prof.Write, prof.Read...))
	prof.Protected = paths.Except(prof.Protected, prof.Write)
	prof.dropUnkept()
	prof.EndIfReplaced = paths.Except(slices.Clone(prof.before.sealed), prof.Write) // a file that may be written has no mount
	prof.showCopies(extra.Copies, p.Secret)
	if extra.Keeps {
		prof.keepWorkspace(p, found, extra)
	}
	for _, l := range []*[]string{&prof.Write, &prof.Read, &prof.Hidden, &prof.Protected, &prof.Kept, &prof.Links} {
		slices.Sort(*l)
		*l = slices.Compact(*l)
	}
	return prof
}

// unseen returns the error of a workspace that could not be searched, so that no
// command runs.
func unseen(err error) error {
	if errors.Is(err, errTooMany) {
		return fmt.Errorf("%w (more than %d) to check what to protect, so no command runs; have git ignore folders of dependencies, open a smaller folder, or switch tools.sandbox off", err, mostFolders)
	}
	return fmt.Errorf("a folder of the workspace cannot be checked for what to protect, so no command runs; make it readable: %w", err)
}

// showCopies has a command see copies in place of files. One outside what it may reach
// becomes readable, unless it is hidden or named like a secret.
func (p *Profile) showCopies(copies map[string]string, secret func(path string) bool) {
	for path, copied := range copies {
		real := paths.Resolve(path)
		inside := paths.WithinAny(real, p.Write)
		if !inside && (paths.WithinAny(real, p.Hidden) || secret != nil && secret(real)) {
			continue
		}
		if p.Shown == nil {
			p.Shown = map[string]string{}
		}
		p.Shown[real] = copied
		if inside {
			p.Protected = append(p.Protected, real)
		} else {
			p.Read = append(p.Read, real)
			p.Links = append(p.Links, path)
		}
		p.EndIfReplaced = append(p.EndIfReplaced, real)
	}
}

// follow protects and hides the targets of links, since links themselves cannot be
// protected.
func (p *Profile) follow(found findings) {
	for _, l := range found.links {
		if to := paths.Resolve(l); paths.WithinAny(to, p.Write) {
			p.Protected = append(p.Protected, to)
		}
	}
	for _, l := range found.aliases {
		if to := paths.Resolve(l); paths.WithinAny(to, p.Write) && paths.IsFile(to) {
			p.Hidden = append(p.Hidden, to)
		}
	}
}

// Extra widens what a command may reach beyond its workspace, by the user's permission.
type Extra struct {
	Write   []string // absolute
	Read    []string // absolute
	Session string   // its commands share a network at level A
	Temp    string   // the session's own folder for temporary files, which exists; empty: the workspace's
	Outputs []string // absolute; stored long outputs, which all commands of a session may read
	Network sandbox.Network
	Git     GitUse
	// Copies are files that the command reads as they were approved, wherever they are:
	// copies by the paths of the files. The command is ended when one is replaced.
	Copies  map[string]string
	Context []string // names of further context files, beside the usual ones
	// Unasked, Untrusted, Closed and Keeps are the terms of the command, see [tools.Access].
	Unasked, Untrusted, Closed, Keeps bool
}

// A GitUse describes what a command is known to do with git.
type GitUse struct {
	Calls bool
	Alone bool // no program but git reads the workspace
	// Writes: it may write git's data, by permission of the policy or the user, or since
	// nothing but git runs, with the environment of [sandbox.GitAlone].
	Writes bool
}

// gitUse returns what the command may do with git. One that leaves the workspace as it was
// writes none of git's data.
func (w Extra) gitUse() GitUse {
	use := w.Git
	use.Writes = use.Writes && !w.Keeps
	return use
}

// resolveAll returns the paths of the lists without links.
func resolveAll(lists ...[]string) (all []string) {
	for _, l := range lists {
		all = append(all, paths.ResolveAll(l)...)
	}
	return all
}

// resolverFiles returns the targets of the resolver's configuration files that are
// links out of /etc.
func resolverFiles() []string {
	var l []string
	for _, f := range []string{"/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf"} {
		if real, err := filepath.EvalSymlinks(f); err == nil && !paths.WithinAny(real, profile.SystemFolders) {
			l = append(l, real)
		}
	}
	return l
}
