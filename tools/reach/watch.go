package reach

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/emendo-dev/emendo/internal/builds"
	"github.com/emendo-dev/emendo/internal/paths"
)

// mostSpots bounds the number of folders that are watched for a command.
const mostSpots = 1024

// patience is how long something stays where it has appeared: who saves a file makes its
// folder first.
const patience = 200 * time.Millisecond

// A Watch moves what appears under a guarded name aside at once, while a command runs that
// nobody allowed. It cannot tell who has made it, so nothing is lost: [Workspace.PutBack]
// undoes a move.
type Watch struct {
	profile *Profile
	events  *fsnotify.Watcher
	moving  sync.WaitGroup
	closed  sync.Once
	stop    chan struct{}

	// The rest belongs to the goroutine until it has ended.
	spots   map[string]bool // the folders that are watched
	due     []string        // has appeared, and is moved aside soon
	gone    map[string]bool // known names that were removed: what appears there is new
	own     map[string]int  // removals by the watch itself, of which there are events to come
	exposed map[string]bool // files that were replaced, so that nothing protects them from the command
	errs    []error

	mu    sync.Mutex
	moved []Moved
}

// Moved returns what was moved so far.
func (w *Watch) Moved() []Moved {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.moved)
}

// Watch starts to watch the folders where what a command makes is acted on first: those of
// the workspace, the top folders of its repositories and all that have a guarded name already.
// It returns nil for a command that somebody allowed, and where the system cannot watch
// (more) folders: then what the command made is moved when it has ended. Call it before the
// command is started. told is called with what was moved, on another goroutine; it must not
// call Close.
func (p *Profile) Watch(told func([]Moved)) *Watch {
	if p.before.place == nil || p.before.terms.isZero() {
		return nil
	}
	events, err := fsnotify.NewWatcher()
	if err != nil {
		return nil
	}
	w := &Watch{profile: p, events: events, stop: make(chan struct{}), spots: map[string]bool{}, gone: map[string]bool{}, own: map[string]int{}, exposed: map[string]bool{}}
	for _, dir := range p.before.spots {
		w.add(dir)
	}
	p.before.place.running.add(w)
	w.moving.Go(func() { w.follow(told) }) // ends when Close is called
	return w
}

// Close ends the watch, and returns what was moved. Its error says what could not be.
func (w *Watch) Close() ([]Moved, error) {
	if w == nil {
		return nil, nil
	}
	w.closed.Do(func() {
		close(w.stop)
		w.moving.Wait()
		go w.events.Close() //nolint:errcheck // the system takes ten milliseconds to forget what it watched, for which nobody needs to wait
		w.profile.before.back = w.profile.before.place.running.remove(w)
	})
	return w.Moved(), errors.Join(w.errs...)
}

// add watches a folder, if that is possible.
func (w *Watch) add(dir string) {
	if len(w.spots) < mostSpots && !w.spots[dir] && w.events.Add(dir) == nil {
		w.spots[dir] = true
	}
}

// addAll watches a folder and all that is in it.
func (w *Watch) addAll(dir string) {
	_ = filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error { // skip what cannot be read
		if err == nil && entry.IsDir() {
			w.add(path)
		}
		return nil
	})
}

// isExposed reports whether a file, or a folder that it is in, was replaced or put back.
func (w *Watch) isExposed(path string) bool {
	for at := range w.exposed {
		if paths.Within(path, at) {
			return true
		}
	}
	return false
}

// follow moves what appears until the watch is closed.
func (w *Watch) follow(told func([]Moved)) {
	var soon <-chan time.Time
	for {
		select {
		case e := <-w.events.Events:
			w.happened(e)
		case err := <-w.events.Errors:
			if err != nil { // events were lost, or a folder is gone
				w.lookAround()
			}
		case <-w.stop: // what was made last is found without events
			w.moveAll(told)
			return
		case <-soon:
			soon = nil
			w.moveAll(told)
		}
		if soon == nil && len(w.due) > 0 {
			soon = time.After(patience)
		}
	}
}

// moveAll moves aside what is due, and reports it.
func (w *Watch) moveAll(told func([]Moved)) {
	had := len(w.Moved())
	for _, path := range w.due {
		w.moveAside(path)
	}
	w.due = nil
	if moved := w.Moved()[had:]; told != nil && len(moved) > 0 {
		told(moved)
	}
}

// happened handles an event. A command can replace no file that is protected from it: whoever
// did, it is one that the command may change from now on. So it stays, until it is changed
// again.
func (w *Watch) happened(e fsnotify.Event) {
	path := e.Name
	switch {
	case !w.guards(path):
	case e.Has(fsnotify.Create):
		if !w.isKnown(path) {
			w.due = append(w.due, path)
			return
		}
		w.exposed[path] = true
		if paths.IsRealFolder(path) { // put back
			w.addAll(path)
		}
	case e.Has(fsnotify.Remove), e.Has(fsnotify.Rename):
		if w.own[path] > 0 {
			w.own[path]--
			return
		}
		w.gone[path] = true
		delete(w.exposed, path)
		w.profile.before.place.running.forget(path)
	case e.Has(fsnotify.Write) && w.isExposed(path) && !slices.Contains(w.due, path):
		w.due = append(w.due, path)
	}
}

// guards reports whether a command must not make something at a path in a folder that is
// watched.
func (w *Watch) guards(path string) bool {
	b := w.profile.before
	switch {
	case paths.WithinAny(path, b.allowed):
		return false
	case slices.Contains(b.absent, path):
		return true
	case paths.WithinAny(path, b.git):
		return false // git's own data
	}
	name := b.place.relative(path)
	if builds.Within(filepath.ToSlash(filepath.Dir(name))) {
		return strings.EqualFold(filepath.Base(name), ".git")
	}
	return protected(name) || b.terms.guards(name)
}

// isKnown reports whether something was at a path before the command, or was put back there.
func (w *Watch) isKnown(path string) bool {
	b := w.profile.before
	if b.place.running.isBack(path) {
		return true
	}
	if w.gone[path] {
		return false
	}
	m, err := markOf(path)
	return b.place.isMine(path) || err == nil && slices.ContainsFunc(b.known, m.equals)
}

func (w *Watch) moveAside(path string) {
	to, err := w.profile.before.moveAside(path)
	switch {
	case err == nil:
		w.mu.Lock()
		w.moved = append(w.moved, Moved{path, to})
		w.mu.Unlock()
		delete(w.exposed, path)
		w.gone[path] = true
		w.own[path]++
		w.profile.before.place.running.forget(path)
	case !errors.Is(err, os.ErrNotExist): // the command has removed it itself
		w.errs = append(w.errs, err)
	}
}

// lookAround looks for what has appeared in the folders that are watched.
func (w *Watch) lookAround() {
	for dir := range w.spots {
		entries, _ := entriesOf(dir) // it may be gone
		for _, entry := range entries {
			if path := filepath.Join(dir, entry.Name()); w.guards(path) && !w.isKnown(path) {
				w.due = append(w.due, path)
			}
		}
	}
}

// isMine reports whether emendo itself has made what is at a path.
func (p *Workspace) isMine(path string) bool { return p.Mine != nil && p.Mine(path) }

// PutBack undoes a move, see [Workspace.PutBack].
func (p *Profile) PutBack(m Moved) error { return p.before.place.PutBack(m) }

// spotsOf returns the folders to watch for a command.
func (p *Workspace) spotsOf(repos repositories, found findings, absent []string) []string {
	l := slices.Clone(p.Folders)
	for _, r := range slices.Concat(repos.all, repos.broken) {
		l = append(l, r.Tree)
	}
	for _, path := range slices.Concat(found.protected, found.links, absent) {
		l = append(l, filepath.Dir(path))
	}
	slices.Sort(l)
	return slices.DeleteFunc(slices.Compact(l), func(dir string) bool {
		return !paths.IsRealFolder(dir) || !paths.WithinAny(dir, slices.Concat(p.Folders, p.allowedFolders()))
	})
}

// running holds the watches of a workspace, and what the user had put back meanwhile.
type running struct {
	mu      sync.Mutex
	watches []*Watch
	back    []string // paths
}

func (r *running) add(w *Watch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.watches = append(r.watches, w)
}

// remove forgets a watch, and with the last one what was put back, which it returns.
func (r *running) remove(w *Watch) (back []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	back = slices.Clone(r.back)
	r.watches = slices.DeleteFunc(r.watches, func(o *Watch) bool { return o == w })
	if len(r.watches) == 0 {
		r.back = nil
	}
	return back
}

func (r *running) isBack(path string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Contains(r.back, path)
}

// forget says that what was put back at a path is no longer there.
func (r *running) forget(path string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.back = slices.DeleteFunc(r.back, func(p string) bool { return p == path })
}

// expect says that the user has something put back at a path.
func (r *running) expect(path string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.back = append(r.back, path)
}

// PutBack undoes a move, because the user says so. It fails if something else is at that
// place by now.
func (p *Workspace) PutBack(m Moved) error {
	folder := before{place: p}.folderOf(m.From)
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	from, err := filepath.Rel(folder, m.From)
	if err != nil {
		return err
	}
	to, err := filepath.Rel(folder, m.To)
	if err != nil {
		return err
	}
	if _, err := root.Lstat(from); err == nil {
		return &os.PathError{Op: "put back", Path: m.From, Err: os.ErrExist}
	}
	p.running.expect(m.From)
	return root.Rename(to, from)
}
