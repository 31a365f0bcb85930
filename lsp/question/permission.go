package question

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/visible"
)

// Ask asks for permission for a call: by emendo's own request, by what LSP has,
// or not at all, as the client declared.
func (a *Asker) Ask(ctx context.Context, q frontend.Question) (frontend.Answer, error) {
	o := a.permission(q)
	its, err := a.open.add(ctx, o)
	if err != nil {
		return frontend.Answer{}, err
	}
	defer a.close(o)
	if a.Client.Can.Permission {
		answer, err := a.requestPermission(its, q)
		if errors.Is(context.Cause(its), errAnswered) {
			return frontend.Answer{OptionID: <-o.answer}, nil
		}
		return answer, err
	}
	switch id, err := a.askPlainly(its, o); {
	case errors.Is(err, errCannotAsk):
		when := ""
		if o.marked {
			when = " while no file is open"
		}
		a.Client.Warn(ctx, "This editor cannot ask for your permission"+when+", so emendo did not do this:\n"+o.Text)
		return frontend.Answer{OptionID: "reject_once", Feedback: "(This session cannot ask for permission, so calls that need it are refused.)"}, nil
	case err != nil:
		return frontend.Answer{}, err
	default:
		return frontend.Answer{OptionID: id, Cancelled: id == ""}, nil
	}
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
	if err := a.Client.Ask(ctx, "emendo/session/requestPermission", p, &answer); err != nil {
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
		SessionID: q.SessionID, turnID: q.TurnID, CallID: q.Call.CallID, about: about{q.Call.Name, q.Preview},
		Task: visible.OneLine(taskOf(q)), Text: describe(q), marked: a.Client.Can.Publish && !a.Client.Can.Permission,
	}
	for _, x := range q.Options {
		o.Choices = append(o.Choices, Choice{x.ID, visible.Text(x.Name)})
	}
	return o
}

// taskOf names in a few words what needs permission.
func taskOf(q frontend.Question) string {
	switch p := q.Preview; {
	case p.Command != "":
		return visible.Text(p.Command)
	case p.Executable != nil:
		return visible.Text(p.Executable.Command)
	case len(p.URLs) > 0:
		return visible.Line(strings.Join(p.URLs, ", "))
	case len(p.Paths) > 0:
		return "read " + visible.Line(strings.Join(p.Paths, ", "))
	}
	return visible.Text(q.Call.Title)
}

// describe returns the full text of the question: exactly what would run, where,
// and which unsaved text it would not see.
func describe(q frontend.Question) string {
	var b strings.Builder
	p := q.Preview
	switch {
	case p.Command != "":
		fmt.Fprintf(&b, "emendo wants to run this command:%s\n\nFolder: %s\n", quoted(p.Command), visible.Line(p.Cwd))
	case p.Executable != nil:
		describeExecutable(&b, *p.Executable)
	case p.PlanURI != "":
		fmt.Fprintf(&b, "emendo has written a plan and wants to carry it out: %s\n", visible.Text(p.PlanURI.Path()))
	case len(p.URLs) > 0:
		fmt.Fprintf(&b, "emendo wants to reach %s.\n", visible.Line(strings.Join(p.URLs, ", ")))
	case len(p.Paths) > 0:
		fmt.Fprintf(&b, "emendo wants to read %s.\n", visible.Line(strings.Join(p.Paths, ", ")))
	default:
		fmt.Fprintf(&b, "emendo wants to do this: %s\n", visible.Text(q.Call.Title))
	}
	switch p.Sandbox {
	case "":
	case "C":
		b.WriteString("\nIt would run without a sandbox.\n")
	default:
		fmt.Fprintf(&b, "\nIt would run in a sandbox of level %s.\n", p.Sandbox)
	}
	if q.Reason != "" {
		fmt.Fprintf(&b, "\n%s\n", visible.Text(q.Reason))
	}
	listFiles(&b, "The editor saves these files first:", p.Saves)
	listFiles(&b, "Unsaved; the command sees the text on disk:", p.Unsaved)
	return strings.TrimRight(b.String(), "\n")
}

// listFiles lists files under a heading, if there are any.
func listFiles(b *strings.Builder, heading string, uris []ide.URI) {
	if len(uris) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", heading)
	for _, u := range uris {
		fmt.Fprintf(b, "- %s\n", visible.Line(cmp.Or(ide.ParseURI(string(u)).Path(), string(u))))
	}
}

// quoted returns a command to follow a colon. A single line stays on the same
// line: some editors show no more of a diagnostic.
func quoted(command string) string {
	if strings.Contains(command, "\n") {
		return "\n\n" + visible.Text(command)
	}
	return " " + visible.Text(command)
}

// describeExecutable describes what a folder's own settings would start.
func describeExecutable(b *strings.Builder, e frontend.Executable) {
	what := map[string]string{"hook": "the hook", "mcp": "the MCP server", "discovery": "the discovery command"}[e.Kind]
	fmt.Fprintf(b, "The settings of this project would start %s %s:%s\n", what, visible.Line(e.Name), quoted(e.Command))
	if len(e.Env) > 0 {
		fmt.Fprintf(b, "\nIt sets %s.\n", visible.Line(strings.Join(e.Env, ", ")))
	}
}
