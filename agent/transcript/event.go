package transcript

import (
	"encoding/json"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/tools"
)

// An Event is a fact about a session, such as a message, a call or a decision.
// Events that are shown are sent to the client as a numbered [Update]; the others
// are only recorded. A session is the fold of its events: anything that must
// survive a restart is in one of them.
//
// The events that are shown: [UserChunk], [Text], [Thought], [ToolCall],
// [ToolUpdate], [Plan], [CommandsChanged], [ModeChanged], [ModelChanged],
// [InfoChanged], [UsageUpdated], [Notice], [Compaction], [Retract],
// [ResponseFinished] and [TurnEnded]. Recorded only: [Started], [Reasoning], [Given],
// [Withdrawn], [Shortened], [Excluded], [Vouched], [FoldersAdded], [Proposals], [Decisions],
// [Summarised], [Summary], [Rewound], [Queued] and [Unqueued].
//
//sumtype:decl
type Event interface{ isEvent() }

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

// Thought is a piece of the model's reasoning.
type Thought struct {
	MessageID string `json:"messageId"`
	Subject   string `json:"subject,omitempty"`
	Text      string `json:"text"`
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

// ToolCall is a call by the model, in state Validating.
type ToolCall struct {
	MessageID  string          `json:"messageId"`
	Part       int             `json:"part,omitempty"`
	CallID     string          `json:"callId"`
	ProviderID string          `json:"providerId,omitempty"`
	Name       string          `json:"name"`
	Args       json.RawMessage `json:"args"`
	Signature  []byte          `json:"signature,omitempty"`
	Issuer     string          `json:"issuer,omitempty"` // of ProviderID and Signature; empty: Google, or neither is set
	Title      string          `json:"title"`
	Kind       tools.Kind      `json:"kind,omitempty"`
	// Aside: made for the user's prompt or by a subagent. The session's model does
	// not see it.
	Aside  bool   `json:"aside,omitempty"`
	Parent string `json:"parent,omitempty"` // the call of the subagent that makes it
	Broken string `json:"-"`                // why it cannot run, for the model; empty: it can. Its result has it
}

// CallState is the state of a tool call.
type CallState string

// The states of a call.
const (
	Validating       CallState = "validating"
	Scheduled        CallState = "scheduled"
	AwaitingApproval CallState = "awaiting_approval"
	AwaitingReview   CallState = "awaiting_review" // of edits of its turn, for which it waits
	Executing        CallState = "executing"
	Success          CallState = "success"
	Failure          CallState = "error"
	Cancelled        CallState = "cancelled"
)

// ToolUpdate is a change of a call. In the last three states Output is its result for the model.
type ToolUpdate struct {
	CallID      string           `json:"callId"`
	State       CallState        `json:"state"`
	Title       string           `json:"title,omitempty"`
	Locations   []tools.Location `json:"locations,omitempty"` // stored as storedLocation
	Live        string           `json:"live,omitempty"`      // output so far of a running call
	PID         int              `json:"pid,omitempty"`
	Terminal    string           `json:"-"` // the user's terminal that shows a running command
	ChangeSetID string           `json:"changeSetId,omitempty"`
	Diffs       []Diff           `json:"diffs,omitempty"`
	Output      string           `json:"output,omitempty"`  // for the model
	Display     string           `json:"display,omitempty"` // Markdown for the user
	Summary     string           `json:"summary,omitempty"`
	Blobs       []tools.Blob     `json:"blobs,omitempty"` // stored as storedBlob
	ErrorType   tools.ErrorType  `json:"errorType,omitempty"`
	Rule        string           `json:"rule,omitempty"` // the rule that denied the call
	DurationMS  int64            `json:"durationMs,omitempty"`
	ExitCode    *int             `json:"exitCode,omitempty"` // of a command that exited
	Signal      string           `json:"signal,omitempty"`   // that ended a command
	Told        string           `json:"told,omitempty"`     // of a completed edit: the states of its hunks
	Plan        string           `json:"plan,omitempty"`     // path of the plan that the call got approved
	Origin      tools.Origin     `json:"origin,omitempty"`   // of Output, if not from this machine
	From        []tools.Author   `json:"from,omitempty"`     // of untrusted Output
	Server      string           `json:"server,omitempty"`   // earlier versions: the MCP server that Output comes from
	Leads       []tools.Lead     `json:"leads,omitempty"`    // the addresses that Output leads to
}

// Over reports whether the call has ended.
func (u ToolUpdate) Over() bool {
	return u.State == Success || u.State == Failure || u.State == Cancelled
}

// Diff is the text of a file before and after a proposed edit.
type Diff struct {
	Path string  `json:"path"`          // absolute; the URI of a document that is not a file
	Old  *string `json:"old,omitempty"` // nil if the file is new
	New  string  `json:"new"`
}

// Plan is the model's todo list.
type Plan struct {
	Entries []PlanEntry `json:"entries"`
	// Tasks is the state of the task list, which is recorded but not shown; nil if
	// the entries are all there is.
	Tasks json.RawMessage `json:"tasks,omitempty"`
}

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

// ModelChanged changes the model from the next turn on.
type ModelChanged struct {
	Model string `json:"model"`
	Quiet bool   `json:"quiet,omitempty"`
}

// InfoChanged changes the session's title.
type InfoChanged struct {
	Title string    `json:"title"`
	At    time.Time `json:"at"`
}

// UsageUpdated follows every response of the model.
type UsageUpdated struct {
	Used  int64 `json:"used"` // tokens in the context now
	Size  int64 `json:"size"` // the model's context limit in tokens
	Usage Usage `json:"usage"`
}

// Usage is the session's count of tokens so far.
type Usage struct {
	model.Usage
	ContextLimit int64
}

// Severity of a notice.
type Severity string

// The severities.
const (
	Info    Severity = "info"
	Warning Severity = "warning"
	Error   Severity = "error"
)

// NoticeCode is the subject of a notice.
type NoticeCode string

// The codes of notices.
const (
	NoticeCitation        NoticeCode = "citation"
	NoticeLoop            NoticeCode = "loop_detected"
	NoticeMaxTurns        NoticeCode = "max_turns"
	NoticeBudget          NoticeCode = "budget"
	NoticeContextOverflow NoticeCode = "context_overflow"
	NoticeRetry           NoticeCode = "retry"
	NoticeModelFallback   NoticeCode = "model_fallback"
	NoticeInvalidStream   NoticeCode = "invalid_stream"
	NoticeHook            NoticeCode = "hook"
	NoticeStopped         NoticeCode = "stopped"
	NoticeBlocked         NoticeCode = "blocked"
	NoticeMCP             NoticeCode = "mcp"
	NoticeBackground      NoticeCode = "background"
	NoticeChangedOnDisk   NoticeCode = "changed_on_disk"
	NoticeMovedAside      NoticeCode = "moved_aside" // what a command made and may not make
	NoticeModel           NoticeCode = "model"       // which model answers, if the user left the choice to emendo
	NoticeIncomplete      NoticeCode = "incomplete"  // the answer was cut off
	NoticeNotSent         NoticeCode = "not_sent"    // a file named in the prompt, or pictures
	NoticeRestricted      NoticeCode = "restricted"  // the folder is not trusted
	NoticeSettings        NoticeCode = "settings"    // a setting is invalid
	NoticeChanged         NoticeCode = "changed"     // what emendo does otherwise since an update
	NoticeOutside         NoticeCode = "outside"     // a call that mode yolo allowed followed content from outside
	NoticeError           NoticeCode = "error"
)

// Notice is information for the user.
type Notice struct {
	Severity     Severity   `json:"severity"`
	Title        string     `json:"title"`
	Description  string     `json:"description,omitempty"`
	Code         NoticeCode `json:"code"`
	RetryAfterMS int64      `json:"retryAfterMs,omitempty"` // of NoticeRetry
	Attempt      int        `json:"attempt,omitempty"`      // of NoticeRetry: the one that failed, from 1
	MaxAttempts  int        `json:"maxAttempts,omitempty"`  // of NoticeRetry
	// Type is the failure of NoticeRetry and NoticeInvalidStream: a kind of model
	// error, or malformed_call.
	Type          string   `json:"type,omitempty"`
	RequestTokens int64    `json:"requestTokens,omitempty"` // of NoticeContextOverflow; counted by the provider, or estimated
	ContextLimit  int64    `json:"contextLimit,omitempty"`  // of NoticeContextOverflow
	Hook          *HookRun `json:"hook,omitempty"`          // of NoticeHook, if hooks ran
}

// Compaction reports that the history was or is being compacted.
type Compaction struct {
	ID             string `json:"id"`
	Status         string `json:"status"`
	OriginalTokens int64  `json:"originalTokens"`
	NewTokens      int64  `json:"newTokens"`
}

// Retract removes a message's text and thoughts: its stream broke and is repeated as
// another message.
type Retract struct {
	MessageID string `json:"messageId"`
}

// ResponseFinished follows every complete response of the model.
type ResponseFinished struct {
	MessageID string       `json:"messageId"`
	Reason    model.Finish `json:"reason"`
	Word      string       `json:"word,omitempty"` // the provider's word for Reason
	Usage     Usage        `json:"usage"`
	Model     string       `json:"model,omitempty"` // the model that answered, by its provider's name
}

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

// Withdrawn removes a prompt from the history because it got no answer.
type Withdrawn struct {
	MessageID string `json:"messageId"`
}

// Proposals are new change sets.
type Proposals struct {
	ChangeSets []ledger.ChangeSet
	Err        error // why the stored change sets cannot be read
}

// Decisions are changed states of the hunks of a change set.
type Decisions struct {
	ChangeSetID string      `json:"changeSetId"`
	Hunks       []HunkState `json:"hunks"` // only those that changed since they were last recorded
}

// HunkState is the state of a hunk.
type HunkState struct {
	HunkID string `json:"hunkId"`
	State  string `json:"state"`
	Edited bool   `json:"edited,omitempty"`
	// See [ledger.Hunk]; what was applied or rejected before there was a review is reviewed.
	Unasked    bool `json:"unasked,omitempty"`
	Unreviewed bool `json:"unreviewed,omitempty"`

	NewText *string `json:"newText,omitempty"` // if the user changed it
	Reason  string  `json:"reason,omitempty"`
}

// Summarised is a one-line summary of the session so far. Rewinding the turns
// before it removes it.
type Summarised struct {
	Summary string `json:"summary"`
}

// Summary is the session as listings show it, written at the end of a turn.
type Summary struct {
	Title     string      `json:"title"`
	Summary   string      `json:"summary,omitempty"`
	UpdatedAt time.Time   `json:"updatedAt"`
	Model     string      `json:"model"`
	Mode      policy.Mode `json:"mode"`
	Turns     int         `json:"turns"`
	Usage     Usage       `json:"usage"`
}

func (UserChunk) isEvent()        {}
func (Text) isEvent()             {}
func (Thought) isEvent()          {}
func (Reasoning) isEvent()        {}
func (ToolCall) isEvent()         {}
func (ToolUpdate) isEvent()       {}
func (Plan) isEvent()             {}
func (CommandsChanged) isEvent()  {}
func (ModeChanged) isEvent()      {}
func (ModelChanged) isEvent()     {}
func (InfoChanged) isEvent()      {}
func (UsageUpdated) isEvent()     {}
func (Notice) isEvent()           {}
func (Compaction) isEvent()       {}
func (Retract) isEvent()          {}
func (ResponseFinished) isEvent() {}
func (TurnEnded) isEvent()        {}
func (Started) isEvent()          {}
func (Given) isEvent()            {}
func (Withdrawn) isEvent()        {}
func (Proposals) isEvent()        {}
func (Decisions) isEvent()        {}
func (Summarised) isEvent()       {}
func (Summary) isEvent()          {}

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

// Cut replaces the result of a call.
type Cut struct {
	CallID string `json:"callId"`
	Output string `json:"output"`
}

func (Shortened) isEvent() {}

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

// HookRun describes the hooks that an event ran, for a notice.
type HookRun struct {
	Names      []string `json:"names"` // in the order in which they ran
	Event      string   `json:"event"`
	DurationMS int64    `json:"durationMs"`
	// Outcome is "ok", "failed", "asked", "blocked" or "stopped".
	Outcome string `json:"outcome"`
}

// Rewound removes a turn and everything after it up to this record: the session
// continues from the state before that turn's prompt.
type Rewound struct {
	TurnID string `json:"turnId"`
}

func (Rewound) isEvent() {}

// Queued is a prompt that was accepted but not started. It stays queued, also across
// restarts, until a [UserChunk] of its message or turn, or an [Unqueued].
type Queued struct {
	TurnID    string  `json:"turnId"` // its own turn, or the one that it steers
	MessageID string  `json:"messageId"`
	Blocks    []Block `json:"blocks"`
	Steer     bool    `json:"steer,omitempty"`
}

// Unqueued removes a queued prompt.
type Unqueued struct {
	MessageID string `json:"messageId"`
}

func (Queued) isEvent() {}

func (Unqueued) isEvent() {}

// FoldersAdded adds folders of the workspace to the session's.
type FoldersAdded struct {
	Folders []string `json:"folders"` // absolute, links resolved
}

func (FoldersAdded) isEvent() {}
