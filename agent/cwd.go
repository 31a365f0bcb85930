package agent

import (
	"errors"
	"fmt"
	"os"
	"slices"
)

// ErrNoFolder means that the folder a session works in does not exist. The
// session can still be read and exported.
var ErrNoFolder = errors.New("the session's folder is gone: put it back, or begin another session")

// existing returns those of the folders that exist.
func existing(folders []string) []string {
	return slices.DeleteFunc(slices.Clone(folders), func(f string) bool { return !isFolder(f) })
}

func isFolder(path string) bool {
	i, err := os.Stat(path)
	return err == nil && i.IsDir()
}

// checkCwd returns an error when the folder that the session works in is missing.
func (s *Session) checkCwd() error {
	if s.cwdMissing || !isFolder(s.started.Cwd) {
		return fmt.Errorf("%s: %w", s.started.Cwd, ErrNoFolder)
	}
	return nil
}

// cwdRestored reports whether the folder that the session was opened without is
// there again.
func (s *Session) cwdRestored() bool { return s.cwdMissing && isFolder(s.started.Cwd) }
