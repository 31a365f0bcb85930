package protect

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/gitdir"
	"github.com/emendo-dev/emendo/internal/paths"
)

// A Place determines levels in a workspace as it is on the disk.
type Place struct {
	Tree *disk.Tree
	// Own holds directories of emendo's own, absolute, links resolved: they are
	// sealed in a workspace that contains them.
	Own []string
}

// At returns the level of an absolute path, links resolved: by its names, and
// by what is around it. A directory that git takes for a repository is sealed
// whatever its name is, as are the target of a .git file and what a
// repository's settings make git run or read as settings.
func (l Place) At(name string) Level {
	if l.isOwn(name) {
		return Sealed
	}
	p, err := l.Tree.At(name)
	if err != nil { // it is outside
		return Of(name)
	}
	level := Of(p.Rel)
	if level == Sealed || l.isGit(p) {
		return Sealed
	}
	return level
}

// isOwn reports whether a path is in a directory of emendo's own, by its name or, if it is
// known by another one, by what is there.
func (l Place) isOwn(name string) bool {
	var own []os.FileInfo
	for _, dir := range l.Own {
		if paths.Within(name, dir) {
			return true
		}
		if info, err := os.Stat(dir); err == nil {
			own = append(own, info)
		}
	}
	for at := name; len(own) > 0; at = filepath.Dir(at) {
		if info, err := os.Stat(at); err == nil && slices.ContainsFunc(own, func(o os.FileInfo) bool { return os.SameFile(o, info) }) {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
	return false
}

// isGit reports whether p is in a repository's own directory.
func (l Place) isGit(p disk.Path) bool {
	at := disk.Path{Abs: p.Root, Root: p.Root, Rel: "."}
	rest := p.Rel
	for {
		if l.hasParts(at) || gitLeadsTo(at, p) || named(at, p) {
			return true
		}
		name, more, found := strings.Cut(rest, "/")
		if !found {
			return false
		}
		at, rest = at.Join(name), more
	}
}

// hasParts reports whether git takes a directory for a repository: a bare one,
// or one that is not called .git.
func (l Place) hasParts(dir disk.Path) bool {
	if !l.hasType(dir.Join("HEAD"), false) {
		return false
	}
	return l.hasType(dir.Join("objects"), true) && l.hasType(dir.Join("refs"), true) || l.hasType(dir.Join("commondir"), false)
}

func (l Place) hasType(p disk.Path, folder bool) bool {
	i, err := l.Tree.Stat(p)
	return err == nil && i.IsDir() == folder
}

// named reports whether the settings of a directory's repository make git run
// p, or read it as further settings.
func named(dir, p disk.Path) bool {
	r, ok := gitdir.At(dir.Abs)
	return ok && slices.ContainsFunc(r.Targets("", ""), func(t string) bool {
		real := disk.RealPath(t)
		return !paths.Within(dir.Abs, real) && paths.Within(p.Abs, real) // the whole work tree is not sealed
	})
}

// gitLeadsTo reports whether the .git of a directory, a link or a file that names
// another place, leads to a directory that contains p.
func gitLeadsTo(dir, p disk.Path) bool {
	git := dir.Join(".git")
	if real := disk.RealPath(git.Abs); real != git.Abs {
		return paths.Within(p.Abs, real)
	}
	to := gitdir.Pointer(dir.Abs)
	return to != "" && paths.Within(p.Abs, disk.RealPath(to))
}
