package reach

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/emendo-dev/emendo/internal/gitdir"
	"github.com/emendo-dev/emendo/internal/sandbox/paths"
)

// A Moved is what a command made and may not make, and where it is now.
type Moved struct{ From, To string }

// A mark is what a protected thing is known again by. A command cannot take it
// out of its folder or put another in its place; but it can rename the folder,
// and replace a link.
type mark struct {
	name string
	in   os.FileInfo // the folder that holds it
	link string      // where it leads, if it is a link
}

// markOf fails when what is at a path is gone.
func markOf(path string) (mark, error) {
	in, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return mark{}, err
	}
	m := mark{name: filepath.Base(path), in: in}
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&os.ModeSymlink != 0 {
		m.link, err = os.Readlink(path)
	}
	return m, err
}

func (m mark) same(as mark) bool {
	return m.name == as.name && m.link == as.link && os.SameFile(m.in, as.in)
}

// marksOf are those of what is still there.
func marksOf(paths []string) []mark {
	var l []mark
	for _, p := range paths {
		if m, err := markOf(p); err == nil {
			l = append(l, m)
		}
	}
	return l
}

// before is what was known of a workspace when a profile was made.
type before struct {
	place   *Workspace // nil: there is none
	known   []mark     // protected
	absent  []string   // would be protected, in what there is leave to write
	allowed []string   // leave was given to write these

	git          []string // git's folders whose data may be written
	instructions []gitdir.Instruction
	strays       []gitdir.Stray
	sealed       []string // what of them was there
	unread       []string // indexes
	settings     []settings
}

// Created is what was made, since the profile was made, under a name that is
// protected: git, an editor or a shell will go by it. The error says why there may
// be more.
func (p *Profile) Created() ([]string, error) { return p.before.made() }

func (b before) made() ([]string, error) {
	if b.place == nil {
		return nil, nil
	}
	made := slices.DeleteFunc(slices.Clone(b.absent), func(path string) bool { return !paths.Exists(path) })
	now, err := b.place.sweep.look(b.place.Folders)
	repos := b.place.repositories(&now)
	for _, path := range slices.Concat(now.protected, now.links, b.sealed) {
		m, err := markOf(path)
		if err == nil && !slices.ContainsFunc(b.known, m.same) && !paths.UnderAny(path, b.allowed) {
			made = append(made, path)
		}
	}
	for _, dir := range b.git {
		for _, i := range gitdir.Instructions(dir) {
			if !slices.Contains(b.instructions, i) {
				made = append(made, i.Path)
			}
		}
		strays, many := gitdir.Strays(dir)
		for _, s := range strays {
			if !slices.Contains(b.strays, s) {
				made = append(made, s.Path)
			}
		}
		err = errors.Join(err, many)
	}
	for _, s := range b.settings {
		if s.changed() {
			made = append(made, s.path)
		}
	}
	for _, path := range repos.unread { // git may read more of it
		if !slices.Contains(b.unread, path) && paths.UnderAny(path, b.git) {
			made = append(made, path)
		}
	}
	slices.Sort(made)
	return slices.Compact(made), err
}

// mostRounds bounds how often it is looked for what a command made.
const mostRounds = 10

// MoveAside moves away what [Profile.Created] gives, and what of that is still taken for
// something else in its new place, such as the parts of a repository. It is called
// when the command has ended.
func (p *Profile) MoveAside() ([]Moved, error) {
	var moved []Moved
	var seen []string // which need not be moved again
	var errs []error
	for range mostRounds {
		made, err := p.Created()
		if err != nil && len(errs) == 0 {
			errs = append(errs, fmt.Errorf("what the command made could not be looked through: %w", err))
		}
		made = slices.DeleteFunc(made, func(path string) bool { return slices.Contains(seen, path) })
		if len(made) == 0 {
			break
		}
		for _, path := range made {
			if !paths.Exists(path) {
				continue // with what it was in
			}
			to, err := p.before.moveAside(path)
			switch {
			case err != nil:
				seen = append(seen, path)
				errs = append(errs, fmt.Errorf("%s was made by the command, is protected, and could not be moved away: %w", path, err))
			case !slices.ContainsFunc(moved, func(m Moved) bool { return paths.Below(path, m.To) }):
				moved = append(moved, Moved{path, to})
			}
			seen = append(seen, to)
		}
		for _, s := range p.before.settings {
			errs = append(errs, s.restore())
		}
	}
	return moved, errors.Join(errs...)
}

// folderOf is what a path is moved in: the innermost of the workspace's folders
// that hold it, or else its own.
func (b before) folderOf(path string) string {
	var folder string
	for _, r := range b.place.Folders {
		if len(r) > len(folder) && paths.Below(path, r) {
			folder = r
		}
	}
	return cmp.Or(folder, filepath.Dir(path))
}

// moveAside gives what is at a path another name, which is not protected.
// Another command may still be at work there: no link leads out of the folder.
func (b before) moveAside(path string) (string, error) {
	folder := b.folderOf(path)
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", err
	}
	defer root.Close()
	rel, err := filepath.Rel(folder, path)
	if err != nil {
		return "", err
	}
	from, name := filepath.Split(rel)
	dir := from
	for _, git := range b.git { // where git reads all that it finds in some of the folders
		if at, err := filepath.Rel(folder, git); err == nil && filepath.IsLocal(at) && len(at) < len(dir) && paths.Below(path, git) {
			dir = at
		}
	}
	for n := 1; ; n++ {
		to := filepath.Join(dir, "made-by-a-command-"+strconv.Itoa(n)+"-"+trimDots(name)+".aside")
		if _, err := root.Lstat(to); err == nil {
			continue
		}
		err := root.Rename(rel, to)
		if errors.Is(err, os.ErrPermission) && errors.Join(unlock(root, filepath.Join(".", from)), unlock(root, filepath.Join(".", dir))) == nil {
			err = root.Rename(rel, to)
		}
		if err != nil {
			return "", err
		}
		return filepath.Join(folder, to), nil
	}
}

// unlock lets a folder be changed, which the command may have seen to.
func unlock(root *os.Root, dir string) error {
	info, err := root.Stat(dir)
	if err != nil {
		return err
	}
	return root.Chmod(dir, info.Mode().Perm()|0o300)
}

// trimDots is a name without the dots that it begins with.
func trimDots(name string) string {
	for len(name) > 1 && name[0] == '.' {
		name = name[1:]
	}
	return name
}
