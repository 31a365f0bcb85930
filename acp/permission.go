package acp

import (
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/transcript"
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
		shown = append(shown, content{"content", textBlock(fence(q.Preview.Text))})
	}
	return ToolCall{
		ToolCallID: c.CallID, Title: c.Title, Name: c.Name, Kind: kind(c.Kind), Status: status(transcript.AwaitingApproval),
		Content: shown, Locations: locations(c.Locations), RawInput: c.Args,
		Meta: &meta{callMeta{State: transcript.AwaitingApproval, ChangeSetID: q.Preview.ChangeSetID, Sandbox: q.Preview.Sandbox, Rule: q.Rule, Reason: q.Reason}},
	}
}
