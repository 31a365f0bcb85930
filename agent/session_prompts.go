package agent

import (
	"slices"

	"github.com/emendo-dev/emendo/agent/transcript"
)

// lose folds in a record that a rewind took out: its turn is no longer shown.
// What it cost still counts. s.mu is held.
func (s *Session) lose(r transcript.Record) {
	if _, ok := r.Event.(transcript.UsageUpdated); ok {
		s.info.Fold(r)
	}
	if s.rewound == nil {
		s.rewound = map[string]bool{}
	}
	s.rewound[r.Turn] = true
}

// rewoundTurn reports whether a rewind took the turn out.
func (s *Session) rewoundTurn(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rewound[id]
}

// PromptInfo is a prompt that a session can be rewound to.
type PromptInfo struct {
	TurnID string
	Text   string // its first words
}

// Prompts lists the prompts of the session, the oldest first.
func (s *Session) Prompts() ([]PromptInfo, error) {
	if err := s.flush(); err != nil {
		return nil, err
	}
	rs, err := s.read()
	if err != nil {
		return nil, err
	}
	var l []PromptInfo
	for _, r := range transcript.Surviving(rs) {
		e, ok := r.Event.(transcript.UserChunk)
		if ok && !e.Aside && (len(l) == 0 || l[len(l)-1].TurnID != r.Turn) {
			l = append(l, PromptInfo{r.Turn, transcript.TitleOf([]transcript.Block{e.Block})})
		}
	}
	return l, nil
}

// Context lists what the model was given with the last request; before the first
// one, nothing.
func (s *Session) Context() []transcript.ContextItem {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.context)
}
