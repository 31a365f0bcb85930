package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/tools/protect"
)

// How far a workspace is looked through for files that need protection: folders
// deeper than that, and those beyond the number, are not looked at.
const (
	deepest     = 8
	mostFolders = 20_000
)

// passedOver are folders of what others made, in which a user keeps neither
// settings nor secrets. There are many in them.
var passedOver = []string{
	"node_modules", "bower_components", "vendor", "target", "dist", "build", "out", ".venv", "venv", "__pycache__", ".tox", ".mypy_cache", ".pytest_cache",
	".gradle", ".next", ".nuxt", ".cache", ".terraform", "Pods", "DerivedData", "_build", "deps", ".stack-work", "dist-newstyle", "bazel-bin", "bazel-out",
}

// samplePlaces are folders in which keys are there to be tested with.
var samplePlaces = []string{"testdata", "test", "tests", "spec", "fixtures", "__fixtures__", "examples"}

// A sweep looks through a workspace for what a command may not change or read.
// It is done before every command, so a folder is read again only when it has
// changed.
type sweep struct {
	secret func(path string) bool // says so of a path by its name

	mu      sync.Mutex
	folders map[string]*swept
}

// swept is what a folder held when it was read.
type swept struct {
	modified  time.Time
	read      time.Time
	below     []string // folders to look at
	protected []string
	hidden    []string
	links     []string // protected names that are links
}

// findings are what a sweep has found, absolute, in order.
type findings struct {
	protected []string // may not be changed
	hidden    []string // may not be read
	links     []string // protected names that are links: they cannot be kept, but their change is seen
}

func (s *sweep) look(roots []string) findings {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := map[string]*swept{}
	var f findings
	for _, root := range roots {
		s.folder(root, root, 0, now, &f)
	}
	s.folders = now
	for _, l := range []*[]string{&f.protected, &f.hidden, &f.links} {
		slices.Sort(*l)
		*l = slices.Compact(*l)
	}
	return f
}

func (s *sweep) folder(root, dir string, depth int, now map[string]*swept, f *findings) {
	if depth > deepest || len(now) >= mostFolders || now[dir] != nil {
		return
	}
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return
	}
	e := s.folders[dir]
	// A folder that changed just before it was read may have changed once more
	// within the same tick of the file system's clock.
	if e == nil || !e.modified.Equal(info.ModTime()) || e.read.Sub(e.modified) < 2*time.Second {
		e = s.read(root, dir, info.ModTime())
	}
	now[dir] = e
	f.protected, f.hidden, f.links = append(f.protected, e.protected...), append(f.hidden, e.hidden...), append(f.links, e.links...)
	for _, sub := range e.below {
		s.folder(root, sub, depth+1, now, f)
	}
}

func (s *sweep) read(root, dir string, modified time.Time) *swept {
	e := &swept{modified: modified, read: time.Now()}
	d, err := os.Open(dir)
	if err != nil {
		return e // it holds nothing that a command could read
	}
	defer d.Close()
	entries, _ := d.ReadDir(-1) // what was read counts
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		return e
	}
	for _, entry := range entries {
		name := filepath.Join(rel, entry.Name())
		p := filepath.Join(root, name)
		switch link := entry.Type()&os.ModeSymlink != 0; {
		case s.hides(name) && !link && !entry.IsDir():
			e.hidden = append(e.hidden, p)
		case protected(dir, name):
			if link {
				e.links = append(e.links, p)
			} else {
				e.protected = append(e.protected, p)
			}
		case entry.IsDir() && !slices.Contains(passedOver, entry.Name()):
			e.below = append(e.below, p)
		}
	}
	if slots := slices.DeleteFunc(slices.Clone(e.below), notSlot); len(slots) >= mostSlots {
		e.below = slices.DeleteFunc(e.below, func(p string) bool { return !notSlot(p) })
	}
	return e
}

// mostSlots is from how many folders on that are named as a cache names its
// slots, by two digits of a sum, they are the slots of one.
const mostSlots = 64

func notSlot(p string) bool {
	name := filepath.Base(p)
	return len(name) != 2 || strings.Trim(name, "0123456789abcdef") != ""
}

// protected says so of a name in a folder, relative to the workspace's. What
// makes a repository of a folder counts where there is one.
func protected(dir, name string) bool {
	if strings.EqualFold(filepath.Base(name), "HEAD") {
		return exists(filepath.Join(dir, "objects")) && exists(filepath.Join(dir, "refs"))
	}
	return protect.Of(name) > protect.Open
}

func (s *sweep) hides(name string) bool {
	if s.secret == nil || !s.secret(name) {
		return false
	}
	return !slices.ContainsFunc(strings.Split(filepath.ToSlash(filepath.Dir(name)), "/"), func(part string) bool {
		return slices.Contains(samplePlaces, part)
	})
}
