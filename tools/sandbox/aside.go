package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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

// Aside moves away what was made, since the profile was made, under a name that
// is protected: git, an editor or a shell would have gone by it. It is called
// when the command has ended.
func (p *Profile) Aside() ([]Moved, error) {
	if p.sweep == nil {
		return nil, nil
	}
	var moved []Moved
	var errs []error
	move := func(root, path string) {
		to, err := p.moveAside(root, path)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s was made by the command, is protected, and could not be moved away: %w", path, err))
			return
		}
		moved = append(moved, Moved{path, to})
	}
	for _, path := range p.absent {
		if exists(path) {
			move(filepath.Dir(path), path)
		}
	}
	now := p.sweep.look(p.roots)
	for _, path := range slices.Sorted(slices.Values(slices.Concat(now.protected, now.links))) {
		m, err := markOf(path)
		if err == nil && !slices.ContainsFunc(p.known, m.same) && !underAny(path, p.allowed) {
			move(p.rootOf(path), path)
		}
	}
	return moved, errors.Join(errs...)
}

// rootOf is the innermost of the workspace's folders that hold a path.
func (p *Profile) rootOf(path string) string {
	var root string
	for _, r := range p.roots {
		if len(r) > len(root) && below(path, r) {
			root = r
		}
	}
	return root
}

// moveAside gives what is at a path below a folder another name, which is not
// protected. Another command may still be at work there: no link leads out of
// the folder.
func (*Profile) moveAside(below, path string) (string, error) {
	root, err := os.OpenRoot(below)
	if err != nil {
		return "", err
	}
	defer root.Close()
	rel, err := filepath.Rel(below, path)
	if err != nil {
		return "", err
	}
	dir, name := filepath.Split(rel)
	for n := 1; ; n++ {
		to := filepath.Join(dir, "made-by-a-command-"+strconv.Itoa(n)+"-"+trimDots(name)+".aside")
		if _, err := root.Lstat(to); err == nil {
			continue
		}
		err := root.Rename(rel, to)
		if errors.Is(err, os.ErrPermission) && unlock(root, filepath.Join(".", dir)) == nil {
			err = root.Rename(rel, to)
		}
		if err != nil {
			return "", err
		}
		return filepath.Join(below, to), nil
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
