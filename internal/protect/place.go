package protect

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/gitdir"
)

// A Place says how far paths are kept from changes in a workspace as it is on
// the disk.
type Place struct {
	Tree *disk.Tree
	// Own are folders of emendo's own, absolute, links resolved: they are sealed
	// in a workspace that holds them.
	Own []string
}

// At is how far an absolute path, links resolved, is kept from changes: by its
// names, and by what lies around it. A folder that git takes for a repository's
// own is sealed under whatever name, as is what a file .git leads to, and what a
// repository's settings have git run or read as settings.
func (l Place) At(name string) Level {
	for _, own := range l.Own {
		if rel, err := filepath.Rel(own, name); err == nil && filepath.IsLocal(rel) {
			return Sealed
		}
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

// isGit says whether p lies in a folder of git's own.
func (l Place) isGit(p disk.Path) bool {
	at := disk.Path{Abs: p.Root, Root: p.Root, Rel: "."}
	rest := p.Rel
	for {
		if l.hasParts(at) || l.ledTo(at, p) || named(at, p) {
			return true
		}
		name, more, found := strings.Cut(rest, "/")
		if !found {
			return false
		}
		at, rest = at.Join(name), more
	}
}

// hasParts says whether git takes a folder for a repository's own: a bare one,
// or one that is not called .git.
func (l Place) hasParts(dir disk.Path) bool {
	if !l.is(dir.Join("HEAD"), false) {
		return false
	}
	return l.is(dir.Join("objects"), true) && l.is(dir.Join("refs"), true) || l.is(dir.Join("commondir"), false)
}

func (l Place) is(p disk.Path, folder bool) bool {
	i, err := l.Tree.Stat(p)
	return err == nil && i.IsDir() == folder
}

// named reports whether the settings of the repository of a folder have git run what
// is at p, or read it as further settings.
func named(dir, p disk.Path) bool {
	r, ok := gitdir.At(dir.Abs)
	return ok && slices.ContainsFunc(r.Targets("", ""), func(t string) bool {
		real := disk.RealPath(t)
		return !below(real, dir.Abs) && below(real, p.Abs) // all of a work tree is not sealed
	})
}

// maxPointer is how long a file .git may be, in bytes.
const maxPointer = 8 << 10

// ledTo says whether the .git of a folder, a link or a file that names another
// place, leads to where p is.
func (l Place) ledTo(dir, p disk.Path) bool {
	git := dir.Join(".git")
	if real := disk.RealPath(git.Abs); real != git.Abs {
		return below(real, p.Abs)
	}
	if !l.is(git, false) {
		return false
	}
	b, err := l.Tree.ReadBytes(context.Background(), git, maxPointer) // a few bytes
	if err != nil {
		return false
	}
	to, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir:")
	if !ok {
		return false
	}
	if to = strings.TrimSpace(to); !path.IsAbs(filepath.ToSlash(to)) && !filepath.IsAbs(to) {
		to = filepath.Join(dir.Abs, to)
	}
	return below(disk.RealPath(to), p.Abs)
}

func below(dir, name string) bool {
	rel, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(rel)
}
