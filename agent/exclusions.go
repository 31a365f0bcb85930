package agent

import "github.com/emendo-dev/emendo/agent/transcript"

// leftOut are the session's exclusions.
func (s *Session) leftOut() transcript.Exclusions {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left
}

// Exclude leaves something out of what the model is given from the next step
// on, or takes it back in. It holds as long as the session lives.
func (s *Session) Exclude(e transcript.Exclusion, on bool) error {
	if err := e.Check(); err != nil {
		return err
	}
	x := transcript.Excluded{Exclusion: e, On: on}
	if s.leftOut().Has(e) == on {
		return nil
	}
	return s.change(func(*transcript.SessionInfo) { s.left = s.left.With(x) }, func(bool) transcript.Event { return x })
}
