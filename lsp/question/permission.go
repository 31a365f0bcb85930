package question

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// Ask asks for permission for a call: by emendo's own request, by what LSP has,
// or not at all, as the client declared.
func (a *Asker) Ask(ctx context.Context, q frontend.Question) (frontend.Answer, error) {
	defer a.chat.Infos.Waiting(q.SessionID)()
	o := a.permission(q)
	its, err := a.add(ctx, o)
	if err != nil {
		return frontend.Answer{}, err
	}
	defer a.close(o)
	if a.asksBy(q) {
		ask := a.requestPermission
		if a.client.Can.View {
			ask = a.views.Ask
		}
		answer, err := ask(its, q)
		if errors.Is(context.Cause(its), errAnswered) {
			return frontend.Answer{OptionID: <-o.answer}, nil
		}
		return answer, err
	}
	switch id, err := a.askPlainly(its, o); {
	case errors.Is(err, errCannotAsk) && len(q.Preview.Waits) > 0: // the decision on the edits is the answer
		a.client.Warn(ctx, o.Text+"\n\nAccept or reject the edits, or cancel the turn.")
		<-its.Done()
		return frontend.Answer{}, context.Cause(its)
	case errors.Is(err, errCannotAsk):
		when := ""
		if o.marked {
			when = " while no file is open"
		}
		a.client.Warn(ctx, "This editor cannot ask for your permission"+when+", so emendo did not do this:\n"+o.Text)
		return frontend.Answer{OptionID: "reject_once", Feedback: "(This session cannot ask for permission, so calls that need it are refused.)"}, nil
	case err != nil:
		return frontend.Answer{}, err
	default:
		return frontend.Answer{OptionID: id, Cancelled: id == ""}, nil
	}
}

// asksBy reports whether a question is put by emendo's own request. That for a call that
// waits for the decision on edits is, too, where the client draws the edits.
func (a *Asker) asksBy(q frontend.Question) bool {
	return a.client.Can.Permission || len(q.Preview.Waits) > 0 && a.client.Can.Changes
}

type permissionParams struct {
	SessionID string                 `json:"sessionId"`
	ToolCall  json.RawMessage        `json:"toolCall"`
	Options   []acp.PermissionOption `json:"options"`
	Preview   frontend.Preview       `json:"preview"`
}

// requestPermission asks a client that declared emendo's own request.
func (a *Asker) requestPermission(ctx context.Context, q frontend.Question) (frontend.Answer, error) {
	call, err := json.Marshal(acp.QuestionCall(q))
	if err != nil {
		return frontend.Answer{}, fmt.Errorf("ask about call %s: %w", q.Call.CallID, err)
	}
	p := permissionParams{q.SessionID, call, acp.PermissionOptions(q), q.Preview}
	var answer struct {
		Outcome  string `json:"outcome"`
		OptionID string `json:"optionId"`
		Feedback string `json:"feedback"`
	}
	if err := a.client.Ask(ctx, "emendo/session/requestPermission", p, &answer); err != nil {
		return frontend.Answer{}, err
	}
	if answer.Outcome != "selected" {
		return frontend.Answer{Cancelled: true}, nil
	}
	return frontend.Answer{OptionID: answer.OptionID, Feedback: answer.Feedback}, nil
}

// permission returns the question for permission for a call.
func (a *Asker) permission(q frontend.Question) *Question {
	type about struct {
		tool    string
		preview frontend.Preview
	}
	o := &Question{
		asker: a, SessionID: q.SessionID, TurnID: q.TurnID, CallID: q.Call.CallID, about: about{q.Call.Name, q.Preview},
		Task: visible.OneLine(taskOf(q)), Text: view.Describe(q), marked: a.client.Can.Publish && !a.asksBy(q),
	}
	for _, x := range q.Options {
		o.Choices = append(o.Choices, Choice{x.ID, visible.Text(x.Name)})
	}
	return o
}

// taskOf names in a few words what needs permission.
func taskOf(q frontend.Question) string {
	switch p := q.Preview; {
	case len(p.Waits) > 0:
		return visible.Line(q.Call.Title)
	case p.Command != "":
		return commandOf(p.Command)
	case p.Executable != nil:
		return commandOf(p.Executable.Command)
	case len(p.URLs) > 0:
		return visible.Line(strings.Join(p.URLs, ", "))
	case p.ToolName == tools.Sampling:
		return visible.Line("ask the model for the MCP server " + p.ServerName)
	case p.ServerName != "":
		return visible.Line("use " + p.ToolName + " of the MCP server " + p.ServerName)
	case p.Skill != "":
		return "use the skill " + visible.Line(p.Skill)
	case len(p.Paths) > 0:
		return "read " + visible.Line(strings.Join(p.Paths, ", "))
	}
	return visible.Text(q.Call.Title)
}

// commandOf returns a command in one line that shows where its lines end: what follows
// a comment in it may be another command.
func commandOf(command string) string {
	return strings.ReplaceAll(visible.Text(strings.TrimSpace(command)), "\n", " ⏎ ")
}
