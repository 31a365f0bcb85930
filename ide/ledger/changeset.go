package ledger

import (
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
)

// State of a hunk, and of a change set.
type State string

// The states. A change set is Partial when its hunks are decided differently.
const (
	Pending    State = "pending"
	Accepted   State = "accepted"
	Rejected   State = "rejected"
	Conflicted State = "conflicted"
	Superseded State = "superseded"
	Partial    State = "partial"
)

// Op is what a change does to a file.
type Op string

// The operations.
const (
	Create Op = "create"
	Modify Op = "modify"
	Delete Op = "delete"
	Rename Op = "rename"
)

// ChangeSet is proposed edits as they stand now. It is a value: a later state
// is another one.
type ChangeSet struct {
	ID        string
	SessionID string
	TurnID    string
	CallID    string
	Title     string
	State     State
	Files     []FileChange
	Version   uint64 `json:"-"` // grows with every change that watchers are told of; 0 of one that was just restored
}

// DecidedSince returns the hunks whose state, reason or edited text has changed
// since the change set had that version.
func (cs ChangeSet) DecidedSince(version uint64) []Hunk {
	var l []Hunk
	for _, f := range cs.Files {
		for _, h := range f.Hunks {
			if h.Decided > version {
				l = append(l, h)
			}
		}
	}
	return l
}

// FileChange is the part of a change set in one file.
type FileChange struct {
	Path        string // absolute, links resolved; empty for a document that is no file
	URI         ide.URI
	Spelling    string // the URI as the editor writes it
	Op          Op
	NewPath     string // of a Rename
	Open        bool   // in the editor
	BaseVersion int32  // of the document that the proposal was made from, when Open
	Diff        string // unified, of the whole proposal in this file
	Hunks       []Hunk
}

// Hunk is one contiguous piece of a proposal, in whole lines.
type Hunk struct {
	ID      string
	State   State
	A, B    int       // bytes of the text as it is now: OldText while pending, NewText once accepted
	Range   ide.Range // the same, in the editor's positions
	OldText string
	NewText string
	Edited  bool     // the user changed what is accepted
	Reason  string   // why it is conflicted or superseded
	Err     error    `json:"-"` // it is conflicted because its file could not be written
	Nearest *Nearest // of a conflicted one
	Decided uint64   `json:"-"` // the version of the change set in which its state, reason or edited text last changed
}

// decision is the part of a hunk that [ChangeSet.DecidedSince] is about.
type decision struct {
	state  State
	edited bool
	text   string // of an edited one
	reason string
}

func (h Hunk) decision() decision {
	d := decision{state: h.State, edited: h.Edited, reason: h.Reason}
	if h.Edited {
		d.text = h.NewText
	}
	return d
}

// Nearest is the passage that looks most like a conflicted hunk's old text.
type Nearest struct {
	Range ide.Range
	Text  string
}

// Proposal is what an edit tool wants changed.
type Proposal struct {
	SessionID string
	TurnID    string
	CallID    string
	Title     string
	Files     []Proposed
}

// Proposed is one file of a proposal. Base is the text that New was made from:
// what [Ledger.View] gave, so earlier pending hunks of the session are in it.
type Proposed struct {
	Path    string // absolute, links resolved; the file need not exist for Create
	URI     ide.URI
	Op      Op
	NewPath string
	Base    ide.File
	New     string
}

// Action is what a decision does.
type Action string

// The actions.
const (
	Accept Action = "accept"
	Reject Action = "reject"
	Reopen Action = "reopen"
)

// Decision decides hunks: one, those of one document, or the whole change set,
// as far as URI and HunkID say.
type Decision struct {
	ChangeSetID string
	URI         ide.URI // empty: every file
	HunkID      string  // empty: every hunk
	Action      Action
	Text        *string // of Accept: the new text as the user edited it
}

// Resolution is what became of decisions.
type Resolution struct {
	ChangeSets []ChangeSet // those that were named, as they stand now
	Applied    []string    // ids of hunks whose text is in place
	Conflicts  []Conflict
	Made       []Made // what accepting did, for each turn the newest first
}

// Made is what accepting hunks of one turn did to one file or document: its
// text without them and with them. What the user did to it is in both.
type Made struct {
	SessionID, TurnID string
	Path              string // absolute; empty of a document that is no file
	URI               ide.URI
	Before, After     *string     // nil: no file
	Format            disk.Format // of the file, where no editor has it open
}

// Conflict is a hunk that could not be decided as asked.
type Conflict struct {
	HunkID  string
	Reason  string
	Nearest *Nearest
	Err     error // of the disk, when the file could not be written
}
