package state

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/paths"
)

// Workplace is the folders that a session works in. They grow while the session lives. It
// knows neither trust nor what is done in the folders.
type Workplace struct {
	cwd string

	mu      sync.Mutex
	roots   []string
	tree    *disk.Tree
	before  []*disk.Tree    // trees that readers may still have
	named   []string        // added by records, not opened yet
	refused map[string]bool // folders that the user was told stay out
}

// NewWorkplace returns the workplace of a session's folder and the workspace's, absolute
// with links resolved. Tree has those of the roots that exist.
func NewWorkplace(cwd string, roots []string, tree *disk.Tree) *Workplace {
	return &Workplace{cwd: cwd, roots: roots, tree: tree, refused: map[string]bool{}}
}

// Tree returns the session's view of its folders.
func (w *Workplace) Tree() *disk.Tree {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tree
}

// Roots returns the session's folders. The list does not change.
func (w *Workplace) Roots() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.roots
}

// Near returns a path as the model reads it and may use it in a call: relative to
// the session's folder if it is in there, else absolute. Relative to another folder
// of the workspace, it would name a file of the session's folder.
func (w *Workplace) Near(path string) string {
	if rel, ok := paths.CutFolder(path, w.cwd); ok {
		return rel
	}
	return path
}

// Name notes folders that a record adds; they are opened before the next turn.
func (w *Workplace) Name(folders []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.named = append(w.named, folders...)
}

// TakeNamed returns the folders that were named since it was called last.
func (w *Workplace) TakeNamed() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := w.named
	w.named = nil
	return l
}

// Refuse notes that a folder stays out, and reports whether that is news.
func (w *Workplace) Refuse(folder string) (first bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.refused[folder] {
		return false
	}
	w.refused[folder] = true
	return true
}

// Add opens more folders and returns all of them. Only one turn at a time adds
// folders.
func (w *Workplace) Add(folders []string) (roots []string, err error) {
	tree, err := disk.NewTree(append(slices.Clone(w.Tree().Folders()), folders...))
	if err != nil {
		return nil, fmt.Errorf("opening the session's folders: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.before = append(w.before, w.tree)
	w.tree, w.roots = tree, append(slices.Clone(w.roots), folders...)
	return w.roots, nil
}

// Close closes all folders.
func (w *Workplace) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.tree.Close()
	for _, t := range w.before {
		err = errors.Join(err, t.Close())
	}
	return err
}
