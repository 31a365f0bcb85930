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

// OutputFolder returns the session's folder for long outputs, created on first
// need, and its tree for reading. Without a folder, long outputs are only cut.
func (s *privateFolders) OutputFolder() (string, *disk.Tree) {
	dir := s.process.OutputDir(s.id)
	if dir == "" {
		return "", nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.outputs == nil {
		if err := private.Folder(dir); err != nil {
			s.process.Log.Warn("long outputs are not stored", "session", s.id, "err", err)
			return "", nil
		}
		tree, err := disk.NewTree([]string{dir})
		if err != nil {
			s.process.Log.Warn("long outputs are not stored", "session", s.id, "err", err)
			return "", nil
		}
		s.outputs = tree
	}
	return s.outputs.Folders()[0], s.outputs
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
	s.mu.Lock()
	have := s.plans
	s.mu.Unlock()
	all := s.process.Options.PlansDir
	if have != nil || all == "" {
		return have
	}
	dir := filepath.Join(all, s.id)
	if fi, err := os.Stat(dir); !create && (err != nil || !fi.IsDir()) {
		return nil
	}
	tree, err := s.process.openPlans(all, dir)
	if err != nil {
		s.process.Log.Warn("the session has no folder for plans", "session", s.id, "err", err)
		return nil
	}
	s.mu.Lock()
	if s.plans == nil {
		s.plans, tree = tree, nil
	}
	have = s.plans
	s.mu.Unlock()
	if tree != nil { // another call created it meanwhile
		_ = tree.Close() // it was only opened
	}
	return have
}

func (a *Process) openPlans(all, dir string) (*disk.Tree, error) {
	if err := private.Folder(dir); err != nil {
		return nil, err
	}
	if err := a.Widen([]string{disk.RealPath(all)}); err != nil {
		return nil, err
	}
	return disk.NewTree([]string{dir})
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
