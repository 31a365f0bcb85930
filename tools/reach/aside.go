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
	"github.com/emendo-dev/emendo/internal/paths"
)

// A Moved is something that a command has created and must not create, and where it has
// been moved.
type Moved struct{ From, To string }

// A mark identifies a protected file. A command can neither remove the file from its
// folder nor replace it, but it can rename the folder, and replace a link.
type mark struct {
	name string
	in   os.FileInfo // its folder
	link string      // its target, if it is a link
}

// markOf returns an error if nothing is at the path.
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

func (m mark) equals(as mark) bool {
	return m.name == as.name && m.link == as.link && os.SameFile(m.in, as.in)
}

// marksOf returns the marks of the paths that exist.
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
	place   *Workspace // nil: none
	known   []mark     // protected
	absent  []string   // protected names that do not exist, in what may be written
	allowed []string   // may be written, by permission
	own     own
	terms   terms
	spots   []string // folders to watch
	back    []string // what the user had put back while the command ran

	git          []string // git's folders whose data may be written
	instructions []gitdir.Instruction
	strays       []gitdir.Stray
	sealed       []string // the protected files in them that existed
	unread       []string // indexes that could not be read
	settings     []settings
}

// Created returns what has been created under protected names since the profile was
// made; git, an editor or a shell would act on it. The error says why there may be
// more.
func (p *Profile) Created() ([]string, error) { return p.before.createdPaths() }

func (b before) createdPaths() ([]string, error) {
	if b.place == nil {
		return nil, nil
	}
	made := slices.DeleteFunc(slices.Clone(b.absent), func(path string) bool { return !paths.Exists(path) })
	made = append(made, b.own.replaced()...)
	now, err := b.place.search()
	repos := b.place.repositories(&now)
	now.guard(b.place, b.terms)
	for _, path := range slices.Concat(now.protected, now.links, b.sealed) {
		m, err := markOf(path)
		if err == nil && !slices.ContainsFunc(b.known, m.equals) && !paths.WithinAny(path, b.allowed) && !slices.Contains(b.back, path) && !b.place.isMine(path) && !b.place.running.isBack(path) {
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
	for _, path := range repos.unread { // git may read more of it than emendo
		if !slices.Contains(b.unread, path) && paths.WithinAny(path, b.git) {
			made = append(made, path)
		}
	}
	slices.Sort(made)
	return slices.Compact(made), err
}

// mostRounds bounds how often MoveAside looks for what a command has created.
const mostRounds = 10

// MoveAside moves away what [Profile.Created] returns, again and again, since parts of
// it may be protected in their new place too, such as those of a repository. Call it
// when the command has ended.
func (p *Profile) MoveAside() ([]Moved, error) {
	var moved []Moved
	var seen []string // not to be moved again
	var errs []error
	for range mostRounds {
		made, err := p.Created()
		if err != nil && len(errs) == 0 {
			errs = append(errs, fmt.Errorf("check what the command created: %w", err))
		}
		made = slices.DeleteFunc(made, func(path string) bool { return slices.Contains(seen, path) })
		if len(made) == 0 {
			break
		}
		for _, path := range made {
			if !paths.Exists(path) {
				continue // moved together with its folder
			}
			to, err := p.before.moveAside(path)
			switch {
			case err != nil:
				seen = append(seen, path)
				errs = append(errs, fmt.Errorf("%s was created by the command, is protected, and could not be moved aside: %w", path, err))
			case !slices.ContainsFunc(moved, func(m Moved) bool { return paths.Within(path, m.To) }):
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

// folderOf returns the folder within which a path is moved: the innermost folder of the
// workspace that contains it, or else its own.
func (b before) folderOf(path string) string {
	var folder string
	for _, r := range b.place.Folders {
		if len(r) > len(folder) && paths.Within(path, r) {
			folder = r
		}
	}
	return cmp.Or(folder, filepath.Dir(path))
}

// moveAside renames a file to a name that is not protected. Other commands may be
// running there, so it follows no link out of the folder.
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
	for _, git := range b.git { // git reads everything in some folders, so move it to the top
		if at, ok := paths.CutFolder(git, folder); ok && len(at) < len(dir) && paths.Within(path, git) {
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

// unlock makes a folder writable for its owner again.
func unlock(root *os.Root, dir string) error {
	info, err := root.Stat(dir)
	if err != nil {
		return err
	}
	return root.Chmod(dir, info.Mode().Perm()|0o300)
}

// trimDots returns a name without its leading dots.
func trimDots(name string) string {
	for len(name) > 1 && name[0] == '.' {
		name = name[1:]
	}
	return name
}
