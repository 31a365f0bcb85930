package ledger

import (
	"io/fs"
	"slices"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
)

// Op is the operation on a file.
type Op string

// The operations.
const (
	Create Op = "create"
	Modify Op = "modify"
	Delete Op = "delete"
	Rename Op = "rename"
)

// Origin is what made the changes of a change set.
type Origin string

// The origins: an edit, of the model or of the user, and a command.
const (
	OfEdit    Origin = "edit"
	OfCommand Origin = "command"
)

// Omission is why the hunk of a changed file has no text. Such a hunk is decided as a whole
// file.
type Omission string

// The omissions.
const (
	Binary Omission = "binary"
	Large  Omission = "large"
	Many   Omission = "many" // too many files were changed
)

// Version identifies the bytes of a file that are stored elsewhere. The zero Version means
// that there was no file.
type Version struct {
	Hash string      `json:"hash,omitempty"`
	Mode fs.FileMode `json:"mode,omitempty"` // the permissions; zero where they are not known
}

// ChangeSet is a snapshot of a set of proposed edits. It is immutable.
type ChangeSet struct {
	ID        string       `json:"id"`
	SessionID string       `json:"sessionId"`
	TurnID    string       `json:"turnId"`
	CallID    string       `json:"callId"`
	Title     string       `json:"title"`
	Origin    Origin       `json:"origin,omitempty"`
	State     State        `json:"state"`
	Round     int          `json:"round,omitempty"` // of the session's comments
	Since     int          `json:"since,omitempty"` // the round in which the session changed one of the files last, before this one; zero: in none
	Files     []FileChange `json:"files"`
	Version   uint64       `json:"-"` // increases with every notification of watchers; 0 as stored
	Applies   bool         `json:"-"` // its pending hunks are about to be accepted: nobody is asked about them
	Renamed   bool         `json:"-"` // paths have changed, because the user renamed a file
	Gone      bool         `json:"-"` // it is unknown from now on, with its session; it has no files
}

// DecidedSince returns the hunks whose state, reason or edited text has changed
// since that version of the change set.
func (cs ChangeSet) DecidedSince(version uint64) []Hunk {
	return cs.Hunks(func(h Hunk) bool { return h.Decided > version })
}

// FileChange is the part of a change set in one file.
type FileChange struct {
	Path        string   `json:"path,omitempty"` // absolute, links resolved; empty for a document that is not a file
	URI         ide.URI  `json:"uri"`
	Spelling    string   `json:"spelling,omitempty"` // the URI as the editor writes it
	Op          Op       `json:"op"`
	NewPath     string   `json:"newPath,omitempty"`     // of a Rename
	Open        bool     `json:"open,omitempty"`        // in the editor
	BaseVersion int32    `json:"baseVersion,omitempty"` // of the document that the proposal was made from, if Open
	DocVersion  int32    `json:"-"`                     // of the document that the ranges are of, if Open
	Diff        string   `json:"diff,omitempty"`        // unified, of the whole proposal in this file
	Runs        bool     `json:"runs,omitempty"`        // it changes what tools of a project run by themselves
	Omitted     Omission `json:"omitted,omitempty"`
	Was         Version  `json:"was,omitzero"` // of a file that a command changed
	Is          Version  `json:"is,omitzero"`  // after the command
	// Verification is the check of the proposed text.
	Verification Verification `json:"verification,omitzero"`
	Hunks        []Hunk       `json:"hunks"`
}

// Hunk is one contiguous piece of a proposal, in whole lines.
type Hunk struct {
	ID    string `json:"id"`
	State State  `json:"state"`
	// Unasked: it was applied without a decision of the user. Undecided: it was applied, also
	// if its old text has come back by itself since, and the user has not decided it yet. A log
	// of an earlier version, which had no review, has neither.
	Unasked   bool `json:"unasked,omitempty"`
	Undecided bool `json:"unreviewed,omitempty"`
	// Committed: it is to be reviewed, and a commit has it that is not known to be the user's.
	Committed bool `json:"committed,omitempty"`
	// A and B are the byte span in the current text: of OldText while pending, of NewText once
	// accepted.
	A       int       `json:"a"`
	B       int       `json:"b"`
	Range   ide.Range `json:"range"` // the same, in the editor's positions
	OldText string    `json:"oldText,omitempty"`
	NewText string    `json:"newText,omitempty"`
	Edited  bool      `json:"edited,omitempty"` // the user changed the accepted text
	// Formatted: a formatter changed the new text before it was proposed.
	Formatted bool     `json:"formatted,omitempty"`
	Reason    string   `json:"reason,omitempty"`  // why it is conflicted or superseded
	Because   string   `json:"because,omitempty"` // the hunk that it went with when that was rejected, or waits for
	Err       error    `json:"-"`                 // set if it is conflicted because its file could not be written
	Nearest   *Nearest `json:"nearest,omitempty"` // of a conflicted hunk
	Lost      bool     `json:"-"`                 // applied, not reviewed, and its text was not found in the file
	// Bases counts the proposed hunks that it builds on, which are accepted with it, and Dependents
	// the proposed and applied ones that build on it, which go with it.
	Bases      int    `json:"-"`
	Dependents int    `json:"-"`
	Decided    uint64 `json:"-"` // the version of the change set of the last change of its state, reason or edited text
}

// decision is the part of a hunk that [ChangeSet.DecidedSince] compares.
type decision struct {
	state             State
	unasked, reviewed bool
	committed         bool
	edited            bool
	text              string // if edited
	reason, because   string
}

func (h Hunk) decision() decision {
	d := decision{state: h.State, unasked: h.Unasked, reviewed: h.Reviewed(), committed: h.Committed, edited: h.Edited, reason: h.Reason, because: h.Because}
	if h.Edited {
		d.text = h.NewText
	}
	return d
}

// Reviewed reports whether the user decided the hunk; never while it is pending, nor rejected
// because its old text came back by itself.
func (h Hunk) Reviewed() bool { return h.State.Decided() && !h.Undecided }

// Unreviewed reports whether the hunk is applied and the user has not decided it yet.
func (h Hunk) Unreviewed() bool { return h.State.Applied() && h.Undecided }

// TakenBack reports whether the hunk was applied unasked, and its old text has come back
// without a decision: the user has undone it in the editor, or something has on disk.
func (h Hunk) TakenBack() bool { return h.State == Rejected && h.Undecided }

// Done reports whether a command made the change of a hunk of the set: the hunk is no edit.
func (cs ChangeSet) Done(h Hunk) bool { return cs.Origin == OfCommand && h.Unasked }

// Unreviewed counts the hunks that were applied and that the user has not decided yet.
func (cs ChangeSet) Unreviewed() int { return len(cs.Hunks(Hunk.Unreviewed)) }

// Waiting returns the hunks on which the user is to decide.
func (cs ChangeSet) Waiting() []Hunk {
	return cs.Hunks(func(h Hunk) bool { return h.State.Waits() })
}

// TakenBack returns the IDs of the hunks that are [Hunk.TakenBack].
func (cs ChangeSet) TakenBack() (ids []string) {
	for _, h := range cs.Hunks(Hunk.TakenBack) {
		ids = append(ids, h.ID)
	}
	return ids
}

// Hunks returns the hunks of all files that match; nil matches all.
func (cs ChangeSet) Hunks(match func(Hunk) bool) (l []Hunk) {
	for _, f := range cs.Files {
		for _, h := range f.Hunks {
			if match == nil || match(h) {
				l = append(l, h)
			}
		}
	}
	return l
}

// Waits reports whether the user is to decide on a hunk of the file.
func (f FileChange) Waits() bool {
	return slices.ContainsFunc(f.Hunks, func(h Hunk) bool { return h.State.Waits() })
}

// Nearest is the passage that is most similar to a conflicted hunk's old text.
type Nearest struct {
	Range ide.Range `json:"range"`
	Text  string    `json:"text"`
}

// Proposal is a change that an edit tool proposes.
type Proposal struct {
	SessionID string
	TurnID    string
	CallID    string
	Title     string
	Origin    Origin
	Round     int // see [ChangeSet]
	Files     []Proposed

	// Applies: whoever proposes it accepts it at once, and nobody is asked about it meanwhile.
	Applies bool
}

// Proposed is one file of a proposal. Base is the text that New was made from, as
// returned by [Ledger.View], so it includes earlier pending hunks of the session.
type Proposed struct {
	Path    string // absolute, links resolved; the file need not exist for Create
	URI     ide.URI
	Op      Op
	NewPath string   // of a Rename, or of a Delete if a Create beside it has the file's text
	Base    ide.File // of a Create: the format and permissions of the new file
	New     string

	Verification Verification
	// Formatted are the bytes of New that a formatter has changed, ascending.
	Formatted []Bytes
}

// Bytes is a span of bytes of a text, from A to before B. It may be empty.
type Bytes struct{ A, B int }

// Decision decides on one hunk, the hunks of one document, or a whole change set,
// depending on URI and HunkID.
type Decision struct {
	ChangeSetID string
	URI         ide.URI // empty: every file
	HunkID      string  // empty: every hunk
	Action      Action
	Text        *string // for Accept: the new text edited by the user
	Unasked     bool    // for Accept: nobody was asked, so the hunks are to be reviewed
	// Leave: for Reject and Undo: pending hunks that build on it are superseded until it is back,
	// not rejected.
	Leave bool
}

// Resolution is the result of decisions.
type Resolution struct {
	ChangeSets []ChangeSet // the affected ones, in their new state
	Applied    []string    // IDs of hunks whose text is in place
	Conflicts  []Conflict
	Made       []Made // the effect of accepting by turn, newest first
}

// Made is the effect of accepting hunks of one turn on one file or document: its
// text without them and with them. Changes by the user are in both.
type Made struct {
	SessionID, TurnID string
	Path              string // absolute; empty for a document that is not a file
	URI               ide.URI
	Before, After     *string     // nil: no file
	RenamedTo         string      // absolute; set if the file was only moved: Before and After are nil
	Format            disk.Format // of the file, if it is not open
}

// Conflict is a hunk whose decision could not be applied.
type Conflict struct {
	HunkID  string   `json:"hunkId"`
	Reason  string   `json:"reason"`
	Nearest *Nearest `json:"nearest,omitzero"`
	Err     error    `json:"-"` // set if the file could not be written
}
