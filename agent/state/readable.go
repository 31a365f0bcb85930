package state

import (
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/ide/disk"
)

// readableFolders are folders outside the workspace that a session and its commands
// may read: those of active skills. They do not survive a restart.
type readableFolders struct {
	mu      sync.Mutex
	folders []string
	tree    *disk.Tree
	opened  []*disk.Tree // all of them, to be closed with the session
}

// Add adds a folder, absolute with links resolved.
func (r *readableFolders) Add(dir string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.folders, dir) {
		r.folders, r.tree = append(r.folders, dir), nil
	}
}

// With returns the tree of a session's long outputs extended by the readable
// folders; nil if outputs is nil.
func (r *readableFolders) With(outputs *disk.Tree) *disk.Tree {
	r.mu.Lock()
	defer r.mu.Unlock()
	if outputs == nil || len(r.folders) == 0 {
		return outputs
	}
	if r.tree != nil {
		return r.tree
	}
	tree, err := disk.NewTree(append([]string{outputs.Folders()[0]}, r.folders...))
	if err != nil {
		return outputs // a folder was deleted
	}
	r.tree, r.opened = tree, append(r.opened, tree)
	return tree
}

// close closes all folders.
func (r *readableFolders) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.opened {
		_ = t.Close() // it was only read
	}
	r.tree, r.opened = nil, nil
}
