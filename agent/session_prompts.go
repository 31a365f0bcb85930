package agent

import "github.com/emendo-dev/emendo/agent/transcript"

// PromptInfo is a prompt that a session can be rewound to.
type PromptInfo struct {
	TurnID string `json:"turnId"`
	Text   string `json:"text"` // its first words
}

// Prompts lists the prompts of the session, oldest first.
func (s *Session) Prompts() ([]PromptInfo, error) {
	if err := s.flushLog(); err != nil {
		return nil, err
	}
	rs, err := s.State.Read()
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
