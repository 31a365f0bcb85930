package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/emendo-dev/emendo/agent/compact"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/private"
	"github.com/emendo-dev/emendo/tools"
)

// OutputDir is the private folder for a session's output too long to show; empty
// where none is kept.
func (a *Process) OutputDir(id string) string {
	if a.Options.OutputDir == "" {
		return ""
	}
	return filepath.Join(a.Options.OutputDir, id)
}

// privateFolders are the private folders of a session: of its long outputs and of its
// plans.
type privateFolders struct {
	*Session

	outputs *disk.Tree // once there is one; guarded by Mu, like plans
	plans   *disk.Tree
}

// OutputFolder is the session's private folder for output too long to show,
// made on first need, and its tree for reading. Without one, long output is
// only cut.
func (s *privateFolders) OutputFolder() (string, *disk.Tree) {
	dir := s.Agent.OutputDir(s.SessionID)
	if dir == "" {
		return "", nil
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if s.outputs == nil {
		if err := private.Folder(dir); err != nil {
			s.Agent.Log.Warn("long output will be cut only", "session", s.SessionID, "err", err)
			return "", nil
		}
		tree, err := disk.NewTree([]string{dir})
		if err != nil {
			s.Agent.Log.Warn("long output will be cut only", "session", s.SessionID, "err", err)
			return "", nil
		}
		s.outputs = tree
	}
	return s.outputs.Folders()[0], s.outputs
}

// IsOutput reports whether a file is one of the session's long outputs.
func (s *privateFolders) IsOutput(path string) bool {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.outputs != nil && s.outputs.Contains(path)
}

// Close closes the session's private folders, and with remove deletes what
// is in them and its checkpoints.
func (s *privateFolders) Close(remove bool) error {
	if c := s.Agent.Options.Checkpoints; c != nil && remove {
		if err := c.Delete(s.SessionID); err != nil {
			return err
		}
	}
	return errors.Join(s.Private.closeFolder(&s.outputs, s.Agent.Options.OutputDir, remove), s.Private.closeFolder(&s.plans, s.Agent.Options.PlansDir, remove))
}

// closeFolder does so for one of them, which is below all.
func (s *privateFolders) closeFolder(tree **disk.Tree, all string, remove bool) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if *tree != nil {
		if err := (*tree).Close(); err != nil {
			return err
		}
		*tree = nil
	}
	if !remove || all == "" {
		return nil
	}
	return os.RemoveAll(filepath.Join(all, s.SessionID))
}

// SaveOutput keeps what is cut out of the conversation where the model can read
// it; nil: it is lost. What is kept under a name stays: what comes later under
// the same name has been cut before.
func (s *privateFolders) SaveOutput() compact.Save {
	folder, _ := s.Private.OutputFolder()
	if folder == "" {
		return nil
	}
	return func(name, text string) (string, error) {
		path := filepath.Join(folder, name)
		if fi, err := os.Lstat(path); err == nil && fi.Mode().IsRegular() {
			return path, nil
		}
		return path, WriteWhole(path, text)
	}
}

// WriteWhole makes a file for this user alone, which is there with all of the
// text or not at all.
func WriteWhole(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".part-*") // mode 0600, never an existing file
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		if rerr := os.Remove(f.Name()); !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
		return err
	}
	return nil
}

// PlanFolder returns the session's own folder of plans; with create it is created
// if it is missing. The workspace gets the folder of all sessions' plans, which
// stays when a session is deleted.
func (s *privateFolders) PlanFolder(create bool) *disk.Tree {
	s.Mu.Lock()
	have := s.plans
	s.Mu.Unlock()
	all := s.Agent.Options.PlansDir
	if have != nil || all == "" {
		return have
	}
	dir := filepath.Join(all, s.SessionID)
	if fi, err := os.Stat(dir); !create && (err != nil || !fi.IsDir()) {
		return nil
	}
	tree, err := s.Agent.openPlans(all, dir)
	if err != nil {
		s.Agent.Log.Warn("the session has no folder for plans", "session", s.SessionID, "err", err)
		return nil
	}
	s.Mu.Lock()
	if s.plans == nil {
		s.plans, tree = tree, nil
	}
	have = s.plans
	s.Mu.Unlock()
	if tree != nil { // another call was faster
		_ = tree.Close() // nothing was written
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
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.plans != nil && s.plans.Contains(path) && tools.IsPlanName(path)
}

// OnlyPlans reports whether a change set only changes the session's plans.
func (s *privateFolders) OnlyPlans(cs ledger.ChangeSet) bool {
	return !slices.ContainsFunc(cs.Files, func(f ledger.FileChange) bool { return !s.Private.IsPlan(f.Path) })
}
