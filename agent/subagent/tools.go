package subagent

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/subagent/remote"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/builtin"
)

// maxListed limits the description of an agent for the model, in characters.
const maxListed = 300

// Supply supplies a session with the tool that hands tasks to agents.
type Supply struct {
	session  *state.Session
	contexts remote.Contexts
}

// NewSupply returns the supply of a session.
func NewSupply(s *state.Session) *Supply { return &Supply{session: s} }

// Tools implements [state.Supply].
func (s *Supply) Tools(ctx context.Context, _ state.Asker) []tools.Tool {
	set := Of(ctx, s.session)
	if !s.session.Trusted() { // nothing is sent from there
		set.Agents = slices.DeleteFunc(set.Agents, func(a Agent) bool { return a.Remote != nil })
	}
	s.publish(set)
	if len(set.Agents) == 0 {
		return nil
	}
	t := NewInvoke(set)
	t.Contexts = &s.contexts
	return []tools.Tool{t}
}

// publish tells which agents of a set files define.
func (s *Supply) publish(set Set) {
	found := frontend.AgentsFound{Agents: []frontend.FoundAgent{}}
	for _, a := range set.Agents {
		if a.File != "" {
			found.Agents = append(found.Agents, frontend.FoundAgent{Name: a.Name, Description: a.Description, File: a.File})
		}
	}
	s.session.Publish(found)
}

// Close implements [state.Supply].
func (*Supply) Close() {}

// Invoke is the tool that hands a task to an agent. The turn carries it out.
type Invoke struct {
	// Contexts are the session's conversations with remote agents.
	Contexts *remote.Contexts

	set    Set
	params *tools.Params[invocation]
}

type invocation struct {
	Name   string `json:"agent_name" jsonschema:"Name of the agent."`
	Prompt string `json:"prompt" jsonschema:"The whole task: the agent knows nothing of this conversation."`
}

// NewInvoke returns the tool for the agents of a set.
func NewInvoke(set Set) *Invoke {
	var names []any
	for _, a := range set.Agents {
		names = append(names, a.Name)
	}
	return &Invoke{set: set, params: tools.NewParams[invocation](func(s *jsonschema.Schema) { s.Properties["agent_name"].Enum = names })}
}

// Spec implements [tools.Tool].
func (t *Invoke) Spec() tools.Spec {
	var b strings.Builder
	b.WriteString("Hands a task to an agent with a conversation of its own, and returns its report. Calls made together run side by side. The agents:\n")
	for _, a := range t.set.Agents {
		at := ""
		if a.Remote != nil {
			at = " (remote: it does not see this workspace; it remembers earlier tasks of this session)"
		}
		fmt.Fprintf(&b, "- %s%s: %s\n", a.Name, at, visible.Short(a.Description, maxListed))
	}
	s := builtin.InvokeAgent
	s.Description, s.Schema = strings.TrimSpace(b.String()), t.params.Schema()
	return s
}

// Prepare implements [tools.Tool]. The effects are those of the agent's calls, each
// of which passes the gate. To a remote agent the task is sent.
func (t *Invoke) Prepare(_ context.Context, env tools.Env, raw json.RawMessage) (tools.Action, error) {
	a, prompt, err := t.Task(raw)
	if err != nil {
		return tools.Action{}, err
	}
	title, whole := visible.Clip(tools.Shown(visible.OneLine(prompt)), 100)
	if !whole {
		title += " …"
	}
	action := tools.Action{Title: a.Name + ": " + title, Effect: tools.Reads{}}
	if a.Remote != nil {
		if env.Redact != nil && env.Redact(prompt) != prompt {
			return tools.Action{}, tools.Errorf(tools.InvalidParams, "invalid params: the prompt contains a secret, which is never sent; remove it")
		}
		action.Effect = tools.Sends{URLs: []string{a.Remote.Card}, Text: prompt, Agent: a.Name}
	}
	return action, nil
}

// Task returns the agent and the task of a call.
func (t *Invoke) Task(raw json.RawMessage) (Agent, string, error) {
	args, err := t.params.Decode(raw)
	if err != nil {
		return Agent{}, "", err
	}
	a, ok := t.set.Find(args.Name)
	switch {
	case !ok:
		var names []string
		for _, a := range t.set.Agents {
			names = append(names, a.Name)
		}
		return Agent{}, "", tools.Errorf(tools.InvalidParams, "there is no agent %s; the agents are %s", tools.ShownLine(args.Name, 100), strings.Join(names, ", "))
	case strings.TrimSpace(args.Prompt) == "":
		return Agent{}, "", tools.Errorf(tools.InvalidParams, "invalid params: prompt is empty")
	}
	return a, args.Prompt, nil
}

// Offered returns those of a session's tools that the agent may call.
func (a Agent) Offered(all []model.Tool) []model.Tool {
	var l []model.Tool
	names := a.ToolNames()
	for _, t := range all {
		if !builtin.Of(t.Name).NotForAgents && (len(names) == 0 || matches(names, t.Name)) {
			l = append(l, t)
		}
	}
	return l
}

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { ok, err := path.Match(p, name); return ok && err == nil })
}

// completion are the arguments of complete_task.
type completion struct {
	Result string `json:"result" jsonschema:"Your report: all that the task asked for."`
}

var completeParams = tools.NewParams[completion]()

// completeTool returns the tool with which an agent ends its task.
func completeTool() model.Tool {
	return model.Tool{Name: builtin.CompleteTask.Name, Description: "Ends the task with your report. Call it alone, once, when all is done.", Schema: completeParams.Schema()}
}

// reportOf returns the report of a call of complete_task.
func reportOf(raw json.RawMessage) (string, error) {
	args, err := completeParams.Decode(raw)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(args.Result) == "" {
		return "", tools.Errorf(tools.InvalidParams, "invalid params: result is empty: report what you found or did")
	}
	return args.Result, nil
}

// variable matches a variable in an agent's prompt.
var variable = regexp.MustCompile(`\$\{(\w+)\}`)

// With returns the agent with the variables in its prompt replaced. Those without a
// value stay: prompts quote shell commands.
func (a Agent) With(values map[string]string) Agent {
	a.Prompt = variable.ReplaceAllStringFunc(a.Prompt, func(v string) string {
		if value, ok := values[v[2:len(v)-1]]; ok {
			return value
		}
		return v
	})
	return a
}

// System returns the agent's system prompt. place describes the session, and
// written returns the context files and saved facts of the user and the project.
func (a Agent) System(place, written string) string {
	l := []string{a.Prompt, builtInPrompt("rules"), place}
	if written != "" {
		l = append(l, written)
	}
	return strings.Join(l, "\n\n") + "\n"
}
