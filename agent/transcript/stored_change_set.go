package transcript

import (
	"encoding/json"

	"github.com/emendo-dev/emendo/ide/ledger"
)

type plainProposals Proposals

// MarshalJSON fails if the stored change sets could not be read. The stored form omits the
// versions of change sets and hunks, which are only valid in one process, and the errors of
// hunks.
func (p Proposals) MarshalJSON() ([]byte, error) {
	if p.Err != nil {
		return nil, p.Err
	}
	return unescaped(plainProposals(p))
}

// UnmarshalJSON reads the stored form. Change sets that cannot be read set Err, so
// that the session is not opened as if it had none.
func (p *Proposals) UnmarshalJSON(b []byte) error {
	*p = Proposals{}
	if err := json.Unmarshal(b, (*plainProposals)(p)); err != nil {
		*p = Proposals{Err: err}
	}
	return nil
}

// StateOf returns the recorded state of a hunk.
func StateOf(h ledger.Hunk) HunkState {
	s := HunkState{HunkID: h.ID, State: string(h.State), Edited: h.Edited, Reason: h.Reason, Unasked: h.Unasked, Unreviewed: h.Undecided, Committed: h.Committed, Because: h.Because}
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
				h.Unasked, h.Undecided, h.Committed, h.Because = s.Unasked, s.Unreviewed, s.Committed, s.Because
				if s.NewText != nil {
					h.NewText = *s.NewText
				}
			}
		}
	}
}
