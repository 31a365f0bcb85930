package agent

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/private"
)

// outputDir is the private folder for a session's output too long to show; empty
// where none is kept.
func (a *Agent) outputDir(id string) string {
	if a.o.OutputDir == "" {
		return ""
	}
	return filepath.Join(a.o.OutputDir, id)
}

// outputFolder is the session's private folder for output too long to show,
// made on first need, and its tree for reading. Without one, long output is
// only cut.
func (s *Session) outputFolder() (string, *disk.Tree) {
	dir := s.agent.outputDir(s.id)
	if dir == "" {
		return "", nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.outputs == nil {
		if err := private.Folder(dir); err != nil {
			s.agent.log.Warn("long output will be cut only", "session", s.id, "err", err)
			return "", nil
		}
		tree, err := disk.NewTree([]string{dir})
		if err != nil {
			s.agent.log.Warn("long output will be cut only", "session", s.id, "err", err)
			return "", nil
		}
		s.outputs = tree
	}
	return s.outputs.Folders()[0], s.outputs
}

// keeps says whether a file is one of the session's long outputs.
func (s *Session) keeps(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.outputs != nil && s.outputs.Contains(path)
}

// dropOutputs closes the session's private folders, and with remove deletes what
// is in them and its checkpoints.
func (s *Session) dropOutputs(remove bool) error {
	if c := s.agent.o.Checkpoints; c != nil && remove {
		if err := c.Delete(s.id); err != nil {
			return err
		}
	}
	return errors.Join(s.dropOwn(&s.outputs, s.agent.o.OutputDir, remove), s.dropOwn(&s.plans, s.agent.o.PlansDir, remove))
}

// dropOwn does so for one of them, which is below all.
func (s *Session) dropOwn(tree **disk.Tree, all string, remove bool) error {
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

// dropFolders deletes the private folders and the checkpoints of a session that
// is not open.
func (a *Agent) dropFolders(id string) error {
	var errs []error
	if c := a.o.Checkpoints; c != nil {
		errs = append(errs, c.Delete(id))
	}
	for _, all := range []string{a.o.OutputDir, a.o.PlansDir} {
		if all != "" {
			errs = append(errs, os.RemoveAll(filepath.Join(all, id)))
		}
	}
	return errors.Join(errs...)
}

// copyOutputs copies what is in one such folder, which need not be there, into
// another one.
func copyOutputs(to, from string) error {
	if from == "" {
		return nil
	}
	files, err := os.ReadDir(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = private.Folder(to)
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(from, f.Name()))
		if err == nil {
			err = writeWhole(filepath.Join(to, f.Name()), string(text))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
