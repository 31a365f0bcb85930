package transcript

import (
	"encoding/json"
	"io/fs"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
)

type storedChangeSet struct {
	ID        string             `json:"id"`
	SessionID string             `json:"sessionId"`
	TurnID    string             `json:"turnId"`
	CallID    string             `json:"callId"`
	Title     string             `json:"title"`
	Origin    ledger.Origin      `json:"origin,omitempty"`
	State     ledger.State       `json:"state"`
	Files     []storedFileChange `json:"files,omitempty"`
}

type storedFileChange struct {
	Path        string    `json:"path,omitempty"`
	URI         ide.URI   `json:"uri"`
	Spelling    string    `json:"spelling,omitempty"`
	Op          ledger.Op `json:"op"`
	NewPath     string    `json:"newPath,omitempty"`
	Open        bool      `json:"open,omitempty"`
	BaseVersion int32     `json:"baseVersion,omitempty"`
	Diff        string    `json:"diff,omitempty"`
	Runs        bool      `json:"runs,omitempty"`

	Omitted ledger.Omission `json:"omitted,omitempty"`
	Was     *storedVersion  `json:"was,omitempty"`
	Is      *storedVersion  `json:"is,omitempty"`

	Hunks []storedHunk `json:"hunks,omitempty"`

	Verification *storedVerification `json:"verification,omitempty"`
}

type storedVerification struct {
	State      ledger.Verdict `json:"state"`
	Introduced int            `json:"introduced,omitempty"`
	Resolved   int            `json:"resolved,omitempty"`
	Reason     string         `json:"reason,omitempty"`

	Problems []storedProblem `json:"problems,omitempty"`
}

type storedProblem struct {
	Range   storedRange `json:"range"`
	Message string      `json:"message"`
}

type storedHunk struct {
	ID      string         `json:"id"`
	State   ledger.State   `json:"state"`
	A       int            `json:"a"`
	B       int            `json:"b"`
	Range   storedRange    `json:"range"`
	OldText string         `json:"oldText,omitempty"`
	NewText string         `json:"newText,omitempty"`
	Edited  bool           `json:"edited,omitempty"`
	Reason  string         `json:"reason,omitempty"`
	Nearest *storedNearest `json:"nearest,omitempty"`

	Formatted  bool `json:"formatted,omitempty"`
	Unasked    bool `json:"unasked,omitempty"`
	Unreviewed bool `json:"unreviewed,omitempty"`
}

// storedVersion is a ledger.Version; none is stored for one without a file.
type storedVersion struct {
	Hash string      `json:"hash,omitempty"`
	Mode fs.FileMode `json:"mode,omitempty"`
}

func storeVersion(v ledger.Version) *storedVersion {
	if v == (ledger.Version{}) {
		return nil
	}
	return &storedVersion{v.Hash, v.Mode}
}

func (v *storedVersion) version() ledger.Version {
	if v == nil {
		return ledger.Version{}
	}
	return ledger.Version{Hash: v.Hash, Mode: v.Mode}
}

type storedNearest struct {
	Range storedRange `json:"range"`
	Text  string      `json:"text"`
}

type storedRange struct {
	Start storedPosition `json:"start"`
	End   storedPosition `json:"end"`
}

type storedPosition struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
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
	s := storedChangeSet{ID: cs.ID, SessionID: cs.SessionID, TurnID: cs.TurnID, CallID: cs.CallID, Title: cs.Title, Origin: cs.Origin, State: cs.State}
	for _, f := range cs.Files {
		sf := storedFileChange{
			Path: f.Path, URI: f.URI, Spelling: f.Spelling, Op: f.Op, NewPath: f.NewPath,
			Open: f.Open, BaseVersion: f.BaseVersion, Diff: f.Diff, Runs: f.Runs, Omitted: f.Omitted, Was: storeVersion(f.Was), Is: storeVersion(f.Is),
		}
		if f.Verification.State != "" {
			v := f.Verification
			sf.Verification = &storedVerification{State: v.State, Introduced: v.Introduced, Resolved: v.Resolved, Reason: v.Reason}
			for _, p := range v.Problems {
				sf.Verification.Problems = append(sf.Verification.Problems, storedProblem{storeRange(p.Range), p.Message})
			}
		}
		for _, h := range f.Hunks {
			sh := storedHunk{
				ID: h.ID, State: h.State, A: h.A, B: h.B, Range: storeRange(h.Range),
				OldText: h.OldText, NewText: h.NewText, Edited: h.Edited, Reason: h.Reason, Formatted: h.Formatted, Unasked: h.Unasked, Unreviewed: h.Unreviewed() || h.TakenBack(),
			}
			if n := h.Nearest; n != nil {
				sh.Nearest = &storedNearest{Range: storeRange(n.Range), Text: n.Text}
			}
			sf.Hunks = append(sf.Hunks, sh)
		}
		s.Files = append(s.Files, sf)
	}
	return s
}

func (s storedChangeSet) changeSet() ledger.ChangeSet {
	cs := ledger.ChangeSet{ID: s.ID, SessionID: s.SessionID, TurnID: s.TurnID, CallID: s.CallID, Title: s.Title, Origin: s.Origin, State: s.State}
	for _, f := range s.Files {
		lf := ledger.FileChange{
			Path: f.Path, URI: f.URI, Spelling: f.Spelling, Op: f.Op, NewPath: f.NewPath,
			Open: f.Open, BaseVersion: f.BaseVersion, Diff: f.Diff, Runs: f.Runs, Omitted: f.Omitted, Was: f.Was.version(), Is: f.Is.version(),
		}
		if v := f.Verification; v != nil {
			lf.Verification = ledger.Verification{State: v.State, Introduced: v.Introduced, Resolved: v.Resolved, Reason: v.Reason}
			for _, p := range v.Problems {
				lf.Verification.Problems = append(lf.Verification.Problems, ledger.Problem{Range: p.Range.ideRange(), Message: p.Message})
			}
		}
		for _, h := range f.Hunks {
			lh := ledger.Hunk{
				ID: h.ID, State: h.State, A: h.A, B: h.B, Range: h.Range.ideRange(),
				OldText: h.OldText, NewText: h.NewText, Edited: h.Edited, Reason: h.Reason, Formatted: h.Formatted, Unasked: h.Unasked, Reviewed: h.State.Decided() && !h.Unreviewed,
			}
			if n := h.Nearest; n != nil {
				lh.Nearest = &ledger.Nearest{Range: n.Range.ideRange(), Text: n.Text}
			}
			lf.Hunks = append(lf.Hunks, lh)
		}
		cs.Files = append(cs.Files, lf)
	}
	return cs
}

func storeRange(r ide.Range) storedRange {
	return storedRange{
		Start: storedPosition{Line: r.Start.Line, Character: r.Start.Character},
		End:   storedPosition{Line: r.End.Line, Character: r.End.Character},
	}
}

func (r storedRange) ideRange() ide.Range {
	return ide.Range{
		Start: ide.Position{Line: r.Start.Line, Character: r.Start.Character},
		End:   ide.Position{Line: r.End.Line, Character: r.End.Character},
	}
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
