package ide

import (
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/emendo-dev/emendo/ide/disk"
)

// Workspace holds the open documents and the folders. Only the front end's read
// loop changes documents; everyone else takes a [Snapshot].
type Workspace struct {
	encoding Encoding
	now      atomic.Pointer[Snapshot]
	trees    sync.Mutex // held while folders change

	mu       sync.Mutex // held while a document changes and watchers are called
	watchers []func(Event)
	renames  []func(from, to string)
}

// NewWorkspace returns a Workspace without open documents. [Workspace.ChangeTree]
// may replace the tree later.
func NewWorkspace(tree *disk.Tree, e Encoding) *Workspace {
	w := &Workspace{encoding: e}
	w.now.Store(&Snapshot{tree: tree})
	return w
}

// Encoding returns the unit in which the editor counts characters.
func (w *Workspace) Encoding() Encoding { return w.encoding }

// Snapshot returns the current state.
func (w *Workspace) Snapshot() *Snapshot { return w.now.Load() }

// Watch has f called for every event, in order, on the goroutine that makes the
// change, after snapshots show it. f must not change the workspace. The caller must
// hold no mutex that f takes: changes run at the same time.
func (w *Workspace) Watch(f func(Event)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watchers = append(w.watchers, f)
}

// WatchRenames has f called for every file and folder that the user has renamed, on the
// goroutine that notes it. As with [Workspace.Watch], the caller must hold no mutex
// that f takes.
func (w *Workspace) WatchRenames(f func(from, to string)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.renames = append(w.renames, f)
}

// Rename notes that the user has renamed or moved a file or a folder. The editor
// closes and opens its documents in messages of their own, before or after. Documents
// that are not files are ignored.
func (w *Workspace) Rename(from, to string) {
	old, path := ParseURI(from).Path(), realPath(ParseURI(to).Path())
	if old == "" || path == "" {
		return
	}
	// A link at the old path is gone, so only those above it can be resolved.
	old = filepath.Join(realPath(filepath.Dir(old)), filepath.Base(old))
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range w.renames {
		f(old, path)
	}
}

// ChangeTree replaces the folders by the result of f for the current ones. Calls
// run one at a time. If f fails, nothing changes.
func (w *Workspace) ChangeTree(f func(now *disk.Tree) (*disk.Tree, error)) error {
	w.trees.Lock()
	defer w.trees.Unlock()
	t, err := f(w.Snapshot().Tree())
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	s := *w.now.Load()
	s.tree = t
	w.now.Store(&s)
	return nil
}

// Open adds a document, or replaces it if it is open.
func (w *Workspace) Open(uri, language string, version int32, text string) {
	u := ParseURI(uri)
	d := &Document{URI: u, Spelling: uri, Path: realPath(u.Path()), Language: language, Version: version, Text: NewText(text)}
	disk.NoteShown(d.Path, text)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.publish(Event{Kind: Opened, After: d})
}

// Change applies the editor's changes to a document: all, or none if one is
// invalid.
func (w *Workspace) Change(uri string, version int32, changes []Change) error {
	return w.change(uri, version, func(t *Text) (*Text, []Splice, error) { return t.changed(changes, w.encoding) })
}

// change changes a document by a function, which returns its new text and the splices that
// make it.
func (w *Workspace) change(uri string, version int32, do func(*Text) (*Text, []Splice, error)) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.now.Load().Document(ParseURI(uri))
	if before == nil {
		return fmt.Errorf("change %s: the document is not open", uri)
	}
	text, splices, err := do(before.Text)
	if err != nil {
		return fmt.Errorf("change %s: %w", uri, err)
	}
	after := *before
	after.Version, after.Text = version, text
	after.Unsaved = before.Unsaved || len(splices) > 0
	w.publish(Event{Changed, before, &after, splices})
	return nil
}

// Save notes that the editor has saved the document.
func (w *Workspace) Save(uri string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.now.Load().Document(ParseURI(uri))
	if before == nil {
		return fmt.Errorf("save %s: the document is not open", uri)
	}
	after := *before
	after.Unsaved = false
	w.publish(Event{Kind: Saved, Before: before, After: &after})
	return nil
}

// Close removes a document. Unsaved text is lost.
func (w *Workspace) Close(uri string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.now.Load().Document(ParseURI(uri))
	if before == nil {
		return fmt.Errorf("close %s: the document is not open", uri)
	}
	w.publish(Event{Kind: Closed, Before: before})
	return nil
}

// publish applies the event and calls the watchers. w.mu is held.
func (w *Workspace) publish(e Event) {
	s := *w.now.Load()
	switch e.Kind {
	case Opened:
		s.open = s.open.opened(e.After)
	case Changed, Saved:
		s.open = s.open.changed(e.After)
	case Closed:
		s.open = s.open.closed(e.Before.URI)
	}
	w.now.Store(&s)
	for _, f := range w.watchers {
		f(e)
	}
}
