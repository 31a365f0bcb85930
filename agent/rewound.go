package agent

import "slices"

// Rewound takes a turn and everything after it out of the session, up to this
// record: the session goes on from before that turn's prompt.
type Rewound struct {
	TurnID string `json:"turnId"`
}

func (Rewound) isEvent() {}

// lost says for each of a session's records whether it was taken out by a
// rewind. A turn whose beginning is not among them began before them.
func lost(rs []record) []bool {
	out := make([]bool, len(rs))
	for i, r := range rs {
		e, ok := r.Event.(Rewound)
		if !ok {
			continue
		}
		from := max(0, slices.IndexFunc(rs[:i], func(o record) bool { return o.Turn == e.TurnID }))
		for j := from; j < i; j++ {
			out[j] = out[j] || !lasting(rs[j].Event)
		}
	}
	return out
}

// lasting says whether an event is about the session, and not part of the
// conversation.
func lasting(e Event) bool {
	switch e := e.(type) { //nolint:gochecksumtype // the other events are the conversation
	case Started, ModeChanged, ModelChanged, InfoChanged, CommandsChanged, Proposals, Decisions, Summary, Excluded, Rewound:
		return true
	case Given:
		return e.Kind == kindEnvironment || e.Kind == kindFolders || e.Kind == kindStart
	}
	return false
}

// surviving are the records that no rewind has taken out, without the rewinds.
func surviving(rs []record) []record {
	gone := lost(rs)
	out := make([]record, 0, len(rs))
	for i, r := range rs {
		if _, ok := r.Event.(Rewound); !ok && !gone[i] {
			out = append(out, r)
		}
	}
	return out
}

func rewinds(rs []record) bool {
	return slices.ContainsFunc(rs, func(r record) bool { _, ok := r.Event.(Rewound); return ok })
}

// turnsFrom gives the ids of a turn and of all turns after it, those included
// that were taken out already; nil when there is no such turn.
func turnsFrom(rs []record, turnID string) []string {
	gone := lost(rs)
	var l []string
	for i, r := range rs {
		known := r.Turn == turnID && !gone[i] && !lasting(r.Event)
		if r.Turn != "" && (known || len(l) > 0) && !slices.Contains(l, r.Turn) {
			l = append(l, r.Turn)
		}
	}
	return l
}

// lose folds in a record that was taken out: its turn is not told of any more.
// What it has cost stays. s.mu is held.
func (s *Session) lose(r record) {
	if _, ok := r.Event.(UsageUpdated); ok {
		s.info.fold(r)
	}
	if s.rewound == nil {
		s.rewound = map[string]bool{}
	}
	s.rewound[r.Turn] = true
}

// rewoundTurn says whether a rewind took the turn out.
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
	for _, r := range surviving(rs) {
		e, ok := r.Event.(UserChunk)
		if ok && !e.Aside && (len(l) == 0 || l[len(l)-1].TurnID != r.Turn) {
			l = append(l, PromptInfo{r.Turn, titleOf([]Block{e.Block})})
		}
	}
	return l, nil
}
