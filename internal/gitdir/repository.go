package gitdir

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// A Repository is what a .git of a work tree leads to.
type Repository struct {
	Tree   string // the work tree
	Git    string // the folder with its index and HEAD
	Common string // the folder with what it shares with other work trees; Git, if it shares nothing
}

// At returns the repository of a work tree, links resolved. There is none where
// .git is a file that leads to a folder which does not lead back: whoever wrote
// the file may have named any repository of the user's.
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
	to, ok := strings.CutPrefix(line(dot), "gitdir:")
	if to = strings.TrimSpace(to); !ok || to == "" {
		return Repository{}, false
	}
	dir, err := filepath.EvalSymlinks(absolute(tree, to))
	if err != nil || !exists(filepath.Join(dir, "HEAD")) {
		return Repository{}, false
	}
	if common := line(filepath.Join(dir, "commondir")); common != "" {
		return linkedTree(tree, dot, dir, common)
	}
	return Repository{tree, dir, dir}, isGit(dir) && leadsTo(dir, tree)
}

// linkedTree is a work tree of a repository that has several.
func linkedTree(tree, dot, dir, common string) (Repository, bool) {
	back := line(filepath.Join(dir, "gitdir"))
	if back == "" || !same(absolute(dir, back), dot) {
		return Repository{}, false
	}
	common, err := filepath.EvalSymlinks(absolute(dir, common))
	if err != nil || filepath.Dir(filepath.Dir(dir)) != common || !isGit(common) {
		return Repository{}, false
	}
	return Repository{tree, dir, common}, true
}

// leadsTo reports whether the settings of a submodule's folder name its work tree.
func leadsTo(dir, tree string) bool {
	for _, s := range Settings(filepath.Join(dir, "config")) {
		if s.Name() == "core.worktree" && same(absolute(dir, s.Value), tree) {
			return true
		}
	}
	return false
}

// isGit reports whether git takes a folder for a repository's own.
func isGit(dir string) bool {
	return exists(filepath.Join(dir, "HEAD")) && exists(filepath.Join(dir, "objects")) && exists(filepath.Join(dir, "refs"))
}

// sealed are the entries of a repository's folder that configure git or make it
// run something. Everything else in there is data that git writes as it works.
var sealed = []string{
	"config", "config.worktree", "hooks", "info", "commondir", "gitdir", "worktrees", "modules", "remotes", "branches",
	"objects/info/alternates", "objects/info/http-alternates", "lazygit.yml",
	"safe", // by which a user says that the programs of a work tree may be run by name
}

// IsSealed reports whether a path, relative to a repository's folder and with
// slashes, is in one of the entries that configure git.
func IsSealed(rel string) bool {
	return slices.ContainsFunc(sealed, func(s string) bool { return rel == s || strings.HasPrefix(rel, s+"/") })
}

// Sealed are the paths in a repository's folder that configure git or make it run
// something, whether they exist or not.
func Sealed(dir string) []string {
	var l []string
	for _, name := range sealed {
		l = append(l, filepath.Join(dir, filepath.FromSlash(name)))
	}
	return l
}

// mostPacks bounds the files of packs that are kept.
const mostPacks = 400

// Packs are the files that hold the packed history of a repository's folder. Git
// adds to them, and removes none but when it packs anew, which no command does in a
// sandbox.
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

// mostInner bounds the folders that are looked at below modules and worktrees.
const mostInner = 2000

// Inner are the folders of submodules and of other work trees that a repository's
// folder holds.
func Inner(dir string) []string {
	var l []string
	if entries, err := os.ReadDir(filepath.Join(dir, "worktrees")); err == nil {
		for _, e := range entries {
			if at := filepath.Join(dir, "worktrees", e.Name()); e.IsDir() && exists(filepath.Join(at, "commondir")) {
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
		entries, _ := os.ReadDir(at) // mostly there are none
		for _, e := range entries {
			if e.IsDir() {
				next = append(next, filepath.Join(at, e.Name()))
			}
		}
	}
	return l
}

// longest is how much of a file of settings is read, in bytes.
const longest = 256 << 10

// Settings are those of a file; none, where it cannot be read.
func Settings(file string) []Setting { return ParseConfig(head(file, longest)) }

// line is the text of a file of one line, without the white space around it.
func line(path string) string { return strings.TrimSpace(head(path, 8<<10)) }

// head is the beginning of a regular file; empty for anything else, such as a
// pipe that a command has put there.
func head(path string, most int64) string {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	b, _ := io.ReadAll(io.LimitReader(f, most)) // what was read counts
	return string(b)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func absolute(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

// same reports whether two paths lead to the same file.
func same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// Around returns the repository in whose work tree a folder is, as far up as top.
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

// mostRefs is how much of the packed names of a repository is looked through, in
// bytes.
const mostRefs = 16 << 20

// Refs are the full names that a repository has below a prefix, such as
// "refs/remotes/", and that end in a name.
func (r Repository) Refs(prefix, name string) []string {
	var l []string
	if strings.Contains(name, "..") || strings.HasPrefix(name, "/") || name == "" {
		return nil
	}
	if exists(filepath.Join(r.Common, filepath.FromSlash(prefix), filepath.FromSlash(name))) {
		l = append(l, prefix+name)
	}
	entries, _ := os.ReadDir(filepath.Join(r.Common, filepath.FromSlash(prefix))) // there may be none
	for _, e := range entries {
		if ref := prefix + e.Name() + "/" + name; e.IsDir() && exists(filepath.Join(r.Common, filepath.FromSlash(ref))) {
			l = append(l, ref)
		}
	}
	for text := range strings.Lines(head(filepath.Join(r.Common, "packed-refs"), mostRefs)) {
		_, ref, _ := strings.Cut(strings.TrimSpace(text), " ")
		if rest, ok := strings.CutPrefix(ref, prefix); ok && !slices.Contains(l, ref) {
			if _, branch, _ := strings.Cut(rest, "/"); rest == name || branch == name {
				l = append(l, ref)
			}
		}
	}
	return l
}
