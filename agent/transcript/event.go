package transcript

import (
	"encoding/json"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/tools"
)

// An Event is a fact about a session: what was said, called, decided. Those
// that a user sees go to the [Client] as an [Update], numbered; the others are
// only recorded. A session is the fold of its events, so whatever must survive
// a restart is in one of them.
//
// The events that are shown: [UserChunk], [Text], [Thought], [ToolCall],
// [ToolUpdate], [Plan], [CommandsChanged], [ModeChanged], [ModelChanged],
// [InfoChanged], [UsageUpdated], [Notice], [Compaction], [Retract],
// [ResponseFinished] and [TurnEnded]. Recorded only: [Started], [Given],
// [Withdrawn], [Shortened], [Excluded], [Vouched], [FoldersAdded], [Proposals], [Decisions],
// [Summarised], [Summary], [Rewound], [Queued] and [Unqueued].
//
//sumtype:decl
type Event interface{ isEvent() }

// UserChunk is one block of a prompt, as the user gave it.
type UserChunk struct {
	MessageID string `json:"messageId"`
	Block     Block  `json:"block"`
	// Steer: said while the turn ran, so it is read with what the turn did
	// until then.
	Steer bool `json:"steer,omitempty"`
	// Aside: a slash command, which the model is not told.
	Aside bool `json:"aside,omitempty"`
}

// Text is a piece of the model's answer, Markdown. One with an empty Text
// carries a signature only and is not shown.
type Text struct {
	MessageID string `json:"messageId"`
	Part      int    `json:"part,omitempty"` // its place in the message; the same for pieces of one text
	Text      string `json:"text"`
	Signature []byte `json:"signature,omitempty"`
	// Aside: emendo's own answer to a slash command, which the model is not told.
	Aside bool `json:"aside,omitempty"`
}

// Thought is a piece of the model's reasoning.
type Thought struct {
	MessageID string `json:"messageId"`
	Subject   string `json:"subject,omitempty"`
	Text      string `json:"text"`
}

// ToolCall is a call that the model made, in state Validating.
type ToolCall struct {
	MessageID  string          `json:"messageId"`
	Part       int             `json:"part,omitempty"`
	CallID     string          `json:"callId"`
	ProviderID string          `json:"providerId,omitempty"`
	Name       string          `json:"name"`
	Args       json.RawMessage `json:"args"`
	Signature  []byte          `json:"signature,omitempty"`
	Title      string          `json:"title"`
	Kind       tools.Kind      `json:"kind,omitempty"`
}

// CallState is where a tool call stands.
type CallState string

// The seven states of a call.
const (
	Validating       CallState = "validating"
	Scheduled        CallState = "scheduled"
	AwaitingApproval CallState = "awaiting_approval"
	Executing        CallState = "executing"
	Success          CallState = "success"
	Failure          CallState = "error"
	Cancelled        CallState = "cancelled"
)

// ToolUpdate is news of a call. Once State is Success, Failure or Cancelled
// the call is over and Output is what the model reads.
type ToolUpdate struct {
	CallID      string           `json:"callId"`
	State       CallState        `json:"state"`
	Title       string           `json:"title,omitempty"`
	Locations   []tools.Location `json:"locations,omitempty"` // stored as storedLocation
	Live        string           `json:"live,omitempty"`      // output so far, of a running one
	PID         int              `json:"pid,omitempty"`
	ChangeSetID string           `json:"changeSetId,omitempty"`
	Diffs       []Diff           `json:"diffs,omitempty"`
	Output      string           `json:"output,omitempty"`  // what the model reads
	Display     string           `json:"display,omitempty"` // Markdown for the user
	Summary     string           `json:"summary,omitempty"`
	Blobs       []tools.Blob     `json:"blobs,omitempty"` // stored as storedBlob
	ErrorType   tools.ErrorType  `json:"errorType,omitempty"`
	Rule        string           `json:"rule,omitempty"` // of a denied call: what denied it
	DurationMS  int64            `json:"durationMs,omitempty"`
	Told        string           `json:"told,omitempty"`   // of an edit that is over: how its hunks stood
	Plan        string           `json:"plan,omitempty"`   // of the call with which a plan was approved: its path
	Origin      tools.Origin     `json:"origin,omitempty"` // where Output comes from, when that is not this machine
}

// Over says that the call has ended.
func (u ToolUpdate) Over() bool {
	return u.State == Success || u.State == Failure || u.State == Cancelled
}

// Diff is the whole text of a file before and after a proposed edit.
type Diff struct {
	Path string  `json:"path"`          // absolute; the URI of a document that is no file
	Old  *string `json:"old,omitempty"` // nil when the file is new
	New  string  `json:"new"`
}

// Plan is the model's list of what is to do.
type Plan struct {
	Entries []PlanEntry `json:"entries"`
}

// PlanEntry is one thing to do.
type PlanEntry struct {
	Content  string `json:"content"`
	Priority string `json:"priority"` // high, medium, low
	Status   string `json:"status"`   // pending, in_progress, completed
}

// CommandsChanged tells which slash commands there are.
type CommandsChanged struct {
	Commands []Command `json:"commands"`
}

// Command is a slash command.
type Command struct {
	Name        string `json:"name"` // without the slash
	Description string `json:"description"`
	Hint        string `json:"hint,omitempty"` // what may stand behind the name; empty: nothing
}

// ModeChanged tells the mode that holds from here on.
type ModeChanged struct {
	Mode policy.Mode `json:"mode"`
	// Quiet: changed between turns, when nothing is shown.
	Quiet bool `json:"quiet,omitempty"`
}

// ModelChanged tells the model that answers from the next turn on.
type ModelChanged struct {
	Model string `json:"model"`
	Quiet bool   `json:"quiet,omitempty"`
}

// InfoChanged tells the session's new title.
type InfoChanged struct {
	Title string    `json:"title"`
	At    time.Time `json:"at"`
}

// UsageUpdated comes once after every response of the model.
type UsageUpdated struct {
	Used  int64 `json:"used"` // tokens in the context now
	Size  int64 `json:"size"` // tokens that fit
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

// NoticeCode says what a notice is about.
type NoticeCode string

// The codes of notices.
const (
	NoticeCitation        NoticeCode = "citation"
	NoticeLoop            NoticeCode = "loop_detected"
	NoticeMaxTurns        NoticeCode = "max_turns"
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
	NoticeModel           NoticeCode = "model"      // which one answers, where that was left open
	NoticeIncomplete      NoticeCode = "incomplete" // the answer was cut off
	NoticeNotSent         NoticeCode = "not_sent"   // a file that the prompt names
	NoticeError           NoticeCode = "error"
)

// Notice is something that the user should know.
type Notice struct {
	Severity     Severity   `json:"severity"`
	Title        string     `json:"title"`
	Description  string     `json:"description,omitempty"`
	Code         NoticeCode `json:"code"`
	RetryAfterMS int64      `json:"retryAfterMs,omitempty"` // of NoticeRetry
	Attempt      int        `json:"attempt,omitempty"`      // of NoticeRetry: the one that failed, from 1
	MaxAttempts  int        `json:"maxAttempts,omitempty"`  // of NoticeRetry
	// Type is what went wrong, of NoticeRetry and NoticeInvalidStream: a kind of
	// model error, or malformed_call.
	Type          string   `json:"type,omitempty"`
	RequestTokens int64    `json:"requestTokens,omitempty"` // of NoticeContextOverflow; counted by the provider, or estimated
	ContextLimit  int64    `json:"contextLimit,omitempty"`  // likewise
	Hook          *HookRun `json:"hook,omitempty"`          // of NoticeHook, where hooks ran
}

// Compaction tells that the history was, or is being, made shorter.
type Compaction struct {
	ID             string `json:"id"`
	Status         string `json:"status"`
	OriginalTokens int64  `json:"originalTokens"`
	NewTokens      int64  `json:"newTokens"`
}

// Retract tells to forget a message's text and thoughts: its stream broke and
// is repeated as another message.
type Retract struct {
	MessageID string `json:"messageId"`
}

// ResponseFinished comes once for every complete response of the model.
type ResponseFinished struct {
	MessageID string       `json:"messageId"`
	Reason    model.Finish `json:"reason"`
	Word      string       `json:"word,omitempty"` // the provider's
	Usage     Usage        `json:"usage"`
	Model     string       `json:"model,omitempty"` // that answered, as its provider calls it
}

// StopReason says why a turn ended.
type StopReason string

// Why a turn ended.
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
}

// Started is the first record of a session.
type Started struct {
	SessionID string      `json:"sessionId"`
	Cwd       string      `json:"cwd"`
	Roots     []string    `json:"roots"`
	CreatedAt time.Time   `json:"createdAt"`
	Model     string      `json:"model"`
	Mode      policy.Mode `json:"mode"`
	// ImportedAt is when a session of another program came here.
	ImportedAt time.Time `json:"importedAt,omitzero"`
}

// Given is text that the model is given in the user's turn and that the user
// does not see as a message: the editor's context, what became of edits, that
// a turn was cancelled.
type Given struct {
	MessageID string `json:"messageId"`        // of the user's message that it belongs to
	Kind      string `json:"kind"`             // what it is: environment, folders, editor, linked, context_file, decisions, hook, session_start, advice, continue, cancelled
	Source    string `json:"source,omitempty"` // the file that it is about, absolute
	Text      string `json:"text"`
	// Origin is where it comes from, when its kind does not say.
	Origin tools.Origin `json:"origin,omitempty"`
	// Context is what an editor's context said, so that the next one says
	// only what is new.
	Context json.RawMessage `json:"context,omitempty"`
	// Told is how the hunks of change sets stood when decisions were told.
	Told map[string]string `json:"told,omitempty"`
}

// Withdrawn takes what the user said in a message out of the history: nothing
// came of it.
type Withdrawn struct {
	MessageID string `json:"messageId"`
}

// Proposals are change sets when they were proposed.
type Proposals struct {
	ChangeSets []ledger.ChangeSet
	Err        error // why the stored change sets cannot be read
}

// Decisions tell how hunks of a change set stand now.
type Decisions struct {
	ChangeSetID string      `json:"changeSetId"`
	Hunks       []HunkState `json:"hunks"` // those that are no longer as last recorded
}

// HunkState is how a hunk stands.
type HunkState struct {
	HunkID  string  `json:"hunkId"`
	State   string  `json:"state"`
	Edited  bool    `json:"edited,omitempty"`
	NewText *string `json:"newText,omitempty"` // when the user changed it
	Reason  string  `json:"reason,omitempty"`
}

// Summarised tells what the session was about up to here, in a line. It goes
// the way of the turns before it when they are rewound.
type Summarised struct {
	Summary string `json:"summary"`
}

// Summary is what a list of sessions shows; written at the end of a turn.
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

// Shortened makes what the model is shown of the conversation shorter. What the
// user is shown stays.
type Shortened struct {
	MessageID string `json:"messageId,omitempty"` // of the summary
	Summary   string `json:"summary,omitempty"`   // stands for what is before From; empty: all of it stays
	From      string `json:"from,omitempty"`      // the first message that stays; empty: none does
	Cuts      []Cut  `json:"cuts,omitempty"`
}

// Cut is what the answer to a call reads from here on.
type Cut struct {
	CallID string `json:"callId"`
	Output string `json:"output"`
}

func (Shortened) isEvent() {}

// Vouched tells that the user trusts what the model has read so far, wherever
// it came from.
type Vouched struct{}

func (Vouched) isEvent() {}

// Excluded tells that something is left out from here on, or no longer.
type Excluded struct {
	Exclusion
	On bool `json:"on"`
}

func (Excluded) isEvent() {}

// HookRun is what a notice tells of the hooks that an event has run.
type HookRun struct {
	Names      []string `json:"names"` // in the order in which they ran
	Event      string   `json:"event"`
	DurationMS int64    `json:"durationMs"`
	// Outcome is "ok", "failed", "asked", "blocked" or "stopped".
	Outcome string `json:"outcome"`
}

// Rewound takes a turn and everything after it out of the session, up to this
// record: the session goes on from before that turn's prompt.
type Rewound struct {
	TurnID string `json:"turnId"`
}

func (Rewound) isEvent() {}

// Queued is a prompt that was accepted and is read later. It is queued until
// there is a [UserChunk] of its message or of its turn, or an [Unqueued]: what is
// queued when a process ends is not lost.
type Queued struct {
	TurnID    string  `json:"turnId"` // the turn that it is part of: its own, or the one that it steers
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

// FoldersAdded tells that the user added folders to the workspace, and that the
// session works in them too.
type FoldersAdded struct {
	Folders []string `json:"folders"` // absolute, links resolved
}

func (FoldersAdded) isEvent() {}
