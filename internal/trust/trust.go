// Package trust stores the user's decisions about folders: which may start
// commands, apply their settings and have their context read, and which of the
// programs that they configure may start. Every folder is restricted until the
// user trusts it, and every program must be approved.
//
// A folder is identified by its real path and by its identity in the file
// system, so another folder at the same path is not trusted. Trust includes
// subfolders only if the user chose that. The package does not know what
// restricted means.
package trust

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/internal/paths"
)

// A Store holds the decisions of one user. Several processes may use the same
// store at once: each sees the decisions of the others from its next call on.
type Store struct {
	dir string
	run *sync.Map // approvals for this process only, by [forRun]; nil: they are stored
}

// Open returns the store in the file trust.json in the folder stateDir. It does
// not read or create anything yet.
func Open(stateDir string) *Store { return &Store{dir: stateDir} }

// Trusts reports whether a folder is trusted: it may do what the user's policy
// allows. Other folders are restricted, so they can be read, and edits of them
// proposed. After an error it is restricted: the folder does not exist, or the
// decisions cannot be read.
func (s *Store) Trusts(dir string) (bool, error) {
	d, err := s.decided()
	if err != nil || len(d.Folders) == 0 {
		return false, err
	}
	asked, err := identify(dir)
	if err != nil {
		return false, fmt.Errorf("look up trust of %s: %w", dir, err)
	}
	return slices.ContainsFunc(d.Folders, func(f decision) bool {
		return f.Folder == asked || f.Below && f.holds(asked.Path)
	}), nil
}

// holds reports whether the folder contains a real path and is still the one
// that was trusted.
func (f Folder) holds(path string) bool {
	if rel, ok := paths.CutFolder(path, f.Path); !ok || rel == "." {
		return false
	}
	now, err := identify(f.Path)
	return err == nil && now == f
}

// Add trusts dir and returns its real path. It replaces a decision about
// another folder that was at that path.
func (s *Store) Add(dir string) (string, error) { return s.add(dir, false) }

// AddBelow is [Store.Add] for dir and everything below it, now and in the
// future. What these folders start is approved for each of them.
func (s *Store) AddBelow(dir string) (string, error) { return s.add(dir, true) }

func (s *Store) add(dir string, below bool) (string, error) {
	added, err := identify(dir)
	if err == nil && !utf8.ValidString(added.Path) {
		err = errors.New("its name is not UTF-8: rename it")
	}
	if err != nil {
		return "", fmt.Errorf("trust %q: %w", dir, err)
	}
	err = s.change(func(d document) document {
		d.Folders = append(slices.DeleteFunc(d.Folders, func(f decision) bool { return f.Path == added.Path }), decision{added, below})
		return d
	})
	if err != nil {
		return "", fmt.Errorf("trust %s: %w", dir, err)
	}
	return added.Path, nil
}

// Remove restricts dir, which need not exist any more, and removes its
// approvals. It reports whether there was a decision.
func (s *Store) Remove(dir string) (bool, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return false, fmt.Errorf("restrict %s: %w", dir, err)
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	now, gone := identify(path)
	here := func(f Folder) bool { return f.Path == path || gone == nil && f.same(now) }
	removed := false
	err = s.change(func(d document) document {
		before := len(d.Folders) + len(d.Approved)
		d.Folders = slices.DeleteFunc(d.Folders, func(f decision) bool { return here(f.Folder) })
		d.Approved = slices.DeleteFunc(d.Approved, func(a Approval) bool { return here(a.Folder) })
		removed = len(d.Folders)+len(d.Approved) < before
		return d
	})
	if err != nil {
		return false, fmt.Errorf("restrict %s: %w", dir, err)
	}
	return removed, nil
}

// A Listed is a trusted folder with its approvals.
type Listed struct {
	Path     string   `json:"path"`     // links resolved
	Below    bool     `json:"below"`    // folders below it are trusted too
	Approved []string `json:"approved"` // kind and name of approved entries, sorted
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
			if a.Folder == f.Folder {
				list[i].Approved = append(list[i].Approved, string(a.Kind)+" "+a.Name)
			}
		}
	}
	return list, nil
}
