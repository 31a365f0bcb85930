package transcript

import "github.com/emendo-dev/emendo/ide/ledger"

func StateOf(h ledger.Hunk) HunkState {
	s := HunkState{HunkID: h.ID, State: string(h.State), Edited: h.Edited, Reason: h.Reason}
	if h.Edited {
		s.NewText = &h.NewText
	}
	return s
}

// Apply sets the hunks of a change set as recorded.
func (d Decisions) Apply(cs *ledger.ChangeSet) {
	for i := range cs.Files {
		for j := range cs.Files[i].Hunks {
			h := &cs.Files[i].Hunks[j]
			for _, s := range d.Hunks {
				if s.HunkID != h.ID {
					continue
				}
				h.State, h.Edited, h.Reason = ledger.State(s.State), s.Edited, s.Reason
				if s.NewText != nil {
					h.NewText = *s.NewText
				}
			}
		}
	}
}
