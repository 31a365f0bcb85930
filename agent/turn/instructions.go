package turn

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/emendo-dev/emendo/agent/briefing"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/gitdir"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/builtin"
)

// instructor assembles what precedes the conversation of a turn: the system prompt and
// the tools.
type instructor struct {
	conv    *state.Conversation
	turnID  string
	exclude transcript.Exclusions // of the prompt
	reviews bool                  // the prompt asks for a review
	models  *models
	edited  *state.EditedFiles

	instructed *instructions // nil before the first request
	supplied   []tools.Tool  // by the session's supplies, for the request that is made
	modeSent   policy.Mode   // the mode that the model last read of
}

// instructions precede the conversation. They are the same for all requests of a turn,
// so that the provider can cache them.
type instructions struct {
	files   []briefing.File
	modules []briefing.Module
	specs   []model.Tool

	supplied []model.Tool // those of specs that are not built in

	trusted bool                  // as it was when they were made
	left    transcript.Exclusions // likewise
}

// instruct returns the instructions of the turn. They are made again only when
// the user has taken something away meanwhile, trust or a part of the context, or
// when the tools of the session's supplies have changed.
func (t *instructor) instruct(ctx context.Context) instructions {
	s := t.conv.Session
	trusted, left := s.Trusted(), s.Record.Exclusions()
	t.supply(ctx)
	supplied := t.specsOf(t.supplied)
	if have := t.instructed; have != nil && have.trusted == trusted && slices.Equal(have.left, left) && reflect.DeepEqual(have.supplied, supplied) {
		return *have
	}
	if t.instructed == nil {
		t.modeSent = s.Info().Mode
	}
	in := instructions{files: s.Briefing.FilesWithout(ctx, t.exclude), supplied: supplied, trusted: trusted, left: left}
	s.PublishMemory(in.files)
	in.modules, in.specs = t.systemPrompt(in.files)
	t.instructed = &in
	t.noteLeftOut(len(t.specsOf(s.Agent.Choices().Tools))+len(supplied), len(in.specs))
	return in
}

// systemPrompt returns the modules of the system prompt for the current mode, trust,
// files and tools, and the tools.
func (t *instructor) systemPrompt(files []briefing.File) ([]briefing.Module, []model.Tool) {
	s := t.conv.Session
	a := s.Agent.Client.Abilities()
	_, git := gitdir.Nearest(s.Started.Cwd)
	f := briefing.Facts{
		Mode: string(s.Info().Mode), Trusted: s.Trusted(), Watched: a.Asks || a.Reviews, Git: git, Plans: t.plansAt(), Files: files,
	}
	specs := t.toolSpecs()
	if slices.ContainsFunc(specs, func(m model.Tool) bool { return m.Name == builtin.ActivateSkill.Name }) {
		f.Skills = s.Skills(context.Background()).List // read from a few files
	}
	for _, tool := range specs {
		f.Tools = append(f.Tools, tool.Name)
	}
	if f.Runs() {
		f.Sandbox = s.Agent.Options.Commands.Level()
		f.Unasked = s.Agent.Options.Commands.Unasked(s.Agent.Ask(), s.Work.Roots())
	}
	ms := briefing.SystemPrompt(f, s.Agent.Options.Prompt)
	s.Agent.WritePrompt(ms)
	return ms, specs
}

// modeChange describes to the model the mode that the user switched to while
// the turn runs; the system prompt stays as it was until the next turn.
var modeChange = map[policy.Mode]string{
	policy.Default:  "The user switched to default mode: edits need approval from now on, and so do commands that neither a rule nor the sandbox allows.",
	policy.AutoEdit: "The user switched to auto_edit mode: edits apply at once from now on; commands need approval unless a rule or the sandbox allows them.",
	policy.Plan:     "The user switched to plan mode: from now on read and plan only. Edits and commands are denied.",
	policy.Yolo:     "The user switched to yolo mode: calls run without approval from now on, except what rules deny or always ask about.",
}

// sendModeChange describes the mode to the model if it has changed since it was last
// described.
func (t *instructor) sendModeChange() {
	mode := t.conv.Session.Info().Mode
	if mode == t.modeSent {
		return
	}
	t.modeSent = mode
	text := modeChange[mode]
	if plans := t.plansAt(); plans != "" {
		text += " Write the plan as a .md file in " + plans + ", and present it with exit_plan_mode."
	}
	t.conv.Emit(transcript.Given{MessageID: t.conv.LastMessage(), Kind: transcript.KindMode, Text: transcript.Enclose("mode", text)})
}

// Env is the world as a tool of this turn sees it now.
func (t *instructor) Env(ctx context.Context) tools.Env {
	s := t.conv.Session
	o, ignores := s.Agent.Options, s.Agent.Choices().Ignoring()
	_, outputs := s.Private.OutputFolder()
	planning := s.Info().Mode == policy.Plan
	plans := s.Private.PlanFolder(planning)
	var search func(context.Context, string) (tools.Found, error)
	if t.models.CanSearch() {
		search = t.models.Search
	}
	var tasks json.RawMessage
	s.Record.Read(func(h *transcript.History) { tasks = h.Tasks })
	return tools.Env{
		Snapshot: s.Snapshot(ctx), Session: s.SessionID, Dir: s.Started.Cwd, IgnoreGit: !ignores.NoGit, IgnoreEmendo: !ignores.NoGemini, GitExcludes: ignores.Global,
		Outputs: s.Readable.With(outputs), Jobs: &s.Jobs, MovedAside: s.MovedAside, GoOn: t.conv.Gate.GoOn, Redact: o.Secrets.Known, Plans: plans, Planning: planning, Tasks: tasks, Remember: s.Briefing.Remember(), Search: search, Doubts: &s.Doubts,
		View: func(ctx context.Context, name string) (ide.File, error) {
			if u := ide.ParseURI(name); u.Path() == "" && o.Workspace.Snapshot().Document(u) != nil {
				if f, ok := t.edited.File(string(u)); ok {
					return f, nil
				}
				return o.Ledger.View(ctx, s.SessionID, name)
			}
			in := s.Work.Tree()
			if plans != nil && plans.Contains(name) {
				in = plans
			}
			p, err := in.Resolve(name)
			if err != nil {
				return ide.File{}, err
			}
			if f, ok := t.edited.File(p.Abs); ok { // by a call that is not shown yet
				return f, nil
			}
			return o.Ledger.View(ctx, s.SessionID, p.Abs)
		},
	}
}
