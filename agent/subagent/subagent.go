// Package subagent has the agents that a model can hand a task to: built-in ones
// and those that users and projects define in Markdown files. It reads the files
// and describes the agents to the model. It runs none: a turn does, with its own
// calls and its own gate, and package remote reaches those that work elsewhere.
package subagent

import (
	"context"
	"embed"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/definition"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/subagent/remote"
	"github.com/emendo-dev/emendo/internal/own"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/mcp/config"
	"github.com/emendo-dev/emendo/tools/builtin"
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
	// Servers are MCP servers of its own, which run while it works. It may call all
	// their tools.
	Servers settings.MCPServers
	// Remote is an agent that works elsewhere; nil: it works in the session, and has
	// the fields above.
	Remote *remote.Agent

	File  string // that defines it, absolute; empty: built in
	Scope definition.Scope
	// Extension is the name of the extension that it belongs to, if any.
	Extension string

	own          bool // it is the user's, in emendo's own folder of settings
	investigates bool // it may call the tools that investigate, instead of Tools
}

// ToolNames returns the names of the tools that the agent may call, where * stands for any
// characters; nil: those of the session.
func (a Agent) ToolNames() []string {
	if !a.investigates {
		return a.Tools
	}
	var names []string
	for _, s := range builtin.Specs() {
		if s.Investigates {
			names = append(names, s.Name)
		}
	}
	return names
}

// MCPServers returns the agent's own MCP servers in a session whose folder is that.
func (a Agent) MCPServers(folder string) []config.Server {
	project, home := "", ""
	if a.Scope != definition.User && paths.Within(a.File, folder) {
		project = folder
	} else if a.Scope == definition.Extension {
		home = filepath.Dir(filepath.Dir(a.File))
	}
	l := config.Within(a.Servers, project, folder)
	for i := range l {
		s := &l[i]
		s.File, s.Own, s.Trust = a.File, a.own, s.Trust && a.Scope == definition.User
		s.Extension, s.Home = a.Extension, home
	}
	return l
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
			Prompt: builtInPrompt("codebase_investigator"), investigates: true,
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
	c := s.Agent.Settings().Agents
	if !c.Enabled {
		return Set{}
	}
	return InSite(ctx, s.Site(), c.Disabled)
}

// InSite returns the agents of a site, as their files are now, without disabled ones.
func InSite(ctx context.Context, at state.Site, disabled []string) Set {
	return Load(ctx, at.Definitions("agents", ".claude", own.Gemini, own.Emendo), disabled)
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
			agents, err := read(file)
			if err != nil {
				problem(file.Path, err.Error())
			}
			for _, a := range agents {
				set.add(a, problem)
			}
		}
	}
	set.Agents = slices.DeleteFunc(set.Agents, func(a Agent) bool { return slices.Contains(disabled, a.Name) })
	slices.SortFunc(set.Agents, func(a, b Agent) int { return strings.Compare(a.Name, b.Name) })
	return set
}

// Remotes returns the remote agents that the user's own folders of settings define, and the
// problems of the agents there, a sentence each.
func Remotes(ctx context.Context, dirs ...string) (l []remote.Agent, problems []string) {
	var folders []definition.Folder
	for _, dir := range dirs {
		if dir != "" {
			folders = append(folders, definition.Folder{Path: filepath.Join(dir, "agents"), Scope: definition.User})
		}
	}
	set := Load(ctx, folders, nil)
	for _, a := range set.Agents {
		if a.Remote != nil {
			l = append(l, *a.Remote)
		}
	}
	return l, set.Problems
}

// add adds an agent of a folder to those of weaker ones.
func (s *Set) add(a Agent, problem func(file, why string)) {
	switch i := s.index(a.Name); {
	case i < 0:
		s.Agents = append(s.Agents, a)
	case s.Agents[i].Scope == definition.BuiltIn:
		problem(a.File, "the agent "+a.Name+" is built in")
	default:
		s.Problems = append(s.Problems, visible.Line(a.File+" replaces the agent "+a.Name+" of "+s.Agents[i].File+"."))
		s.Agents[i] = a
	}
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
