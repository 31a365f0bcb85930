package client

import (
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/paths"
)

// Folders are those of the workspace, as the client names them.
type Folders struct {
	client *Client
	cwd    string // where sessions are when the client has no folder open

	mu    sync.Mutex
	paths []string // absolute
	open  bool     // the workspace has them
	added []string // after initialize
}

// Set records the folders that initialize names.
func (f *Folders) Set(l []Folder) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, x := range l {
		if p := ide.ParseURI(x.URI).Path(); p != "" && !slices.Contains(f.paths, p) {
			f.paths = append(f.paths, p)
		}
	}
}

// Holds reports whether a folder, an absolute path without links, is one of the
// client's folders or inside one.
func (f *Folders) Holds(folder string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(f.paths, func(p string) bool {
		return paths.Within(folder, disk.RealPath(p))
	})
}

// Added returns the folders that the client has added since initialize and still
// has.
func (f *Folders) Added() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(f.added), func(p string) bool { return !slices.Contains(f.paths, p) })
}

// HasAny reports whether the client has a folder open.
func (f *Folders) HasAny() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.paths) > 0
}

// AreSeveral reports whether the editor has more than one folder open.
func (f *Folders) AreSeveral() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.paths) > 1
}

// Roots returns the folders that exist, as sessions name them; without any, the
// working directory of the process.
func (f *Folders) Roots() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	existing := make([]string, 0, len(f.paths))
	for _, p := range f.paths {
		if p := disk.RealPath(p); paths.IsFolder(p) && !slices.Contains(existing, p) {
			existing = append(existing, p)
		}
	}
	if len(existing) == 0 && f.cwd != "" {
		existing = append(existing, disk.RealPath(f.cwd))
	}
	return existing
}

// Open adds the folders to the workspace and returns those that exist.
func (f *Folders) Open() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open = true
	var paths []string
	_ = f.client.Workspace.ChangeTree(func(*disk.Tree) (tree *disk.Tree, _ error) { // always nil: folders that do not open are left out
		tree, paths = f.openTree(f.paths)
		return tree, nil
	})
	return paths
}

// DidChange removes folders from the workspace and adds others. Those that
// sessions added stay.
func (f *Folders) DidChange(p FoldersChange) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	before := f.paths
	var gone []string
	for _, x := range p.Event.Removed {
		path := ide.ParseURI(x.URI).Path()
		gone = append(gone, path)
		f.paths = slices.DeleteFunc(slices.Clone(f.paths), func(p string) bool { return p == path })
	}
	for _, x := range p.Event.Added {
		if path := ide.ParseURI(x.URI).Path(); path != "" && !slices.Contains(f.paths, path) {
			f.paths = append(slices.Clone(f.paths), path)
			f.added = append(f.added, path)
		}
	}
	if !f.open || slices.Equal(before, f.paths) {
		return nil
	}
	err := f.client.Workspace.ChangeTree(func(now *disk.Tree) (*disk.Tree, error) {
		want := slices.Clone(f.paths)
		for _, path := range now.Folders() {
			if !slices.Contains(want, path) && !slices.Contains(gone, path) {
				want = append(want, path)
			}
		}
		tree, _ := f.openTree(want)
		return tree, nil
	})
	if err != nil {
		return err
	}
	f.client.server.FoldersChanged()
	return nil
}

// openTree opens those of the folders that can be opened, and returns their paths.
func (f *Folders) openTree(folders []string) (*disk.Tree, []string) {
	var paths []string
	for _, folder := range folders {
		t, err := disk.NewTree([]string{folder})
		if err != nil {
			f.client.Log.Warn("workspace folder ignored", "error", err)
			continue
		}
		paths = append(paths, t.Folders()...)
		if err := t.Close(); err != nil {
			f.client.Log.Warn("close a workspace folder", "error", err)
		}
	}
	t, err := disk.NewTree(paths)
	if err != nil { // gone between the two
		f.client.Log.Warn("all workspace folders ignored", "error", err)
		t, _ = disk.NewTree(nil) // opens nothing, so it cannot fail
		return t, nil
	}
	return t, paths
}
