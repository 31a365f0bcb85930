package acp

import (
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/internal/visible"
)

// PermissionOption is one way to answer a permission question.
type PermissionOption struct {
	OptionID string              `json:"optionId"`
	Name     string              `json:"name"`
	Kind     frontend.OptionKind `json:"kind"`
}

// PermissionOptions converts the options of a question.
func PermissionOptions(q frontend.Question) []PermissionOption {
	out := make([]PermissionOption, len(q.Options))
	for i, o := range q.Options {
		out[i] = PermissionOption{o.ID, o.Name, o.Kind}
	}
	return out
}

// QuestionCall returns the call that a question is about, with its diff, the
// reason for asking and the sandbox level of a command.
func QuestionCall(q frontend.Question) ToolCall {
	c := q.Call
	shown := diffs(c.Diffs)
	if q.Preview.Text != "" {
		shown = append(shown, content{"content", textBlock(visible.Block("", q.Preview.Text))})
	}
	state := transcript.AwaitingApproval
	if len(q.Preview.Waits) > 0 {
		state = transcript.AwaitingReview
	}
	return ToolCall{
		ToolCallID: c.CallID, Title: c.Title, Name: c.Name, Kind: kind(c.Kind), Status: status(state),
		Content: shown, Locations: locations(c.Locations), RawInput: c.Args,
		Meta: &meta{callMeta{State: state, ChangeSetID: q.Preview.ChangeSetID, Sandbox: q.Preview.Sandbox, Rule: q.Rule, Reason: q.Reason}},
	}
}

// PermissionParams are the params of session/request_permission.
type PermissionParams struct {
	SessionID string             `json:"sessionId"`
	ToolCall  ToolCall           `json:"toolCall"`
	Options   []PermissionOption `json:"options"`
	Meta      any                `json:"_meta,omitzero"`
}

// PermissionParamsOf returns the params that put a question. The call shows the diff of
// an edit, and in words what would be done and why it is asked.
func PermissionParamsOf(q frontend.Question) PermissionParams {
	p := PermissionParams{q.SessionID, QuestionCall(q), PermissionOptions(q), Meta(struct {
		TurnID  string           `json:"turnId,omitzero"`
		Reason  string           `json:"reason,omitzero"`
		Preview frontend.Preview `json:"preview"`
	}{q.TurnID, q.Reason, q.Preview})}
	if len(q.Call.Diffs) == 0 {
		p.ToolCall.Content = []any{content{"content", textBlock(visible.Block("", view.Describe(q)))}}
	} else if q.Reason != "" {
		p.ToolCall.Content = append(p.ToolCall.Content, content{"content", textBlock(visible.Block("", visible.Text(q.Reason)))})
	}
	return p
}

// PermissionResult is the client's answer to a permission question.
type PermissionResult struct {
	Outcome struct {
		Outcome  string `json:"outcome"`
		OptionID string `json:"optionId"`
	} `json:"outcome"`
	Meta struct {
		Emendo struct {
			Feedback string `json:"feedback"`
		} `json:"emendo"`
	} `json:"_meta"`
}

// Answer returns the answer for the agent. Whatever does not choose an option chooses
// nothing.
func (r PermissionResult) Answer() frontend.Answer {
	if r.Outcome.Outcome != "selected" {
		return frontend.Answer{Cancelled: true}
	}
	return frontend.Answer{OptionID: r.Outcome.OptionID, Feedback: r.Meta.Emendo.Feedback}
}
