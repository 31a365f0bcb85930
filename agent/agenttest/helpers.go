package agenttest

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/langserver"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/user"
)

// Call is a call of the model with arguments.
func Call(name string, args map[string]any) modeltest.Step {
	b, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return modeltest.Call(name, string(b))
}

// Replace is a call that replaces text in a file.
func Replace(file, old, new string) modeltest.Step {
	return Call("replace", map[string]any{"file_path": file, "instruction": "change it", "old_string": old, "new_string": new})
}

// RunCommand is a call that runs a command.
func RunCommand(command string) modeltest.Step {
	return Call("run_shell_command", map[string]any{"command": command, "description": "run it"})
}

// OddTool is a tool that misbehaves.
type OddTool struct {
	Kind tools.Kind
	Act  func() tools.Action
}

// Spec implements [tools.Tool].
func (o OddTool) Spec() tools.Spec {
	return tools.Spec{Name: "odd", Display: "Odd", Kind: o.Kind, Schema: json.RawMessage(`{"type":"object"}`)}
}

// Prepare implements [tools.Tool].
func (o OddTool) Prepare(context.Context, tools.Env, json.RawMessage) (tools.Action, error) {
	return o.Act(), nil
}

// Summary is a summary that a model writes.
const Summary = "<state_snapshot>\nThe user counts sheep.\n</state_snapshot>"

// LongText is a prompt of some 10,000 tokens.
func LongText(word string) string { return word + strings.Repeat(" sheep and more", 40_000/15) }

// CheckShown checks the contents of the last request.
func (w *World) CheckShown(has, lacks []string) {
	w.T.Helper()
	if err := modeltest.Check(w.LastRequest()); err != nil {
		w.T.Error(err)
	}
	text := TextOf(w.LastRequest())
	for _, s := range has {
		if !strings.Contains(text, s) {
			w.T.Errorf("the model is not shown %q", s)
		}
	}
	for _, s := range lacks {
		if strings.Contains(text, s) {
			w.T.Errorf("the model is shown %q", s)
		}
	}
}

// Reopen opens the session as a new process would.
func (w *World) Reopen(s *agent.Session) *agent.Session {
	w.T.Helper()
	w.Stop()
	w.Start()
	s, err := w.Agent.Session(w.T.Context(), s.ID())
	if err != nil {
		w.T.Fatal(err)
	}
	return s
}

// Answers are answers of the model, one for each request.
func Answers(texts ...string) (l []modeltest.Reply) {
	for _, t := range texts {
		l = append(l, modeltest.Reply{modeltest.Say(t)})
	}
	return l
}

// Calls is an answer that calls a tool, with arguments in JSON if there are any.
func Calls(name string, args ...string) modeltest.Reply {
	if len(args) == 0 {
		args = []string{"{}"}
	}
	return modeltest.Reply{modeltest.Call(name, args[0])}
}

// Told returns the events since the last call, with W for the workspace's folder.
func (w *World) Told() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := w.events
	w.events = nil
	for i := range l {
		l[i] = strings.ReplaceAll(l[i], w.Dir, "W")
	}
	return l
}

// Notices returns the codes of the shown notices, and the stop reasons of turns.
func (w *World) Notices() (codes []transcript.NoticeCode, stops []transcript.StopReason) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, u := range w.Updates {
		switch e := u.Event.(type) { //nolint:gochecksumtype // the others are not asked for
		case transcript.Notice:
			codes = append(codes, e.Code)
		case transcript.TurnEnded:
			stops = append(stops, e.StopReason)
		}
	}
	return codes, stops
}

// Notice returns the last notice of a code.
func (w *World) Notice(code transcript.NoticeCode) (n transcript.Notice) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, u := range w.Updates {
		if e, ok := u.Event.(transcript.Notice); ok && e.Code == code {
			n = e
		}
	}
	return n
}

// LastEnded returns the last update that ended a call.
func (w *World) LastEnded() (last transcript.ToolUpdate) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, u := range w.Updates {
		if e, ok := u.Event.(transcript.ToolUpdate); ok && e.Over() {
			last = e
		}
	}
	return last
}

// HookLine returns what a hook prints for its input; nil prints nothing.
type HookLine func(input map[string]any) string

// HookLines are the outputs of hooks, by their commands.
type HookLines map[string]HookLine

// PlayedHooks runs hooks with scripted outputs, by their commands.
type PlayedHooks struct {
	Say HookLines

	mu     sync.Mutex
	events []string // events and their subjects
}

// Run implements [hooks.Runner].
func (p *PlayedHooks) Run(ctx context.Context, c hooks.Command) (hooks.Ran, error) {
	input := map[string]any{}
	if err := json.Unmarshal(c.Input, &input); err != nil {
		return hooks.Ran{}, err
	}
	say := p.Say[c.Line]
	what := c.Line
	for _, name := range []string{"tool_name", "prompt", "source", "reason", "trigger", "notification_type"} {
		if s, ok := input[name].(string); ok {
			what += " " + s
		}
	}
	p.mu.Lock()
	p.events = append(p.events, what)
	p.mu.Unlock()
	if say == nil {
		return hooks.Ran{}, nil
	}
	out := say(input)
	if rest, ok := strings.CutPrefix(out, "exit 2:"); ok {
		return hooks.Ran{Stderr: []byte(rest), Exit: sandbox.Exit{Code: 2}}, nil
	}
	return hooks.Ran{Stdout: []byte(out)}, nil
}

// Ran returns the hooks that have run, with the subjects of their events.
func (p *PlayedHooks) Ran() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.events)
}

// WithHooks runs f in a world with hooks of the user. Each hook runs at the event named by
// its command.
func WithHooks(t *testing.T, files map[string]string, replies []modeltest.Reply, say HookLines, f func(t *testing.T, w *World, p *PlayedHooks)) {
	t.Helper()
	p := &PlayedHooks{Say: say}
	InWorld(t, files, replies, func(t *testing.T, w *World) {
		var all []hooks.Hook
		for line := range say {
			event, _, _ := strings.Cut(line, "-")
			all = append(all, hooks.Hook{Event: hooks.Event(event), Source: settings.OfUser, Command: line})
		}
		w.Stop()
		w.Options = func(o *state.Options) {
			o.HookRunner, o.Hooks = p, hooks.Config{Hooks: all}
			o.Tools = append(o.Tools, user.WriteTodos)
		}
		w.Start()
		f(t, w, p)
	})
}

// NoticesOf returns the titles and descriptions of the notices with that code.
func (w *World) NoticesOf(code transcript.NoticeCode) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var l []string
	for _, u := range w.Updates {
		if e, ok := u.Event.(transcript.Notice); ok && e.Code == code {
			l = append(l, strings.TrimSuffix(e.Title+": "+e.Description, ": "))
		}
	}
	return strings.Join(l, "\n")
}

// Reply is an answer of these steps.
func Reply(steps ...modeltest.Step) modeltest.Reply { return modeltest.Reply(steps) }

// StuckHook runs hooks that do not end on their own.
type StuckHook struct{}

// Run implements [hooks.Runner].
func (StuckHook) Run(ctx context.Context, _ hooks.Command) (hooks.Ran, error) {
	<-ctx.Done()
	return hooks.Ran{}, nil
}

// LimitTokens sets the context limit of every model.
func (w *World) LimitTokens(tokens int64) {
	w.Options = func(o *state.Options) { o.ContextLimit = func(string) int64 { return tokens } }
	w.Stop()
	w.Start()
}

// PlanningTools are the tools of plan mode and for tasks and questions.
func PlanningTools() []tools.Tool {
	return []tools.Tool{user.WriteTodos, user.AskUser, tools.EnterPlanMode, tools.ExitPlanMode}
}

// UseRules makes the world's sessions use rules in files and store answers.
func (w *World) UseRules() {
	answers := &policy.Answers{State: filepath.Join(w.State, "answers"), User: filepath.Join(w.State, "policies")}
	w.Options = func(o *state.Options) {
		o.Answers = answers
		o.Policy = func(cwd string, _ []string, _ bool) *policy.Engine {
			e, _ := policy.Read(policy.Places{User: answers.User, Answers: []string{answers.File(policy.Project, cwd)}})
			return e
		}
	}
}

// ChooseAlways answers with the option whose name has this suffix, or refuses.
func ChooseAlways(end string) func(context.Context, frontend.Question) (frontend.Answer, error) {
	return func(_ context.Context, q frontend.Question) (frontend.Answer, error) {
		for _, o := range q.Options {
			if strings.HasSuffix(o.Name, end) && o.Kind == frontend.AllowAlways {
				return frontend.Answer{OptionID: o.ID}, nil
			}
		}
		return frontend.Answer{OptionID: "reject_once"}, nil
	}
}

// SandboxOf is a sandbox with a given survey.
type SandboxOf struct {
	Level    sandbox.Level
	Surveyed atomic.Bool // calls ask at the same time
}

// Survey implements [state.Sandbox].
func (h *SandboxOf) Survey() sandbox.Survey {
	h.Surveyed.Store(true)
	return sandbox.Survey{Level: h.Level}
}

// Known implements [state.Sandbox].
func (h *SandboxOf) Known() (sandbox.Survey, bool) {
	return sandbox.Survey{Level: h.Level}, h.Surveyed.Load()
}

// ReadFileCall is an answer that reads a file.
func ReadFileCall(name string) modeltest.Reply {
	return modeltest.Reply{modeltest.Call("read_file", `{"file_path":"`+name+`"}`)}
}

// Done is an answer that calls nothing.
func Done() modeltest.Reply { return modeltest.Reply{modeltest.Say("Done.")} }

// InDoubt reports whether the session has read untrusted content. Call it between turns.
func InDoubt(s *agent.Session) (doubts bool) {
	s.State.Record.Read(func(h *transcript.History) { doubts = h.Untrusted().Any() })
	return doubts
}

// Checker has the same result for every edit.
type Checker struct{ Found state.Verified }

// Tools implements [state.Supply].
func (Checker) Tools(context.Context, state.Asker) []tools.Tool { return nil }

// Close implements [state.Supply].
func (Checker) Close() {}

// Expect implements [state.Checker].
func (Checker) Expect(string) {}

// Problems implements [state.Checker].
func (Checker) Problems(context.Context, *ide.Snapshot, []*ide.Document) map[ide.URI][]langserver.Diagnostic {
	return nil
}

// Verify implements [state.Checker].
func (c Checker) Verify(_ context.Context, files []ledger.Proposed) map[string]state.Verified {
	found := map[string]state.Verified{}
	for _, f := range files {
		found[f.Name()] = c.Found
	}
	return found
}

// ErrorsBefore implements [state.Checker].
func (Checker) ErrorsBefore(context.Context, ledger.Proposed) ([]langserver.Diagnostic, bool) {
	return nil, false
}

// ErrorsSince implements [state.Checker].
func (Checker) ErrorsSince(context.Context, ledger.Proposed, []langserver.Diagnostic) string {
	return ""
}
