// Package subagent has the agents that a model can hand a task to: built-in ones
// and those that users and projects define in Markdown files. It reads the files
// and describes the agents to the model. It runs none: a turn does, with its own
// calls and its own gate.
package subagent

import (
	"context"
	"embed"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/definition"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/internal/visible"
)

// The limits of an agent that sets none.
const (
	defaultTurns = 30
	defaultTime  = 10 * time.Minute
)

// An Agent is something that a model can hand a task to.
type Agent struct {
	Name        string
	Description string // for the model, one line
	Prompt      string // its system prompt
	// Tools are the names of the tools that it may call, where * stands for any
	// characters; empty: those of the session.
	Tools []string
	// Model is the name of its model; empty: the one that answers in the session.
	Model       string
	Temperature *float32
	MaxTurns    int           // model requests
	Timeout     time.Duration // without the time of its calls that are not reads

	File  string // that defines it, absolute; empty: built in
	Scope definition.Scope
}

// A Set is the agents of a session, sorted by name.
type Set struct {
	Agents []Agent
	// Problems are files that define no agent, and agents that another one hides,
	// one sentence each.
	Problems []string
}

//go:embed prompts/*.md
var prompts embed.FS

func builtInPrompt(name string) string {
	text, err := prompts.ReadFile("prompts/" + name + ".md")
	if err != nil {
		panic(err) // the page is ours
	}
	return strings.TrimSpace(string(text))
}

// builtIn returns the agents that every session has.
func builtIn() []Agent {
	return []Agent{
		{
			Name: "codebase_investigator", Description: "Explores the code base and reports what is where and how it works together, with files and symbols. It reads only. For broad questions and before changes that touch many files.",
			Prompt: builtInPrompt("codebase_investigator"), Tools: []string{"read_file", "list_directory", "glob", "grep_search", "find_references", "go_to_definition", "document_symbols", "workspace_symbols"},
			MaxTurns: 50, Timeout: 10 * time.Minute, Scope: definition.BuiltIn,
		},
		{
			Name: "generalist", Description: "Carries out one self-contained task with all tools and reports the result. For long or repetitive work whose details the conversation does not need.",
			Prompt: builtInPrompt("generalist"), MaxTurns: 20, Timeout: 10 * time.Minute, Scope: definition.BuiltIn,
		},
	}
}

// Of returns the agents of a session, as their files are now, without those that
// the settings disable.
func Of(ctx context.Context, s *state.Session) Set {
	c := s.Agent.Choices()
	if c.NoAgents {
		return Set{}
	}
	return Load(ctx, s.Definitions("agents", ".claude", state.GeminiFolder, state.OwnFolder), c.DisabledAgents)
}

// Load reads the agents of folders, the weakest folder first. A file of a stronger
// folder replaces an agent of the same name, but none that is built in.
func Load(ctx context.Context, folders []definition.Folder, disabled []string) Set {
	set := Set{Agents: builtIn()}
	problem := func(file, why string) {
		set.Problems = append(set.Problems, visible.Line(file+" defines no agent: "+visible.OneLine(why)+"."))
	}
	for _, f := range folders {
		wanted := func(name string) bool { return strings.HasSuffix(name, ".md") && !strings.HasPrefix(name, "_") }
		for _, file := range definition.Read(ctx, f, wanted, nil) {
			a, err := read(file)
			if err != nil {
				problem(file.Path, err.Error())
				continue
			}
			switch i := set.index(a.Name); {
			case i < 0:
				set.Agents = append(set.Agents, a)
			case set.Agents[i].Scope == definition.BuiltIn:
				problem(a.File, "the agent "+a.Name+" is built in")
			default:
				set.Problems = append(set.Problems, visible.Line(a.File+" replaces the agent "+a.Name+" of "+set.Agents[i].File+"."))
				set.Agents[i] = a
			}
		}
	}
	set.Agents = slices.DeleteFunc(set.Agents, func(a Agent) bool { return slices.Contains(disabled, a.Name) })
	slices.SortFunc(set.Agents, func(a, b Agent) int { return strings.Compare(a.Name, b.Name) })
	return set
}

// Find returns the agent of that name.
func (s Set) Find(name string) (Agent, bool) {
	if i := s.index(name); i >= 0 {
		return s.Agents[i], true
	}
	return Agent{}, false
}

func (s Set) index(name string) int {
	return slices.IndexFunc(s.Agents, func(a Agent) bool { return a.Name == name })
}
