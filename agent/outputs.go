package agent

import (
	"os"
	"path/filepath"

	"github.com/emendo-dev/emendo/ide/disk"
)

// outputFolder is the session's private folder for output too long to show,
// made on first need, and its tree for reading. Without one, long output is
// only cut.
func (s *Session) outputFolder() (string, *disk.Tree) {
	if s.agent.o.OutputDir == "" {
		return "", nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.outputs == nil {
		dir := filepath.Join(s.agent.o.OutputDir, s.id)
		if err := os.MkdirAll(dir, 0o700); err != nil {
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

// dropOutputs closes the folder, and with remove deletes what is in it.
func (s *Session) dropOutputs(remove bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.outputs != nil {
		if err := s.outputs.Close(); err != nil {
			return err
		}
		s.outputs = nil
	}
	if !remove || s.agent.o.OutputDir == "" {
		return nil
	}
	return os.RemoveAll(filepath.Join(s.agent.o.OutputDir, s.id))
}
