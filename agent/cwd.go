package agent

import (
	"errors"
	"fmt"

	"github.com/emendo-dev/emendo/internal/paths"
)

// ErrNoFolder means that a session's folder does not exist. The session can still
// be read and exported.
var ErrNoFolder = errors.New("the session's folder no longer exists: restore it, or start another session")

// checkCwd returns an error if the session's folder is missing.
func (s *Session) checkCwd() error {
	if s.cwdMissing || !paths.IsFolder(s.State.Started.Cwd) {
		return fmt.Errorf("%s: %w", s.State.Started.Cwd, ErrNoFolder)
	}
	return nil
}

// cwdRestored reports whether the folder was missing when the session was opened
// and exists again.
func (s *Session) cwdRestored() bool { return s.cwdMissing && paths.IsFolder(s.State.Started.Cwd) }
