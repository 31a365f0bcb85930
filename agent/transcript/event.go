package transcript

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/redact"
	"github.com/emendo-dev/emendo/tools"
)

// An Event is a fact about a session, such as a message, a call or a decision.
// Events that are shown are sent to the client as a numbered [Update]; the others
// are only recorded. A session is the fold of its events: anything that must
// survive a restart is in one of them. [kinds] has every event.
//
// An event with text that may have a secret of this process, such as the output of
// programs or of the model, implements redactable. The log redacts prompts and file
// contents itself.
//
//sumtype:decl
type Event interface{ isEvent() }

// A kind is what generic code knows of a type of event.
type kind struct {
	name  string // in the log
	event Event  // the zero value
	is    traits
}

// traits are what holds for every event of a type.
type traits uint8

const (
	shown   traits = 1 << iota // the user sees it, see [Shown]
	lasting                    // it concerns the session rather than the conversation: rewinds leave it
	own                        // it concerns this session only: copies are without it
)

// kinds are all events. Names never change: a log outlives the program that wrote it.
var kinds = []kind{
	{"user", UserChunk{}, shown},
	{"text", Text{}, shown},
	{"thought", Thought{}, shown},
	{"reasoning", Reasoning{}, 0},
	{"call", ToolCall{}, shown},
	{"call_state", ToolUpdate{}, shown},
	{"plan", Plan{}, shown},
	{"commands", CommandsChanged{}, shown | lasting},
	{"mode", ModeChanged{}, shown | lasting},
	{"model", ModelChanged{}, shown | lasting},
	{"info", InfoChanged{}, shown | lasting},
	{"usage", UsageUpdated{}, shown},
	{"notice", Notice{}, shown},
	{"compaction", Compaction{}, shown},
	{"retract", Retract{}, shown},
	{"finished", ResponseFinished{}, shown},
	{"turn_ended", TurnEnded{}, shown},
	{"started", Started{}, lasting | own},
	{"given", Given{}, 0},
	{"withdrawn", Withdrawn{}, 0},
	{"shortened", Shortened{}, 0},
	{"excluded", Excluded{}, lasting},
	{"vouched", Vouched{}, 0},
	{"folders", FoldersAdded{}, 0},
	{"commented", Commented{}, lasting | own},
	{"uncommented", Uncommented{}, lasting | own},
	{"proposals", Proposals{}, lasting | own},
	{"decisions", Decisions{}, lasting | own},
	{"summarised", Summarised{}, 0},
	{"summary", Summary{}, lasting | own},
	{"finding", Found{}, lasting | own},
	{"dismissed", Dismissed{}, lasting | own},
	{"rewound", Rewound{}, lasting},
	{"redone", Redone{}, lasting},
	{"queued", Queued{}, own},
	{"unqueued", Unqueued{}, own},
}

// UserChunk is one block of a prompt, as the user entered it.
type UserChunk struct {
	MessageID string `json:"messageId"`
	Block     Block  `json:"block"`
	// Steer: added to a running turn.
	Steer bool `json:"steer,omitempty"`
	// Aside: a slash command, which is not sent to the model.
	Aside bool `json:"aside,omitempty"`
	// Expanded: a custom command. The model reads its expansion instead, a [Given]
	// of the same message.
	Expanded bool `json:"expanded,omitempty"`
}

func (UserChunk) isEvent() {}

// Text is a piece of the model's answer in Markdown. One with an empty Text only
// carries a signature and is not shown.
type Text struct {
	MessageID string `json:"messageId"`
	Part      int    `json:"part,omitempty"` // index in the message; the same for all pieces of one text
	Text      string `json:"text"`
	Signature []byte `json:"signature,omitempty"`
	Issuer    string `json:"issuer,omitempty"` // of the signature; empty: Google, or no signature
	// Aside: emendo's own answer to a slash command, which is not sent to the model.
	Aside bool `json:"aside,omitempty"`
}

func (Text) isEvent() {}

func (e Text) redacted(s *redact.Redactor) Event {
	e.Text = s.Piece(e.Text)
	return e
}

// Thought is a piece of the model's reasoning.
type Thought struct {
	MessageID string `json:"messageId"`
	Subject   string `json:"subject,omitempty"`
	Text      string `json:"text"`
}

func (Thought) isEvent() {}

func (e Thought) redacted(s *redact.Redactor) Event {
	e.Text = s.Piece(e.Text)
	return e
}

// Reasoning is a whole thought in the form that its provider expects with the next
// request. [Thought] shows it.
type Reasoning struct {
	MessageID string `json:"messageId"`
	Part      int    `json:"part,omitempty"` // index in the message
	Text      string `json:"text,omitempty"`
	Signature []byte `json:"signature"`
	Issuer    string `json:"issuer,omitempty"` // of the signature
}

func (Reasoning) isEvent() {}

func (e Reasoning) redacted(s *redact.Redactor) Event {
	if s.Known(e.Text) != e.Text { // the signature covers the text with the secret
		e.Text, e.Signature = "", nil
	}
	return e
}

// Plan is the model's todo list.
type Plan struct {
	Entries []PlanEntry `json:"entries"`
	// Tasks is the state of the task list, which is recorded but not shown; nil if
	// the entries are all there is.
	Tasks json.RawMessage `json:"tasks,omitempty"`
}

func (Plan) isEvent() {}

// PlanEntry is an item of a todo list.
type PlanEntry struct {
	Content  string `json:"content"`
	Priority string `json:"priority"` // high, medium, low
	Status   string `json:"status"`   // pending, in_progress, completed
}

// CommandsChanged lists the available slash commands.
type CommandsChanged struct {
	Commands []Command `json:"commands"`
}

func (CommandsChanged) isEvent() {}

// Command is a slash command.
type Command struct {
	Name        string `json:"name"` // without the slash
	Description string `json:"description"`
	Hint        string `json:"hint,omitempty"` // describes the arguments; empty if there are none
}

// ModeChanged changes the session's mode.
type ModeChanged struct {
	Mode policy.Mode `json:"mode"`
	// Quiet: changed between turns, and not shown.
	Quiet bool `json:"quiet,omitempty"`
}

func (ModeChanged) isEvent() {}

// ModelChanged changes the model from the next turn on.
type ModelChanged struct {
	Model string `json:"model"`
	Quiet bool   `json:"quiet,omitempty"`
}

func (ModelChanged) isEvent() {}

// InfoChanged changes the session's title.
type InfoChanged struct {
	Title string    `json:"title"`
	At    time.Time `json:"at"`
}

func (InfoChanged) isEvent() {}

// UsageUpdated follows every response of the model.
type UsageUpdated struct {
	Used  int64 `json:"used"` // tokens in the context now
	Size  int64 `json:"size"` // the model's context limit in tokens
	Usage Usage `json:"usage"`
}

func (UsageUpdated) isEvent() {}

// Usage is the session's count of tokens so far.
type Usage struct {
	model.Usage
	ContextLimit int64
}

// Compaction reports that the history was or is being compacted.
type Compaction struct {
	ID             string `json:"id"`
	Status         string `json:"status"`
	OriginalTokens int64  `json:"originalTokens"`
	NewTokens      int64  `json:"newTokens"`
}

func (Compaction) isEvent() {}

// Retract removes a message's text and thoughts: its stream broke and is repeated as
// another message.
type Retract struct {
	MessageID string `json:"messageId"`
}

func (Retract) isEvent() {}

// ResponseFinished follows every complete response of the model.
type ResponseFinished struct {
	MessageID string       `json:"messageId"`
	Reason    model.Finish `json:"reason"`
	Word      string       `json:"word,omitempty"` // the provider's word for Reason
	Usage     Usage        `json:"usage"`
	Model     string       `json:"model,omitempty"` // the model that answered, by its provider's name
}

func (ResponseFinished) isEvent() {}

// StopReason is the reason why a turn ended.
type StopReason string

// The reasons why a turn ended.
const (
	EndTurn         StopReason = "end_turn"
	StopMaxTokens   StopReason = "max_tokens"
	MaxTurnRequests StopReason = "max_turn_requests"
	Refusal         StopReason = "refusal"
	StopCancelled   StopReason = "cancelled"
	StopLoop        StopReason = "_emendo/loop"
	StopBlocked     StopReason = "_emendo/blocked"
	StopError       StopReason = "_emendo/error"
)

// TurnEnded is the last event of a turn.
type TurnEnded struct {
	StopReason StopReason `json:"stopReason"`
	Usage      Usage      `json:"usage"`           // of the turn
	Aside      bool       `json:"aside,omitempty"` // the turn was a slash command
	DurationMS int64      `json:"durationMs,omitempty"`
	// Files are the files changed by the turn's accepted edits.
	Files []FileSummary `json:"files,omitempty"`
	// Unasked are the commands that nobody allowed: they ran because the sandbox held them.
	Unasked []Unasked `json:"unasked,omitempty"`
}

func (TurnEnded) isEvent() {}

func (e TurnEnded) redacted(s *redact.Redactor) Event {
	e.Unasked = slices.Clone(e.Unasked)
	for i := range e.Unasked {
		e.Unasked[i].Command = s.Known(e.Unasked[i].Command)
	}
	return e
}

// FileSummary counts the changes that a turn made in a file.
type FileSummary struct {
	URI         string `json:"uri"`
	Added       int    `json:"added"` // lines
	Removed     int    `json:"removed"`
	ChangeSetID string `json:"changeSetId"` // the last one that changed it
}

// Started is the first record of a session.
type Started struct {
	SessionID string      `json:"sessionId"`
	Cwd       string      `json:"cwd"`
	Roots     []string    `json:"roots"`
	CreatedAt time.Time   `json:"createdAt"`
	Model     string      `json:"model"`
	Mode      policy.Mode `json:"mode"`
	// ImportedAt is when the session was imported from another program.
	ImportedAt time.Time `json:"importedAt,omitzero"`
}

func (Started) isEvent() {}

// Given is text that is added to the user's turn for the model and not shown as a
// message: the editor's context, decisions on edits, or that a turn was cancelled.
type Given struct {
	MessageID string `json:"messageId"`        // of the user's message that it belongs to
	Kind      string `json:"kind"`             // one of environment, folders, editor, linked, command, context_file, decisions, hook, session_start, advice, continue, cancelled
	Source    string `json:"source,omitempty"` // the file that it is about, absolute
	Text      string `json:"text"`
	// MIME and Data hold an attachment of Text, such as an image.
	MIME string `json:"mime,omitempty"`
	Data []byte `json:"data,omitempty"`
	// Origin is where the text comes from, if its kind does not imply it.
	Origin tools.Origin   `json:"origin,omitempty"`
	From   []tools.Author `json:"from,omitempty"`   // of untrusted text
	Server string         `json:"server,omitempty"` // the MCP server that it comes from, if known
	// Context is the state of the editor described by Text, so that the next
	// description has only the changes.
	Context json.RawMessage `json:"context,omitempty"`
	// Told maps change sets to the states of their hunks, if Text reports
	// decisions.
	Told map[string]string `json:"told,omitempty"`
}

func (Given) isEvent() {}

func (e Given) redacted(s *redact.Redactor) Event {
	e.Text = s.Known(e.Text)
	return e
}

// Withdrawn removes a prompt from the history because it got no answer.
type Withdrawn struct {
	MessageID string `json:"messageId"`
}

func (Withdrawn) isEvent() {}

// Proposals are new change sets.
type Proposals struct {
	ChangeSets []ledger.ChangeSet `json:"changeSets"`
	Err        error              `json:"-"` // why the stored change sets cannot be read
}

func (Proposals) isEvent() {}

// Decisions are changed states of the hunks of a change set.
type Decisions struct {
	ChangeSetID string      `json:"changeSetId"`
	Hunks       []HunkState `json:"hunks"` // only those that changed since they were last recorded
}

func (Decisions) isEvent() {}

// HunkState is the state of a hunk.
type HunkState struct {
	HunkID string `json:"hunkId"`
	State  string `json:"state"`
	Edited bool   `json:"edited,omitempty"`
	// See [ledger.Hunk]; what was applied or rejected before there was a review is reviewed.
	Unasked    bool `json:"unasked,omitempty"`
	Unreviewed bool `json:"unreviewed,omitempty"`
	Committed  bool `json:"committed,omitempty"`

	Because string  `json:"because,omitempty"`
	NewText *string `json:"newText,omitempty"` // if the user changed it
	Reason  string  `json:"reason,omitempty"`
}

// Summarised is a one-line summary of the session so far. Rewinding the turns
// before it removes it.
type Summarised struct {
	Summary string `json:"summary"`
}

func (Summarised) isEvent() {}

// Summary is the session as listings show it, written at the end of a turn.
type Summary struct {
	Title     string      `json:"title"`
	Summary   string      `json:"summary,omitempty"`
	UpdatedAt time.Time   `json:"updatedAt"`
	Model     string      `json:"model"`
	Mode      policy.Mode `json:"mode"`
	Turns     int         `json:"turns"`
	Usage     Usage       `json:"usage"`
	Round     int         `json:"round,omitempty"` // see [SessionInfo]; absent in the first
}

func (Summary) isEvent() {}

// Shortened compacts the conversation for the model. The user still sees all of it.
type Shortened struct {
	MessageID string `json:"messageId,omitempty"` // of the summary
	Summary   string `json:"summary,omitempty"`   // replaces all before From; empty keeps all
	From      string `json:"from,omitempty"`      // the first message to keep; empty keeps none
	Cuts      []Cut  `json:"cuts,omitempty"`
	// Bare are the messages that lose their attachments, which the provider refused. Those
	// of the results of a message's calls count as the message's.
	Bare []string `json:"bare,omitempty"`
}

func (Shortened) isEvent() {}

// Cut replaces the result of a call.
type Cut struct {
	CallID string `json:"callId"`
	Output string `json:"output"`
}

// Vouched says that the user wants no question in this session about requests that follow
// untrusted content of these authors; of an earlier version and without any, of all so far.
type Vouched struct {
	Authors []tools.Author `json:"authors,omitempty"`
	Over    bool           `json:"over,omitempty"` // the user wants to be asked again
}

func (Vouched) isEvent() {}

// Excluded adds or removes an exclusion.
type Excluded struct {
	Exclusion
	On bool `json:"on"`
}

func (Excluded) isEvent() {}

// Rewound removes a turn and everything after it up to this record: the session
// continues from the state before that turn's prompt.
type Rewound struct {
	TurnID string `json:"turnId"`
}

func (Rewound) isEvent() {}

// Redone undoes the last rewind: what that removed is part of the session again.
type Redone struct {
	TurnID string `json:"turnId"` // of the rewind
}

func (Redone) isEvent() {}

// Queued is a prompt that was accepted but not started. It stays queued, also across
// restarts, until a [UserChunk] of its message or turn, or an [Unqueued].
type Queued struct {
	TurnID    string  `json:"turnId"` // its own turn, or the one that it steers
	MessageID string  `json:"messageId"`
	Blocks    []Block `json:"blocks"`
	Steer     bool    `json:"steer,omitempty"`
}

func (Queued) isEvent() {}

// Unqueued removes a queued prompt.
type Unqueued struct {
	MessageID string `json:"messageId"`
}

func (Unqueued) isEvent() {}

// FoldersAdded adds folders of the workspace to the session's.
type FoldersAdded struct {
	Folders []string `json:"folders"` // absolute, links resolved
}

func (FoldersAdded) isEvent() {}
