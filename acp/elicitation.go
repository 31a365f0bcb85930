package acp

import (
	"encoding/json"
	"fmt"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// ElicitationParams are the params of elicitation/create with a form.
type ElicitationParams struct {
	Mode       string `json:"mode"`
	SessionID  string `json:"sessionId"`
	ToolCallID string `json:"toolCallId,omitzero"`
	Message    string `json:"message"`
	Schema     form   `json:"requestedSchema"`
}

// form is an ElicitationSchema.
type form struct {
	Type       string           `json:"type"`
	Properties map[string]field `json:"properties"`
	Required   []string         `json:"required"`
}

// field is a property of a form.
type field struct {
	Type        string      `json:"type"`
	Title       string      `json:"title,omitzero"`
	Description string      `json:"description,omitzero"`
	OneOf       []constant  `json:"oneOf,omitzero"`
	Items       *fieldItems `json:"items,omitzero"`
}

type fieldItems struct {
	AnyOf []constant `json:"anyOf"`
}

// constant is a choice.
type constant struct {
	Const       string `json:"const"`
	Title       string `json:"title"`
	Description string `json:"description,omitzero"`
}

func fieldName(i int) string { return fmt.Sprintf("question%d", i+1) }

// ElicitationOf returns the params that put questions as one form.
func ElicitationOf(e frontend.Elicitation) ElicitationParams {
	p := ElicitationParams{Mode: "form", SessionID: e.SessionID, ToolCallID: e.CallID, Message: asker(e), Schema: form{Type: "object", Properties: map[string]field{}}}
	for i, q := range e.Questions {
		name := fieldName(i)
		p.Schema.Properties[name] = fieldOf(q)
		p.Schema.Required = append(p.Schema.Required, name)
	}
	return p
}

func asker(e frontend.Elicitation) string {
	switch {
	case e.Server != "":
		return "The MCP server " + visible.Line(e.Server) + " asks:"
	case e.CallID != "":
		return "The model asks:"
	}
	return "emendo asks:"
}

func fieldOf(q tools.Question) field {
	f := field{Type: "string", Title: visible.Text(q.Header), Description: visible.Text(q.Question)}
	switch q.Type {
	case tools.YesNoQuestion:
		f.Type = "boolean"
	case tools.ChoiceQuestion:
		var l []constant
		for _, o := range q.Options {
			l = append(l, constant{o.Label, visible.Text(o.Label), visible.Text(o.Description)})
		}
		if !q.MultiSelect {
			f.OneOf = l
			return f
		}
		f.Type, f.Items = "array", &fieldItems{l}
	case tools.TextQuestion:
		if q.Placeholder != "" {
			f.Description += "\n\nFor example: " + visible.Text(q.Placeholder)
		}
	default:
		panic("acp: unknown type of question " + string(q.Type))
	}
	return f
}

// ElicitationResult is the client's answer to a form.
type ElicitationResult struct {
	Action  string                     `json:"action"`
	Content map[string]json.RawMessage `json:"content"`
}

// Elicited returns the answer for the agent. A value that does not fit its question
// leaves it open.
func (r ElicitationResult) Elicited(questions []tools.Question) frontend.Elicited {
	switch r.Action {
	case "accept":
	case "decline":
		return frontend.Elicited{Declined: true}
	default:
		return frontend.Elicited{Cancelled: true}
	}
	out := frontend.Elicited{Values: make([][]string, len(questions))}
	for i, q := range questions {
		out.Values[i] = valuesOf(q, r.Content[fieldName(i)])
	}
	return out
}

func valuesOf(q tools.Question, raw json.RawMessage) []string {
	var text string
	var yes bool
	var many []string
	switch {
	case len(raw) == 0:
		return nil
	case q.Type == tools.YesNoQuestion && json.Unmarshal(raw, &yes) == nil:
		if yes {
			return []string{"yes"}
		}
		return []string{"no"}
	case q.MultiSelect && json.Unmarshal(raw, &many) == nil:
		return many
	case json.Unmarshal(raw, &text) == nil && text != "":
		return []string{text}
	}
	return nil
}

// Choices returns the answers to a question as options of a permission question, for a
// client without forms; none for a question that one option cannot answer.
func Choices(q tools.Question) []frontend.Option {
	var l []frontend.Option
	add := func(id, name string) {
		l = append(l, frontend.Option{ID: id, Name: visible.Text(name), Kind: frontend.AllowOnce})
	}
	switch q.Type {
	case tools.YesNoQuestion:
		add("yes", "Yes")
		add("no", "No")
	case tools.ChoiceQuestion:
		if q.MultiSelect {
			return nil
		}
		for i, o := range q.Options {
			add(fmt.Sprintf("option-%d", i+1), o.Label)
		}
	case tools.TextQuestion:
		return nil
	default:
		panic("acp: unknown type of question " + string(q.Type))
	}
	return append(l, frontend.Option{ID: "decline", Name: "Do not answer", Kind: frontend.RejectOnce})
}

// ChoiceCall returns the call that a question is shown as, for a client without forms.
func ChoiceCall(e frontend.Elicitation, i int) ToolCall {
	q := e.Questions[i]
	text := asker(e) + "\n\n" + visible.Text(q.Question)
	for _, o := range q.Options {
		if o.Description != "" {
			text += "\n- " + visible.Text(o.Label) + ": " + visible.Text(o.Description)
		}
	}
	id := e.CallID
	if id == "" {
		id = fmt.Sprintf("question-%s-%d", e.TurnID, i+1)
	}
	return ToolCall{
		ToolCallID: id, Title: visible.OneLine(visible.Text(q.Question)), Kind: "other", Status: "pending",
		Content: []any{content{"content", textBlock(visible.Block("", text))}},
	}
}
