package agent

import "os"

// Elsewhere reports whether another process runs a turn of the session now.
func (s *Session) Elsewhere() bool {
	held := false
	s.inspect(func(l *sessionLoop) { held = l.holder != nobody })
	if held || !s.isStored() {
		return false
	}
	f, err := os.OpenFile(s.log.path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close() // which unlocks it
	free, err := lockFile(f)
	return err == nil && !free
}
