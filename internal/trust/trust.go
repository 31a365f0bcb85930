// Package trust owns the user's decisions about folders: which ones may start
// commands, have their settings heeded and their context read, and which of the
// programs that they name may be started. Every folder is restricted until the
// user says otherwise, and every program is unknown.
//
// A folder is known by its real path together with what the file system knows
// it by, so another folder at the same path is another folder. Trust reaches into
// subfolders only where the user chose that. The package knows nothing of what restricted means.
package trust

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"unicode/utf8"
)

// A Level is how far a folder is trusted.
type Level int

const (
	// Restricted folders can be read, and edits of them proposed. It is the
	// level of every folder that was not decided about, and of all of them when
	// the decisions cannot be read.
	Restricted Level = iota
	// Trusted folders may do what the user's policy allows.
	Trusted
)

func (l Level) String() string {
	if l == Trusted {
		return "trusted"
	}
	return "restricted"
}

// A Store is the stored decisions of one user. Several processes may use the
// same one at once: each sees what the others have decided from its next
// question on.
type Store struct {
	dir string

	mu   sync.Mutex
	read reading // the newest reading of the file
}

// Open returns the store that keeps its file, trust.json, in the folder
// stateDir. Nothing is read or made yet.
func Open(stateDir string) *Store {
	return &Store{dir: stateDir}
}

// Decide returns the level of dir. It is Restricted whenever there is an error:
// the folder does not exist, or the decisions cannot be read.
func (s *Store) Decide(dir string) (Level, error) {
	d, err := s.decided()
	if err != nil {
		return Restricted, err
	}
	if len(d.Folders) == 0 {
		return Restricted, nil
	}
	asked, err := identify(dir)
	if err != nil {
		return Restricted, fmt.Errorf("look up trust of %s: %w", dir, err)
	}
	for _, f := range d.Folders {
		if f.folder == asked || f.Below && f.holds(asked.Path) {
			return Trusted, nil
		}
	}
	return Restricted, nil
}

// holds reports whether the folder, if it is still the one that was trusted, is
// above a real path.
func (f folder) holds(path string) bool {
	rel, err := filepath.Rel(f.Path, path)
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return false
	}
	now, err := identify(f.Path)
	return err == nil && now == f
}

// Add stores that dir is trusted and returns its real path. A folder that once
// stood at that path is forgotten.
func (s *Store) Add(dir string) (string, error) { return s.add(dir, false) }

// AddBelow is [Store.Add] for dir and everything below it, now and in future.
// What these folders would start is approved for each of them.
func (s *Store) AddBelow(dir string) (string, error) { return s.add(dir, true) }

func (s *Store) add(dir string, below bool) (string, error) {
	added, err := identify(dir)
	if err == nil && !utf8.ValidString(added.Path) {
		err = errors.New("its name is not UTF-8, so that it could not be told from others: rename it")
	}
	if err != nil {
		return "", fmt.Errorf("trust %q: %w", dir, err)
	}
	err = s.change(func(d document) document {
		d.Folders = append(without(d.Folders, added.Path), decision{added, below})
		return d
	})
	if err != nil {
		return "", fmt.Errorf("trust %s: %w", dir, err)
	}
	return added.Path, nil
}

// Remove makes dir, which need not exist any more, restricted again and forgets
// what was approved of it. It reports whether there was a decision to remove.
func (s *Store) Remove(dir string) (bool, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return false, fmt.Errorf("restrict %s: %w", dir, err)
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	now, gone := identify(path)
	here := func(f folder) bool { return f.Path == path || gone == nil && f.same(now) }
	removed := false
	err = s.change(func(d document) document {
		before := len(d.Folders) + len(d.Approved)
		d.Folders = slices.DeleteFunc(d.Folders, func(f decision) bool { return here(f.folder) })
		d.Approved = slices.DeleteFunc(d.Approved, func(a approval) bool { return here(a.Folder) })
		removed = len(d.Folders)+len(d.Approved) < before
		return d
	})
	if err != nil {
		return false, fmt.Errorf("restrict %s: %w", dir, err)
	}
	return removed, nil
}

// A Listed is one trusted folder with what may be started there.
type Listed struct {
	Path     string   `json:"path"`     // real
	Below    bool     `json:"below"`    // the folders below it are trusted too
	Approved []string `json:"approved"` // kind and name of what was approved, sorted
}

// List returns the trusted folders, sorted.
func (s *Store) List() ([]Listed, error) {
	d, err := s.decided()
	if err != nil {
		return nil, err
	}
	list := make([]Listed, len(d.Folders))
	for i, f := range d.Folders {
		list[i] = Listed{Path: f.Path, Below: f.Below, Approved: []string{}}
		for _, a := range d.Approved {
			if a.Folder == f.folder {
				list[i].Approved = append(list[i].Approved, string(a.Kind)+" "+a.Name)
			}
		}
	}
	return list, nil
}
