package reach

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/emendo-dev/emendo/internal/builds"
	"github.com/emendo-dev/emendo/internal/protect"
)

// mostFolders bounds the number of folders of a workspace that are searched for files
// to protect. With more, it is unknown what to protect, and no command runs.
var mostFolders = 100_000

// errTooMany says that a workspace exceeds mostFolders.
var errTooMany = errors.New("the workspace has too many folders")

// samplePlaces lists folders that contain keys for tests.
var samplePlaces = []string{"testdata", "test", "tests", "spec", "fixtures", "__fixtures__", "examples"}

// A sweep searches a workspace for what a command may not change or read. It runs
// before every command, so a folder is read again only if it has changed.
type sweep struct {
	secret  func(path string) bool // reports whether a path holds secrets, by its name
	ignored func(path string) bool // reports whether git ignores a folder; nil: all of [builds.Folders]

	mu      sync.Mutex
	names   []string // of files that are watched beside the usual ones
	folders map[string]*swept
	known   map[string]kept // findings by path
}

// kept identifies a finding, so that it is recognized after it was moved.
type kept struct {
	info os.FileInfo
	kind kind
}

// A kind is a set of restrictions on a finding.
type kind int

const (
	isHidden kind = 1 << iota
	isProtected
	isGitsOwn
)

// swept holds the entries of a folder when it was read.
type swept struct {
	changed time.Time
	read    time.Time
	below   []string // folders to search
	passed  []string // folders to search unless git ignores them
	err     error    // why it could not be read
	findings
}

// findings are the results of a sweep, as absolute paths.
type findings struct {
	protected []string // may not be changed or created
	git       []string // other parts of repositories; may not be changed
	hidden    []string // may not be read
	links     []string // protected names that are links; they cannot be protected, but their change is seen
	watched   []string // may not be changed by a command that nobody allowed; links too
	aliases   []string // names of secrets that are links; their targets may not be read
	builds    []string // folders of dependencies and builds that git ignores
	makes     []string // those that tools may make, which do not exist; git may not ignore them
}

// add adds more findings.
func (f *findings) add(more findings) {
	f.protected, f.git = append(f.protected, more.protected...), append(f.git, more.git...)
	f.hidden, f.links, f.aliases = append(f.hidden, more.hidden...), append(f.links, more.links...), append(f.aliases, more.aliases...)
	f.watched = append(f.watched, more.watched...)
	f.builds, f.makes = append(f.builds, more.builds...), append(f.makes, more.makes...)
}

// search searches the roots breadth-first, so that a large folder somewhere does not
// prevent it from finding what is close to a root. The error says that a root could not
// be read, or that there are too many folders.
func (s *sweep) search(roots []string) (findings, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	type place struct{ root, dir string }
	var next []place
	for _, root := range roots {
		next = append(next, place{root, root})
	}
	now := map[string]*swept{}
	var f findings
	var failed error
	for len(next) > 0 {
		level := next
		next = nil
		for _, at := range level {
			if now[at.dir] != nil {
				continue
			}
			if len(now) >= mostFolders {
				failed = errTooMany
				break
			}
			e := s.folder(at.root, at.dir)
			if e == nil {
				continue
			}
			now[at.dir] = e
			if e.err != nil && (at.dir == at.root || errors.Is(e.err, syscall.ENAMETOOLONG)) {
				failed = e.err
			}
			f.add(e.findings)
			for _, sub := range e.below {
				next = append(next, place{at.root, sub})
			}
			for _, sub := range e.passed {
				if s.ignored != nil && !s.ignored(sub) {
					next = append(next, place{at.root, sub})
				} else if builds.Folder(filepath.Base(sub)) {
					f.builds = append(f.builds, sub)
				}
			}
		}
	}
	s.folders = now
	s.follow(&f, roots)
	return f, failed
}

// alsoWatch has files of these names watched.
func (s *sweep) alsoWatch(names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range names {
		if !slices.Contains(s.names, name) {
			s.names, s.folders = append(s.names, name), nil // read all folders again
		}
	}
}

// follow adds earlier findings that have been moved to where nothing looks for them. A
// command can move a folder, and the next command could change or read what is in it.
func (s *sweep) follow(f *findings, roots []string) {
	was := s.known
	s.known = map[string]kept{}
	for _, l := range []struct {
		paths []string
		kind  kind
	}{{f.hidden, isHidden}, {f.protected, isProtected}, {f.git, isGitsOwn}} {
		for _, path := range l.paths {
			if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink == 0 {
				s.known[path] = kept{info, s.known[path].kind | l.kind}
			}
		}
	}
	keep := func(path string, k kept) {
		now := s.known[path].kind
		s.known[path] = kept{k.info, now | k.kind}
		for kind, paths := range map[kind]*[]string{isHidden: &f.hidden, isProtected: &f.protected, isGitsOwn: &f.git} {
			if k.kind&^now&kind != 0 {
				*paths = append(*paths, path)
			}
		}
	}
	lost := map[string][]kept{} // by name, which does not change
	for path, k := range was {
		if now, err := os.Lstat(path); err == nil && os.SameFile(now, k.info) {
			keep(path, k)
		} else if !s.has(k) {
			lost[filepath.Base(path)] = append(lost[filepath.Base(path)], k)
		}
	}
	if len(lost) == 0 {
		return
	}
	for _, root := range roots {
		_ = filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error { // skip what cannot be read
			if err != nil || lost[entry.Name()] == nil {
				return nil //nolint:nilerr // skipped
			}
			info, err := entry.Info()
			if err != nil {
				return nil //nolint:nilerr // skipped
			}
			for _, l := range lost[entry.Name()] {
				if os.SameFile(l.info, info) {
					keep(path, l)
				}
			}
			return nil
		})
	}
}

// has reports whether something that is gone from its place was found elsewhere, with
// the same restrictions.
func (s *sweep) has(k kept) bool {
	for _, now := range s.known {
		if k.kind&^now.kind == 0 && os.SameFile(now.info, k.info) {
			return true
		}
	}
	return false
}

// folder returns what a folder contains, from memory if it has not changed, or nil if
// it is gone.
func (s *sweep) folder(root, dir string) *swept {
	info, err := os.Lstat(dir)
	if errors.Is(err, syscall.ENAMETOOLONG) { // a command may reach it by a shorter name
		return &swept{err: err}
	}
	if err != nil || !info.IsDir() {
		return nil
	}
	changed, own := statusOf(info)
	// A folder that changed just before it was read may have changed once more
	// within the same tick of the file system's clock.
	if e := s.folders[dir]; e != nil && e.changed.Equal(changed) && e.read.Sub(changed) >= 2*time.Second {
		return e
	}
	e := &swept{changed: changed, read: time.Now()}
	entries, err := entriesOf(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case errors.Is(err, os.ErrPermission) && !own: // commands cannot read it either
	case err != nil: // hide the folder as a whole
		e.hidden, e.changed, e.err = []string{dir}, time.Time{}, err
	default:
		s.classify(e, root, dir, entries)
	}
	return e
}

// entriesOf lists a folder. It does not block if another command has replaced the
// folder by a pipe.
func entriesOf(dir string) ([]os.DirEntry, error) {
	d, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.ReadDir(-1)
}

// classify sorts the entries of a folder by what a command may do with them.
func (s *sweep) classify(e *swept, root, dir string, entries []os.DirEntry) {
	repository := isRepository(entries)
	if repository && dir != root {
		e.git = []string{dir}
	}
	passed := isPassedOver(root, dir)
	for _, entry := range entries {
		p := filepath.Join(dir, entry.Name())
		name, err := filepath.Rel(root, p)
		if err != nil {
			continue // it is below the root
		}
		if passed && !strings.EqualFold(entry.Name(), ".git") && !(repository && isHead(entry.Name())) {
			e.descend(entry, p)
			continue
		}
		for _, name := range builds.Beside(entry.Name()) {
			if !slices.ContainsFunc(entries, func(o os.DirEntry) bool { return o.Name() == name }) {
				e.makes = append(e.makes, filepath.Join(dir, name))
			}
		}
		link, hides := entry.Type()&os.ModeSymlink != 0, s.hides(name)
		if link && hides {
			e.aliases = append(e.aliases, p)
		}
		if repository && dir == root {
			e.git = append(e.git, p)
		}
		level := levelOf(name)
		switch {
		case isTrap(entry):
			e.protected = append(e.protected, p)
		case hides && !link && !entry.IsDir():
			if e.hidden = append(e.hidden, p); level >= protect.Guarded {
				e.protected = append(e.protected, p)
			}
		case level >= protect.Guarded || repository && isHead(entry.Name()): // without it, it is no repository
			if link {
				e.links = append(e.links, p)
			} else {
				e.protected = append(e.protected, p)
			}
		default:
			if level == protect.Watched || slices.Contains(s.names, entry.Name()) {
				e.watched = append(e.watched, p)
			}
			e.descend(entry, p)
		}
	}
	if slots := slices.DeleteFunc(slices.Clone(e.below), notSlot); len(slots) >= mostSlots {
		e.below, e.passed = slices.DeleteFunc(e.below, func(p string) bool { return !notSlot(p) }), append(e.passed, slots...)
	}
}

// descend adds a folder to those to search.
func (e *swept) descend(entry os.DirEntry, path string) {
	switch {
	case !entry.IsDir():
	case builds.Folder(entry.Name()):
		e.passed = append(e.passed, path)
	default:
		e.below = append(e.below, path)
	}
}

// isPassedOver reports whether a folder is, or is in, one of dependencies and build results.
// Those are large and contain neither the user's settings nor secrets. One that git does not
// ignore is searched for repositories only, since the user may add what is in it.
func isPassedOver(root, dir string) bool {
	rel, err := filepath.Rel(root, dir)
	return err == nil && builds.Within(filepath.ToSlash(rel))
}

// isTrap reports whether an entry is a pipe, a socket or a device with a name that git
// reads in every folder: git would block.
func isTrap(entry os.DirEntry) bool {
	return entry.Type()&(os.ModeNamedPipe|os.ModeSocket|os.ModeDevice) != 0 && slices.Contains([]string{".gitignore", ".gitattributes", ".gitmodules", ".mailmap"}, strings.ToLower(entry.Name()))
}

// isRepository reports whether git takes a folder for a repository: a bare one, that of
// a work tree, or one that is not called .git.
func isRepository(entries []os.DirEntry) bool {
	has := func(name string, dir bool) bool {
		return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
			return strings.EqualFold(e.Name(), name) && (e.IsDir() == dir || e.Type()&os.ModeSymlink != 0)
		})
	}
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return isHead(e.Name()) && !e.IsDir() }) && (has("objects", true) && has("refs", true) || has("commondir", false))
}

// mostSlots is the number of folders with two-digit hexadecimal names from which on
// they are taken for the slots of a cache.
const mostSlots = 64

func notSlot(p string) bool {
	name := filepath.Base(p)
	return len(name) != 2 || strings.Trim(name, "0123456789abcdef") != ""
}

// levelOf returns how strictly a name, relative to the workspace, is protected. HEAD is
// only if it makes a folder a repository.
func levelOf(name string) protect.Level {
	if isHead(filepath.Base(name)) {
		return protect.Open
	}
	return protect.Of(name)
}

// protected reports whether a name is protected from every command.
func protected(name string) bool { return levelOf(name) >= protect.Guarded }

func isHead(name string) bool { return strings.EqualFold(name, "HEAD") }

func (s *sweep) hides(name string) bool {
	if s.secret == nil || !s.secret(name) {
		return false
	}
	return !slices.ContainsFunc(strings.Split(filepath.ToSlash(filepath.Dir(name)), "/"), func(part string) bool {
		return slices.Contains(samplePlaces, part)
	})
}
