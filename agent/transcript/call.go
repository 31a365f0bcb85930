package transcript

import (
	"encoding/json"

	"github.com/emendo-dev/emendo/internal/redact"
	"github.com/emendo-dev/emendo/tools"
)

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

func (ToolCall) isEvent() {}

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
	Locations   []tools.Location `json:"locations,omitempty"`
	Live        string           `json:"live,omitempty"` // output so far of a running call
	PID         int              `json:"pid,omitempty"`
	Terminal    string           `json:"-"` // the user's terminal that shows a running command
	ChangeSetID string           `json:"changeSetId,omitempty"`
	Diffs       []Diff           `json:"diffs,omitempty"`
	Output      string           `json:"output,omitempty"`  // for the model
	Display     string           `json:"display,omitempty"` // Markdown for the user
	Summary     string           `json:"summary,omitempty"`
	Blobs       []tools.Blob     `json:"blobs,omitempty"`
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

func (ToolUpdate) isEvent() {}

func (u ToolUpdate) redacted(s *redact.Redactor) Event {
	u.Title, u.Live, u.Output, u.Display, u.Summary = s.Known(u.Title), s.Piece(u.Live), s.Known(u.Output), s.Known(u.Display), s.Known(u.Summary)
	return u
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

// Unasked is a command that nobody allowed: it ran because the sandbox held it.
type Unasked struct {
	CallID  string `json:"toolCallId"`
	Command string `json:"command"` // its beginning, if it is long
}
