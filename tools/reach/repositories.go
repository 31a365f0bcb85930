package reach

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // git identifies content by it
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/internal/gitdir"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/protect"
	"github.com/emendo-dev/emendo/internal/sandbox/toolchain"
)

// mostRepositories bounds the number of repositories in a workspace.
const mostRepositories = 2000

// repositories returns the repositories of the workspace: those found, and the
// submodules in their indexes, wherever they are in the workspace. It adds to found
// these submodules, what the repositories' configuration has git run, and the user's
// own configuration files in the workspace.
func (p *Workspace) repositories(found *findings) repositories {
	var l repositories
	var next []string
	for _, path := range found.protected {
		if strings.EqualFold(filepath.Base(path), ".git") {
			next = append(next, filepath.Dir(path))
		}
	}
	seen := map[string]bool{}
	for len(next) > 0 && len(seen) < mostRepositories {
		tree := next[0]
		next = next[1:]
		if seen[tree] {
			continue
		}
		seen[tree] = true
		r, ok := gitdir.At(tree)
		if !ok {
			if dot := filepath.Join(tree, ".git"); paths.IsRealFolder(dot) { // a command may have broken it, and may repair it
				l.broken = append(l.broken, gitdir.Repository{Tree: tree, Git: dot, Common: dot})
			}
			continue
		}
		l.all = append(l.all, r)
		lists := p.indexes.listing(r, p.Secret)
		if lists.err != nil {
			l.unread = append(l.unread, filepath.Join(r.Git, "index"))
		}
		for _, sub := range lists.submodules {
			at := filepath.Join(tree, filepath.FromSlash(sub))
			dot := filepath.Join(at, ".git")
			if info, err := os.Lstat(dot); err != nil || paths.Resolve(at) != at {
				continue
			} else if info.Mode()&os.ModeSymlink != 0 {
				found.links = append(found.links, dot)
			} else if !slices.Contains(found.protected, dot) {
				found.protected = append(found.protected, dot)
			}
			next = append(next, at)
		}
	}
	named := p.atHome()
	for _, r := range slices.Concat(l.all, l.broken, around(p.Folders)) {
		named = append(named, r.Targets(p.Home, toolchain.Variable(p.Environ, "XDG_CONFIG_HOME"))...)
	}
	for _, t := range named {
		if real := paths.Resolve(t); p.seals(real, *found) {
			found.protected = append(found.protected, real)
		} else if paths.WithinAny(real, found.protected) {
			l.within = append(l.within, real)
		}
	}
	return l
}

// repositories holds the repositories of a workspace.
type repositories struct {
	all    []gitdir.Repository
	broken []gitdir.Repository
	within []string // paths in repositories that their configuration names
	unread []string // indexes that cannot be read
}

// launch reports whether settings of one of the repositories make git run a program even where
// nothing but git runs.
func (l repositories) launch() bool {
	return slices.ContainsFunc(l.all, func(r gitdir.Repository) bool { return r.Launches() != "" })
}

// around returns the repositories that contain the folders of a workspace.
func around(folders []string) []gitdir.Repository {
	var l []gitdir.Repository
	for _, f := range folders {
		if r, ok := gitdir.Around(filepath.Dir(f), ""); ok {
			l = append(l, r)
		}
	}
	return l
}

// atHome returns the user's own configuration files that are links, as to a workspace
// of dotfiles.
func (p *Workspace) atHome() []string {
	if p.Home == "" {
		return nil
	}
	var l []string
	for _, dir := range []string{p.Home, filepath.Join(p.Home, ".config"), toolchain.Variable(p.Environ, "XDG_CONFIG_HOME")} {
		if !filepath.IsAbs(dir) {
			continue
		}
		entries, _ := os.ReadDir(dir) // may not exist
		for _, e := range entries {
			if path := filepath.Join(dir, e.Name()); e.Type()&os.ModeSymlink != 0 && (dir != p.Home || e.Name()[0] == '.') {
				l = append(l, path)
			}
		}
	}
	return l
}

// seals reports whether a path that a repository's configuration names must be
// protected: it is in the workspace, is not one of its folders, and is not part of a
// repository, which is protected already.
func (p *Workspace) seals(target string, found findings) bool {
	return paths.Exists(target) && paths.WithinAny(target, p.Folders) && !slices.ContainsFunc(p.Folders, func(f string) bool { return paths.Within(f, target) }) &&
		!paths.WithinAny(target, found.protected)
}

// outsideOf returns the repositories' folders outside of the workspace, such as those
// of linked work trees and submodules.
func outsideOf(repos []gitdir.Repository, folders []string) []string {
	var l []string
	for _, r := range repos {
		for _, dir := range []string{r.Git, r.Common} {
			if !paths.WithinAny(dir, folders) {
				l = append(l, dir)
			}
		}
	}
	return l
}

// foldersAbove returns the folders between those of the workspace and the repositories
// in them, and those that make a file in them a protected one, as .cargo does with
// config.toml. A command that renamed one would hide the repository from the next command's
// profile, or could put another file in the place of the protected one.
func foldersAbove(found findings, folders []string) []string {
	var l []string
	for _, path := range slices.Concat(found.protected, found.git) {
		name, in := filepath.Base(path), filepath.Base(filepath.Dir(path))
		if alone, there := protect.Of(name), protect.Of(filepath.Join(in, name)); alone < there && there >= protect.Watched {
			if dir := filepath.Dir(path); paths.WithinAny(dir, folders) && !slices.Contains(folders, dir) {
				l = append(l, dir)
			}
			continue
		}
		if !strings.EqualFold(filepath.Base(path), ".git") && !slices.Contains(found.git, path) {
			continue
		}
		for dir := filepath.Dir(path); paths.WithinAny(dir, folders) && !slices.Contains(folders, dir); dir = filepath.Dir(dir) {
			l = append(l, dir)
		}
	}
	return l
}

// openGit lets a command write git's data if its use of git requires that, or if it has
// permission. Git's configuration stays protected.
func (p *Profile) openGit(repos repositories, use GitUse) {
	var dirs []string
	for _, w := range p.Write {
		if filepath.Base(w) == ".git" && paths.Exists(w) {
			dirs = append(dirs, w)
		}
	}
	for _, r := range repos.all {
		if use.Writes {
			dirs = append(dirs, r.Git, r.Common)
		}
	}
	asked := slices.Clone(p.Write)
	for n := 0; n < len(dirs); n++ {
		dir := dirs[n]
		if slices.Contains(dirs[:n], dir) {
			continue
		}
		if !paths.IsRealFolder(dir) {
			continue
		}
		p.Write, p.Kept = append(p.Write, dir), append(p.Kept, dir)
		p.before.git = append(p.before.git, dir)
		for _, path := range gitdir.Sealed(dir) {
			p.protectSealed(path, asked)
		}
		p.Protected = append(p.Protected, gitdir.Packs(dir)...)
		for _, inner := range gitdir.Inner(dir) {
			if paths.Within(inner, filepath.Join(dir, "modules")) {
				dirs = append(dirs, inner)
			}
		}
	}
	for _, path := range repos.within {
		if paths.WithinAny(path, p.before.git) {
			p.protectSealed(path, asked)
		}
	}
	for _, dir := range p.before.git {
		p.before.instructions = append(p.before.instructions, gitdir.Instructions(dir)...)
		strays, err := gitdir.Strays(dir)
		if p.before.strays = append(p.before.strays, strays...); err != nil {
			p.Incomplete = fmt.Errorf("commands that write git's data cannot run, because emendo cannot check what to protect: %w", err)
		}
	}
	p.before.unread, p.before.settings = repos.unread, settingsOf(p.before.sealed)
}

// protectSealed protects a path from being changed or created, unless the command has permission
// for it.
func (p *Profile) protectSealed(path string, asked []string) {
	info, err := os.Lstat(path)
	switch {
	case err != nil && !slices.Contains(asked, path):
		p.before.absent = append(p.before.absent, path)
	case err == nil:
		p.before.sealed = append(p.before.sealed, path)
		p.before.known = append(p.before.known, marksOf([]string{path})...)
		if info.Mode()&os.ModeSymlink == 0 { // a link cannot be protected, but its change is seen
			p.Protected = append(p.Protected, path)
		}
	}
}

// dropUnkept removes from Kept the folders within what a command may not change or read,
// since a grant of their own would open them.
func (p *Profile) dropUnkept() {
	p.Kept = slices.DeleteFunc(p.Kept, func(dir string) bool {
		return !slices.Contains(p.Write, dir) && (paths.WithinAny(dir, p.Protected) || paths.WithinAny(dir, p.Hidden))
	})
}

// showTracked lets git read the secrets that it tracks, without which it cannot tell
// what has changed: files that equal the index as they are, and others as a copy of
// what the index has. Whoever can read git's objects can read that much anyway.
func (p *Profile) showTracked(place *Workspace, repos []gitdir.Repository, hidden []string, use GitUse) {
	if !use.Calls {
		return
	}
	for _, path := range hidden {
		r, ok := innermost(repos, path)
		if !ok {
			continue
		}
		rel, err := filepath.Rel(r.Tree, path)
		if err != nil {
			continue // it is below
		}
		hash := place.indexes.listing(r, place.Secret).secrets[filepath.ToSlash(rel)]
		switch {
		case hash == "": // it is not tracked
		case !use.Alone:
			p.Withheld = append(p.Withheld, path)
		case hash == blobOf(path, len(hash)):
			p.Hidden = paths.Except(p.Hidden, []string{path})
			if protected(filepath.Base(path)) {
				p.Protected = append(p.Protected, path)
			}
		default:
			p.Withheld = append(p.Withheld, path)
			if copied, err := place.copyOf(r.Tree, hash); err == nil {
				if p.Shown == nil {
					p.Shown = map[string]string{}
				}
				p.Shown[path] = copied
			}
		}
	}
}

// innermost returns the innermost repository whose work tree contains a path.
func innermost(repos []gitdir.Repository, path string) (in gitdir.Repository, ok bool) {
	for _, r := range repos {
		if paths.Within(path, r.Tree) && len(r.Tree) > len(in.Tree) {
			in, ok = r, true
		}
	}
	return in, ok
}

// mostSecret bounds the size of a secret that is compared with the index, in bytes.
const mostSecret = 1 << 20

// blobOf returns git's hash of a file's content, with the given number of digits, or
// "".
func blobOf(path string, digits int) string {
	b, err := paths.ReadRegular(path, mostSecret+1)
	if err != nil || len(b) > mostSecret {
		return ""
	}
	b = append(fmt.Appendf(nil, "blob %d\x00", len(b)), b...)
	if digits == hex.EncodedLen(sha256.Size) {
		sum := sha256.Sum256(b)
		return hex.EncodeToString(sum[:])
	}
	sum := sha1.Sum(b) //nolint:gosec // as above
	return hex.EncodeToString(sum[:])
}

// copyOf returns a file with the content of a blob.
func (p *Workspace) copyOf(tree, hash string) (string, error) {
	if p.Blob == nil || p.Shown == "" {
		return "", errors.New("copies are not available")
	}
	b, err := p.Blob(tree, hash)
	if err != nil {
		return "", err
	}
	return p.keepCopy(hash, b)
}

// keepCopy stores a copy that is shown instead of a file.
func (p *Workspace) keepCopy(name string, b []byte) (string, error) {
	path := filepath.Join(p.Shown, name)
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, b) {
		return path, nil
	}
	f, err := os.CreateTemp(p.Shown, name+"-")
	if err != nil {
		return "", err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return path, err
}

// indexes caches what the indexes of repositories list, since most commands change none.
type indexes struct {
	mu  sync.Mutex
	was map[string]listed // by the path of the index
}

// listed is the content of an index.
type listed struct {
	err        error // why it could not be read completely
	changed    time.Time
	size       int64
	read       time.Time
	submodules []string
	secrets    map[string]string // hashes of files that look like secrets, by path
}

// listing returns what a repository's index lists, or nothing if it cannot be read.
func (l *indexes) listing(r gitdir.Repository, secret func(string) bool) listed {
	l.mu.Lock()
	defer l.mu.Unlock()
	path := filepath.Join(r.Git, "index")
	info, err := os.Lstat(path)
	if err != nil {
		return listed{}
	}
	changed, _ := statusOf(info)
	if was, ok := l.was[path]; ok && was.changed.Equal(changed) && was.size == info.Size() && was.read.Sub(changed) >= 2*time.Second {
		return was
	}
	now := listed{changed: changed, size: info.Size(), read: time.Now(), secrets: map[string]string{}}
	now.err = r.Index(func(e gitdir.Entry) { // use what could be read
		switch {
		case e.Mode == gitdir.Submodule:
			now.submodules = append(now.submodules, e.Path)
		case secret != nil && secret(e.Path):
			now.secrets[e.Path] = hex.EncodeToString(e.Hash)
		}
	})
	if l.was == nil {
		l.was = map[string]listed{}
	}
	l.was[path] = now
	return now
}
