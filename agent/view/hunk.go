package view

// HunkState is the state of a hunk that waits for the user.
type HunkState string

// The states of hunks in a view.
const (
	HunkPending    HunkState = "pending"    // its old text is in the document
	HunkUnreviewed HunkState = "unreviewed" // its new text is, and nobody has looked at it
	HunkConflicted HunkState = "conflicted" // another text is
)

// HunkView is a piece of a change of files that waits for the user.
type HunkView struct {
	ID          string    `json:"id"`
	ChangeSetID string    `json:"changeSetId"`
	HunkID      string    `json:"hunkId"`
	SessionID   string    `json:"sessionId,omitempty"`
	ItemID      string    `json:"itemId,omitempty"` // the call that made it
	FileID      string    `json:"fileId"`
	State       HunkState `json:"state"`
	Range       Range     `json:"range"`
	Version     *int32    `json:"version,omitempty"` // of the document that the range is of; nil: it is closed
	Label       Text      `json:"label"`
	Marks       []Line    `json:"marks,omitempty"`
	Rows        []Row     `json:"rows,omitempty"` // of open documents
	Actions     []Action  `json:"actions"`
}
