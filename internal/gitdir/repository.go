package gitdir

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/paths"
)

// A Repository is where git keeps the repository of a work tree.
type Repository struct {
	Tree   string // the work tree
	Git    string // directory with its index and HEAD
	Common string // directory shared with other work trees; else the same as Git
}

// At returns the repository of a work tree, links resolved. If .git is a file
// that names a directory, that must refer back to the work tree: otherwise the
// file might name any of the user's repositories.
func At(tree string) (Repository, bool) {
	dot := filepath.Join(tree, ".git")
	info, err := os.Lstat(dot)
	switch {
	case err != nil:
		return Repository{}, false
	case info.IsDir():
		return Repository{tree, dot, dot}, isGit(dot)
	case !info.Mode().IsRegular():
		return Repository{}, false
	}
	to := Pointer(tree)
	if to == "" {
		return Repository{}, false
	}
	dir, err := filepath.EvalSymlinks(to)
	if err != nil || !paths.Exists(filepath.Join(dir, "HEAD")) {
		return Repository{}, false
	}
	if common := readLine(filepath.Join(dir, "commondir")); common != "" {
		return linkedTree(tree, dot, dir, common)
	}
	return Repository{tree, dir, dir}, isGit(dir) && leadsTo(dir, tree)
}

// Pointer returns the directory that the .git file of a work tree names; "" if there is none.
func Pointer(tree string) string {
	to, ok := strings.CutPrefix(readLine(filepath.Join(tree, ".git")), "gitdir:")
	if to = strings.TrimSpace(to); !ok || to == "" {
		return ""
	}
	return paths.Absolute(to, tree)
}

// linkedTree returns a linked work tree of a repository.
func linkedTree(tree, dot, dir, common string) (Repository, bool) {
	back := readLine(filepath.Join(dir, "gitdir"))
	if back == "" || !paths.Same(paths.Absolute(back, dir), dot) {
		return Repository{}, false
	}
	common, err := filepath.EvalSymlinks(paths.Absolute(common, dir))
	if err != nil || filepath.Dir(filepath.Dir(dir)) != common || !isGit(common) {
		return Repository{}, false
	}
	return Repository{tree, dir, common}, true
}

// leadsTo reports whether the settings of a submodule's directory name its work
// tree.
func leadsTo(dir, tree string) bool {
	return slices.ContainsFunc(Settings(filepath.Join(dir, "config")), func(s Setting) bool {
		return s.Name() == "core.worktree" && paths.Same(paths.Absolute(s.Value, dir), tree)
	})
}

// isGit reports whether git takes a directory for a repository.
func isGit(dir string) bool {
	return paths.Exists(filepath.Join(dir, "HEAD")) && paths.Exists(filepath.Join(dir, "objects")) && paths.Exists(filepath.Join(dir, "refs"))
}

// sealed lists the entries of a repository's directory that configure git or
// make it run something. Everything else is data that git writes.
var sealed = []string{
	"config", "config.worktree", "hooks", "info", "commondir", "gitdir", "worktrees", "modules", "remotes", "branches",
	"objects/info/alternates", "objects/info/http-alternates", "lazygit.yml",
	"safe", // with it a user allows programs of a work tree to be run by name
}

// IsSealed reports whether a path, relative to a repository's directory and
// with slashes, is one of the entries that configure git, or inside one.
func IsSealed(rel string) bool {
	return slices.ContainsFunc(sealed, func(s string) bool { return rel == s || strings.HasPrefix(rel, s+"/") })
}

// Sealed returns the paths in a repository's directory that configure git or
// make it run something, whether they exist or not.
func Sealed(dir string) []string {
	var l []string
	for _, name := range sealed {
		l = append(l, filepath.Join(dir, filepath.FromSlash(name)))
	}
	return l
}

// mostPacks limits the number of pack files.
const mostPacks = 400

// Packs returns the pack files of a repository's directory. Git only adds to
// them, except when it repacks, which no command does in a sandbox.
func Packs(dir string) []string {
	var l []string
	entries, _ := os.ReadDir(filepath.Join(dir, "objects", "pack")) // there may be none
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasPrefix(e.Name(), "pack-") && len(l) < mostPacks {
			l = append(l, filepath.Join(dir, "objects", "pack", e.Name()))
		}
	}
	return l
}

// mostInner limits the number of directories searched below modules and
// worktrees.
const mostInner = 2000

// Inner returns the directories of submodules and linked work trees inside a
// repository's directory.
func Inner(dir string) []string {
	var l []string
	if entries, err := os.ReadDir(filepath.Join(dir, "worktrees")); err == nil {
		for _, e := range entries {
			if at := filepath.Join(dir, "worktrees", e.Name()); e.IsDir() && paths.Exists(filepath.Join(at, "commondir")) {
				l = append(l, at)
			}
		}
	}
	next := []string{filepath.Join(dir, "modules")}
	for seen := 0; len(next) > 0 && seen < mostInner; seen++ {
		at := next[0]
		next = next[1:]
		if isGit(at) {
			l = append(l, at)
			l = append(l, Inner(at)...)
			continue
		}
		entries, _ := os.ReadDir(at) // usually there are none
		for _, e := range entries {
			if e.IsDir() {
				next = append(next, filepath.Join(at, e.Name()))
			}
		}
	}
	return l
}

// longest limits how much of a settings file is read, in bytes.
const longest = 256 << 10

// Settings returns the settings of a file; none if it cannot be read.
func Settings(file string) []Setting { return ParseConfig(readStart(file, longest)) }

// readLine returns the text of a one-line file, without surrounding white space.
func readLine(path string) string { return strings.TrimSpace(readStart(path, 8<<10)) }

// readStart returns the beginning of a regular file; empty for anything else, such
// as a pipe that a command created.
func readStart(path string, most int64) string {
	b, _ := paths.ReadRegular(path, most) // whatever was read counts
	return string(b)
}

// Around returns the repository whose work tree contains a directory, searching
// upwards to top.
func Around(dir, top string) (Repository, bool) {
	for {
		if r, ok := At(dir); ok {
			return r, true
		}
		if dir == top || dir == filepath.Dir(dir) {
			return Repository{}, false
		}
		dir = filepath.Dir(dir)
	}
}

// Nearest returns the nearest repository around a directory as its .git entry names it. It
// is not checked, so it is for what is told about a repository, not for what is trusted.
func Nearest(dir string) (Repository, bool) {
	for {
		dot := filepath.Join(dir, ".git")
		switch info, err := os.Lstat(dot); {
		case err != nil:
		case info.IsDir():
			return Repository{dir, dot, dot}, true
		case info.Mode().IsRegular():
			to := Pointer(dir)
			return Repository{dir, to, to}, true
		}
		if dir == filepath.Dir(dir) {
			return Repository{}, false
		}
		dir = filepath.Dir(dir)
	}
}

// mostRefs limits how much of packed-refs is read, in bytes.
const mostRefs = 16 << 20

// Refs returns the full names of refs that begin with a prefix, such as
// "refs/remotes/", and end with a name.
func (r Repository) Refs(prefix, name string) []string {
	var l []string
	if strings.Contains(name, "..") || strings.HasPrefix(name, "/") || name == "" {
		return nil
	}
	if paths.Exists(filepath.Join(r.Common, filepath.FromSlash(prefix), filepath.FromSlash(name))) {
		l = append(l, prefix+name)
	}
	entries, _ := os.ReadDir(filepath.Join(r.Common, filepath.FromSlash(prefix))) // there may be none
	for _, e := range entries {
		if ref := prefix + e.Name() + "/" + name; e.IsDir() && paths.Exists(filepath.Join(r.Common, filepath.FromSlash(ref))) {
			l = append(l, ref)
		}
	}
	for text := range strings.Lines(readStart(filepath.Join(r.Common, "packed-refs"), mostRefs)) {
		_, ref, _ := strings.Cut(strings.TrimSpace(text), " ")
		if rest, ok := strings.CutPrefix(ref, prefix); ok && !slices.Contains(l, ref) {
			if _, branch, _ := strings.Cut(rest, "/"); rest == name || branch == name {
				l = append(l, ref)
			}
		}
	}
	return l
}
