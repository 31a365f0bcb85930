package acp

import (
	"encoding/json"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// ToolCall is a tool call or an update of one.
type ToolCall struct {
	SessionUpdate string          `json:"sessionUpdate,omitempty"`
	ToolCallID    string          `json:"toolCallId"`
	Title         string          `json:"title,omitempty"`
	Name          string          `json:"name,omitempty"`
	Kind          string          `json:"kind,omitempty"`
	Status        string          `json:"status,omitempty"`
	Content       []any           `json:"content,omitempty"`
	Locations     []location      `json:"locations,omitempty"`
	RawInput      json.RawMessage `json:"rawInput,omitempty"`
	Meta          *meta           `json:"_meta,omitempty"`
}

type location struct {
	Path string `json:"path"`
	Line *int   `json:"line,omitempty"` // one-based, as in other ACP agents and editors
}

// callMeta has the fields that emendo adds to a tool call.
type callMeta struct {
	State       transcript.CallState `json:"state"`
	ErrorType   tools.ErrorType      `json:"errorType,omitempty"`
	DurationMS  *int64               `json:"durationMs,omitempty"`
	ExitCode    *int                 `json:"exitCode,omitempty"`
	Signal      string               `json:"signal,omitempty"`
	PID         int                  `json:"pid,omitempty"`
	OutputDelta string               `json:"outputDelta,omitempty"`
	ChangeSetID string               `json:"changeSetId,omitempty"`
	Summary     string               `json:"summary,omitempty"`
	Rule        string               `json:"rule,omitempty"`    // the rule that denied it or requires approval
	Sandbox     string               `json:"sandbox,omitempty"` // the sandbox level of a command that needs approval
	Reason      string               `json:"reason,omitempty"`  // why a call needs approval
	Parent      string               `json:"parentToolCallId,omitempty"`
}

// content, terminal and diff are kinds of a tool call's content.
type content struct {
	Type    string `json:"type"`
	Content any    `json:"content"`
}

type terminal struct {
	Type string `json:"type"`
	ID   string `json:"terminalId"`
}

type diff struct {
	Type    string  `json:"type"`
	Path    string  `json:"path"`
	OldText *string `json:"oldText"`
	NewText string  `json:"newText"`
}

// status returns the ACP status of a state.
func status(s transcript.CallState) string {
	switch s {
	case transcript.Validating, transcript.Scheduled, transcript.AwaitingApproval, transcript.AwaitingReview:
		return "pending"
	case transcript.Executing:
		return "in_progress"
	case transcript.Success:
		return "completed"
	case transcript.Failure, transcript.Cancelled:
		return "failed"
	}
	panic("acp: unknown state " + string(s))
}

func kind(k tools.Kind) string {
	if k == "" {
		return "other"
	}
	return string(k)
}

func toolCall(e transcript.ToolCall) ToolCall {
	return ToolCall{
		SessionUpdate: "tool_call", ToolCallID: e.CallID, Title: e.Title, Name: e.Name, Kind: kind(e.Kind), Status: status(transcript.Validating),
		RawInput: e.Args, Meta: &meta{callMeta{State: transcript.Validating, Parent: e.Parent}},
	}
}

func toolUpdate(e transcript.ToolUpdate) ToolCall {
	m := callMeta{State: e.State, ErrorType: e.ErrorType, PID: e.PID, ChangeSetID: e.ChangeSetID, Summary: e.Summary, Rule: e.Rule, ExitCode: e.ExitCode, Signal: e.Signal}
	if e.Over() {
		m.DurationMS = &e.DurationMS
	}
	return ToolCall{
		SessionUpdate: "tool_call_update", ToolCallID: e.CallID, Title: e.Title, Status: status(e.State),
		Content: contents(e), Locations: locations(e.Locations), Meta: &meta{m},
	}
}

// OutputDelta encodes an update of a running call with what was added to its
// output, in place of all of it.
func OutputDelta(e transcript.ToolUpdate, added string) json.RawMessage {
	e.Live = ""
	u := toolUpdate(e)
	m := u.Meta.Emendo.(callMeta)
	m.OutputDelta = added
	u.Meta = &meta{m}
	return encode(u)
}

// contents returns what the user sees of a call: its diff, its output so far, or
// its result.
func contents(e transcript.ToolUpdate) []any {
	if len(e.Diffs) > 0 {
		return diffs(e.Diffs)
	}
	if e.Terminal != "" && !e.Over() {
		return []any{terminal{"terminal", e.Terminal}}
	}
	text := e.Live
	if e.Over() {
		if text = e.Display; text == "" && e.State != transcript.Success {
			text = e.Output
		}
	} else if text != "" {
		text = visible.Block("", text)
	}
	if text == "" {
		return nil
	}
	return []any{content{"content", textBlock(text)}}
}

func diffs(ds []transcript.Diff) []any {
	l := make([]any, len(ds))
	for i, d := range ds {
		l[i] = diff{"diff", d.Path, d.Old, d.New}
	}
	return l
}

func locations(ls []tools.Location) []location {
	var out []location
	for _, l := range ls {
		w := location{Path: l.Path}
		if l.Line > 0 {
			w.Line = &l.Line
		}
		out = append(out, w)
	}
	return out
}
