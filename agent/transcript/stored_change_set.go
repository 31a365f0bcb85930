package transcript

import (
	"encoding/json"

	"github.com/emendo-dev/emendo/ide/ledger"
)

// storedChangeSet is a [ledger.ChangeSet] whose hunks say whether they are unreviewed, which
// those of earlier versions are not.
type storedChangeSet struct {
	ledger.ChangeSet
	Files []storedFile `json:"files,omitempty"`
}

type storedFile struct {
	ledger.FileChange
	Hunks []storedHunk `json:"hunks,omitempty"`
}

type storedHunk struct {
	ledger.Hunk
	Unreviewed bool `json:"unreviewed,omitempty"`
}

type storedProposals struct {
	ChangeSets []storedChangeSet `json:"changeSets"`
}

// MarshalJSON returns the stored form. It omits the versions of change sets and
// hunks, which are only valid in one process, and the errors of hunks.
func (p Proposals) MarshalJSON() ([]byte, error) {
	if p.Err != nil {
		return nil, p.Err
	}
	var s storedProposals
	for _, cs := range p.ChangeSets {
		s.ChangeSets = append(s.ChangeSets, storeChangeSet(cs))
	}
	return unescaped(s)
}

// UnmarshalJSON reads the stored form. Change sets that cannot be read set Err, so
// that the session is not opened as if it had none.
func (p *Proposals) UnmarshalJSON(b []byte) error {
	var s storedProposals
	if err := json.Unmarshal(b, &s); err != nil {
		*p = Proposals{Err: err}
		return nil //nolint:nilerr // whoever opens the session reads Err
	}
	*p = Proposals{}
	for _, cs := range s.ChangeSets {
		p.ChangeSets = append(p.ChangeSets, cs.changeSet())
	}
	return nil
}

func storeChangeSet(cs ledger.ChangeSet) storedChangeSet {
	s := storedChangeSet{ChangeSet: cs}
	for _, f := range cs.Files {
		sf := storedFile{FileChange: f}
		for _, h := range f.Hunks {
			sf.Hunks = append(sf.Hunks, storedHunk{h, h.Unreviewed() || h.TakenBack()})
		}
		s.Files = append(s.Files, sf)
	}
	return s
}

func (s storedChangeSet) changeSet() ledger.ChangeSet {
	cs := s.ChangeSet
	for _, sf := range s.Files {
		f := sf.FileChange
		for _, sh := range sf.Hunks {
			h := sh.Hunk
			h.Reviewed = h.State.Decided() && !sh.Unreviewed
			f.Hunks = append(f.Hunks, h)
		}
		cs.Files = append(cs.Files, f)
	}
	return cs
}

// StateOf returns the recorded state of a hunk.
func StateOf(h ledger.Hunk) HunkState {
	s := HunkState{HunkID: h.ID, State: string(h.State), Edited: h.Edited, Reason: h.Reason, Unasked: h.Unasked, Unreviewed: h.Unreviewed() || h.TakenBack()}
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
				h.Unasked, h.Reviewed = s.Unasked, h.State.Decided() && !s.Unreviewed
				if s.NewText != nil {
					h.NewText = *s.NewText
				}
			}
		}
	}
}
