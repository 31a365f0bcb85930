package ide

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/emendo-dev/emendo/ide/disk"
)

// Workspace holds the open documents and the folders. Documents have one
// writer, the front end's read loop; everyone else takes a [Snapshot].
type Workspace struct {
	encoding Encoding
	now      atomic.Pointer[Snapshot]
	trees    sync.Mutex // held while the folders are changed

	mu       sync.Mutex // held while a change is made and told
	watchers []func(Event)
}

// NewWorkspace makes one without open documents. The tree may be replaced
// later by [Workspace.ChangeTree].
func NewWorkspace(tree *disk.Tree, e Encoding) *Workspace {
	w := &Workspace{encoding: e}
	w.now.Store(&Snapshot{tree: tree})
	return w
}

// Encoding is what the editor counts characters in.
func (w *Workspace) Encoding() Encoding { return w.encoding }

// Snapshot is the workspace as it is now.
func (w *Workspace) Snapshot() *Snapshot { return w.now.Load() }

// Watch has f called for every event, in order, on the goroutine that makes
// the change, when snapshots already show it. f may not change the workspace.
func (w *Workspace) Watch(f func(Event)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watchers = append(w.watchers, f)
}

// ChangeTree replaces the folders by what f makes of those that there are. One
// change is made at a time; f may take its time, and when it fails nothing has
// changed.
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

// Open adds a document, or replaces it when the editor opens it again.
func (w *Workspace) Open(uri, language string, version int32, text string) {
	u := ParseURI(uri)
	d := &Document{URI: u, Spelling: uri, Path: realPath(u.Path()), Language: language, Version: version, Text: NewText(text)}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.put(Event{Kind: Opened, After: d})
}

// Change makes the editor's changes, all or, when one is wrong, none.
func (w *Workspace) Change(uri string, version int32, changes []Change) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.now.Load().Document(ParseURI(uri))
	if before == nil {
		return fmt.Errorf("change %s: the document is not open", uri)
	}
	text := before.Text
	splices := make([]Splice, 0, len(changes))
	for _, c := range changes {
		s := Splice{0, text.Len(), c.Text}
		if c.Range != nil {
			var err error
			if s.A, s.B, err = text.Offsets(*c.Range, w.encoding); err != nil {
				return fmt.Errorf("change %s: %w", uri, err)
			}
		}
		text = text.Splice(s.A, s.B, s.Text)
		splices = append(splices, s)
	}
	after := *before
	after.Version, after.Text = version, text
	after.Unsaved = before.Unsaved || len(changes) > 0
	w.put(Event{Changed, before, &after, splices})
	return nil
}

// Save notes that the editor has written the document to disk.
func (w *Workspace) Save(uri string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.now.Load().Document(ParseURI(uri))
	if before == nil {
		return fmt.Errorf("save %s: the document is not open", uri)
	}
	after := *before
	after.Unsaved = false
	w.put(Event{Kind: Saved, Before: before, After: &after})
	return nil
}

// Close forgets a document; what the editor did not save is gone.
func (w *Workspace) Close(uri string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.now.Load().Document(ParseURI(uri))
	if before == nil {
		return fmt.Errorf("close %s: the document is not open", uri)
	}
	w.put(Event{Kind: Closed, Before: before})
	return nil
}

// put makes the event true and tells it; w.mu is held.
func (w *Workspace) put(e Event) {
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
