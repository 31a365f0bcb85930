package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
)

// ErrNoFolder says that the folder a session works in is not there. What was
// said in it can be read and exported all the same.
var ErrNoFolder = errors.New("the session's folder is gone: put it back, or begin another session")

// existing are those of the folders that are there.
func existing(folders []string) []string {
	return slices.DeleteFunc(slices.Clone(folders), func(f string) bool { return !isFolder(f) })
}

func isFolder(path string) bool {
	i, err := os.Stat(path)
	return err == nil && i.IsDir()
}

// grounded refuses a turn of a session that has no folder to work in.
func (s *Session) grounded() error {
	if s.astray || !isFolder(s.started.Cwd) {
		return fmt.Errorf("%s: %w", s.started.Cwd, ErrNoFolder)
	}
	return nil
}

// back says whether the folder that a session was opened without is there again.
func (s *Session) back() bool { return s.astray && isFolder(s.started.Cwd) }

// Adopt stores a copy of a session that works in another folder, an absolute
// path with links resolved: for a session whose own folder is gone.
func (st *Store) Adopt(id, cwd string) (SessionInfo, error) {
	copied, err := st.fork(id, fork{newID: randomID(), cwd: cwd})
	if err != nil {
		return SessionInfo{}, err
	}
	info, _, err := st.Read(copied)
	return info, err
}

// letGo closes a session, which is opened again when somebody asks for it. It
// waits for the session first: whoever has that may open others.
func (a *Agent) letGo(ctx context.Context, s *Session) error {
	if err := s.begin(ctx, aMoment); err != nil {
		return err
	}
	a.opening.Lock() // nobody opens it a second time meanwhile
	defer a.opening.Unlock()
	a.mu.Lock()
	delete(a.sessions, s.id)
	a.mu.Unlock()
	s.mu.Lock()
	s.gone = true
	s.mu.Unlock()
	defer s.finish()
	s.jobs.Close()
	s.endSession(ctx, "other", endHooks)
	if err := errors.Join(s.log.sync(), s.log.close(), s.dropOutputs(false), s.closeTrees()); err != nil {
		return fmt.Errorf("closing session %s: %w", s.id, err)
	}
	return nil
}
