package lsp

import (
	"path/filepath"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
)

// folders are those of the workspace, as the client names them.
type folders struct {
	mu    sync.Mutex
	paths []string // absolute
	open  bool     // the workspace has them
	added []string // those that were added since the start
}

type folder struct {
	URI string `json:"uri"`
}

type foldersChange struct {
	Event struct {
		Added   []folder `json:"added"`
		Removed []folder `json:"removed"`
	} `json:"event"`
}

// set takes over the folders that initialize names.
func (f *folders) set(l []folder) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, x := range l {
		if p := ide.ParseURI(x.URI).Path(); p != "" && !slices.Contains(f.paths, p) {
			f.paths = append(f.paths, p)
		}
	}
}

// holds says whether a folder, an absolute path without links, is one of the
// client's folders or inside one.
func (s *server) holds(folder string) bool {
	f := &s.folders
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(f.paths, func(p string) bool {
		rel, err := filepath.Rel(disk.RealPath(p), folder)
		return err == nil && filepath.IsLocal(rel)
	})
}

// since returns the folders that the client has added since the start and still
// has.
func (f *folders) since() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(f.added), func(p string) bool { return !slices.Contains(f.paths, p) })
}

// didChangeFolders takes folders out of the workspace and into it. Those of
// sessions stay.
func (s *server) didChangeFolders(p foldersChange) error {
	f := &s.folders
	f.mu.Lock()
	defer f.mu.Unlock()
	have := f.paths
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
	if !f.open || slices.Equal(have, f.paths) {
		return nil
	}
	err := s.workspace.ChangeTree(func(now *disk.Tree) (*disk.Tree, error) {
		want := slices.Clone(f.paths)
		for _, path := range now.Folders() {
			if !slices.Contains(want, path) && !slices.Contains(gone, path) {
				want = append(want, path)
			}
		}
		tree, _ := s.tree(want)
		return tree, nil
	})
	if err != nil {
		return err
	}
	s.announce.touch()
	return nil
}
