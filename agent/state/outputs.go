package state

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/agent/compact"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/private"
	"github.com/emendo-dev/emendo/tools"
)

// OutputDir returns the private folder for a session's long outputs; empty if none
// are stored.
func (a *Process) OutputDir(id string) string {
	if a.Options.OutputDir == "" {
		return ""
	}
	return filepath.Join(a.Options.OutputDir, id)
}

// privateFolders are the private folders of a session: for its long outputs and its
// plans.
type privateFolders struct {
	process *Process
	id      string // of the session

	mu      sync.Mutex
	outputs *disk.Tree // nil until first needed
	plans   *disk.Tree
}

// open returns one of the folders, which is below all, and whether this call has opened it. It
// is nil if nothing is stored in it, or if it is missing and not to be created.
func (s *privateFolders) open(tree **disk.Tree, all string, create bool) (opened *disk.Tree, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	dir := filepath.Join(all, s.id)
	if *tree != nil || all == "" || !create && !paths.IsFolder(dir) {
		return *tree, false
	}
	err := private.Folder(dir)
	if err == nil {
		opened, err = disk.NewTree([]string{dir})
	}
	if err != nil {
		s.process.Log.Warn("nothing is stored in a folder of the session", "session", s.id, "folder", dir, "err", err)
		return nil, false
	}
	*tree = opened
	return opened, true
}

// OutputFolder returns the session's folder for long outputs, created on first
// need, and its tree for reading. Without a folder, long outputs are only cut.
func (s *privateFolders) OutputFolder() (string, *disk.Tree) {
	tree, _ := s.open(&s.outputs, s.process.Options.OutputDir, true)
	if tree == nil {
		return "", nil
	}
	return tree.Folders()[0], tree
}

// IsOutput reports whether a file is one of the session's long outputs.
func (s *privateFolders) IsOutput(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.outputs != nil && s.outputs.Contains(path)
}

// Close closes the session's private folders. With remove it also deletes their
// contents and the session's checkpoints.
func (s *privateFolders) Close(remove bool) error {
	if remove {
		if err := s.process.Options.Checkpoints.Delete(s.id); err != nil {
			return err
		}
	}
	return errors.Join(s.closeFolder(&s.outputs, s.process.Options.OutputDir, remove), s.closeFolder(&s.plans, s.process.Options.PlansDir, remove))
}

// closeFolder closes one of them, which is below all.
func (s *privateFolders) closeFolder(tree **disk.Tree, all string, remove bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if *tree != nil {
		if err := (*tree).Close(); err != nil {
			return err
		}
		*tree = nil
	}
	if !remove || all == "" {
		return nil
	}
	return os.RemoveAll(filepath.Join(all, s.id))
}

// SaveOutput returns a function that stores text cut from the conversation where
// the model can read it; nil if nothing is stored. The first text under a name is
// kept: any later one is already cut.
func (s *privateFolders) SaveOutput() compact.Save {
	folder, _ := s.OutputFolder()
	if folder == "" {
		return nil
	}
	return func(name, text string) (string, error) {
		path := filepath.Join(folder, name)
		if fi, err := os.Lstat(path); err == nil && fi.Mode().IsRegular() {
			return path, nil
		}
		return path, private.Replace(path, []byte(text))
	}
}

// PlanFolder returns the session's folder for plans; with create it is created if
// missing. The folder of all sessions' plans, which outlives a session, is added to
// the workspace.
func (s *privateFolders) PlanFolder(create bool) *disk.Tree {
	all := s.process.Options.PlansDir
	tree, first := s.open(&s.plans, all, create)
	if first {
		if err := s.process.Widen([]string{disk.RealPath(all)}); err != nil {
			s.process.Log.Warn("the session's plans cannot be written", "session", s.id, "err", errors.Join(err, s.closeFolder(&s.plans, all, false)))
			return nil // the next call tries again
		}
	}
	return tree
}

// IsPlan reports whether a path is one of the session's plans.
func (s *privateFolders) IsPlan(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.plans != nil && s.plans.Contains(path) && tools.IsPlanName(path)
}

// OnlyPlans reports whether a change set only changes the session's plans.
func (s *privateFolders) OnlyPlans(cs ledger.ChangeSet) bool {
	return !slices.ContainsFunc(cs.Files, func(f ledger.FileChange) bool { return !s.IsPlan(f.Path) })
}
