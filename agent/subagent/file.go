package subagent

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/emendo-dev/emendo/agent/definition"
	"github.com/emendo-dev/emendo/internal/own"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools/builtin"
)

// front is the front matter of an agent of Gemini CLI's format.
type front struct {
	Kind        string         `yaml:"kind"`
	Name        string         `yaml:"name"`
	Description string         `yaml:"description"`
	Display     string         `yaml:"display_name"`
	Tools       []string       `yaml:"tools"`
	Servers     map[string]any `yaml:"mcp_servers"`
	Model       string         `yaml:"model"`
	Temperature *float32       `yaml:"temperature"`
	MaxTurns    *int           `yaml:"max_turns"`
	Minutes     *int           `yaml:"timeout_mins"`
}

// Bounds of what a file says.
const (
	maxDescription = 1024     // characters
	maxPrompt      = 64 << 10 // bytes
	maxTurns       = 1000     // model requests
	maxMinutes     = 24 * 60  // of an agent's time
)

var agentName = regexp.MustCompile(`^[a-z0-9_-]+$`)

// toolPattern matches the name of a tool, in which * stands for any characters.
var toolPattern = regexp.MustCompile(`^[A-Za-z0-9_*.:-]+$`)

// read returns the agents that a file defines: one, or several remote ones.
func read(f definition.File) ([]Agent, error) {
	if f.Err != nil {
		return nil, f.Err
	}
	matter, body, ok := definition.FrontMatter(f.Text)
	if !ok {
		return nil, errors.New("it does not begin with front matter between two lines of ---")
	}
	agents, err := remoteAgents(matter, f.Folder.Scope)
	if err == nil && agents == nil {
		agents, err = localAgent(f, matter, body)
	}
	if err != nil {
		return nil, err
	}
	for i := range agents {
		a := &agents[i]
		switch {
		case len(a.Name) > 64, !agentName.MatchString(a.Name):
			return nil, fmt.Errorf("name: invalid name %q: want at most 64 of a-z, 0-9, - and _", a.Name)
		case strings.TrimSpace(a.Description) == "":
			return nil, errors.New("description: missing or empty")
		}
		a.Description = visible.ShortLine(a.Description, maxDescription)
		a.File, a.Scope, a.Extension = f.Path, f.Folder.Scope, f.Folder.Extension
		at := filepath.Base(filepath.Dir(f.Folder.Path))
		a.own = a.Scope == definition.User && at != own.Gemini && at != ".claude"
	}
	return agents, nil
}

// localAgent returns the agent of a file whose text is a system prompt.
func localAgent(f definition.File, matter, body string) ([]Agent, error) {
	switch {
	case body == "":
		return nil, errors.New("it has no text behind the front matter, which is the agent's system prompt")
	case len(body) > maxPrompt:
		return nil, fmt.Errorf("its text is longer than %d KiB", maxPrompt>>10)
	}
	read := ofGemini
	if filepath.Base(filepath.Dir(f.Folder.Path)) == ".claude" {
		read = ofClaude
	}
	a, err := read(matter)
	a.Prompt = body
	return []Agent{a}, err
}

// ofGemini reads the front matter of an agent in Gemini CLI's format. Unknown
// fields are errors.
func ofGemini(matter string) (Agent, error) {
	var m front
	if err := definition.Decode(matter, &m, yaml.Strict()); err != nil {
		return Agent{}, fieldError(err)
	}
	a := Agent{Name: m.Name, Description: m.Description, Tools: m.Tools, Model: m.Model, Temperature: m.Temperature, MaxTurns: defaultTurns, Timeout: defaultTime}
	if a.Model == "inherit" {
		a.Model = ""
	}
	switch {
	case m.Kind != "" && m.Kind != "local":
		return Agent{}, fmt.Errorf("kind: %q agents are not supported; want local or remote", m.Kind)
	case m.Tools != nil && len(m.Tools) == 0:
		return Agent{}, errors.New("tools: an empty list; leave it out for all tools")
	case m.Temperature != nil && (*m.Temperature < 0 || *m.Temperature > 2):
		return Agent{}, fmt.Errorf("temperature: %v is not between 0 and 2", *m.Temperature)
	case m.MaxTurns != nil && (*m.MaxTurns < 1 || *m.MaxTurns > maxTurns):
		return Agent{}, fmt.Errorf("max_turns: %d is not between 1 and %d", *m.MaxTurns, maxTurns)
	case m.Minutes != nil && (*m.Minutes < 1 || *m.Minutes > maxMinutes):
		return Agent{}, fmt.Errorf("timeout_mins: %d is not between 1 and %d", *m.Minutes, maxMinutes)
	}
	if i := slices.IndexFunc(m.Tools, func(name string) bool { return !toolPattern.MatchString(name) }); i >= 0 {
		return Agent{}, fmt.Errorf("tools: invalid name %q", m.Tools[i])
	}
	var err error
	if a.Servers, err = ofSnake(m.Servers); err != nil {
		return Agent{}, fmt.Errorf("mcp_servers: %w", err)
	}
	if m.MaxTurns != nil {
		a.MaxTurns = *m.MaxTurns
	}
	if m.Minutes != nil {
		a.Timeout = time.Duration(*m.Minutes) * time.Minute
	}
	return a, nil
}

// fieldError names the field that an error of the YAML library is about.
func fieldError(err error) error {
	if e, ok := errors.AsType[*yaml.TypeError](err); ok && e.StructFieldName != nil {
		_, name, _ := strings.Cut(*e.StructFieldName, ".")
		f, ok := reflect.TypeFor[front]().FieldByName(name)
		if !ok {
			f, ok = reflect.TypeFor[remoteFront]().FieldByName(name)
		}
		if ok {
			return fmt.Errorf("%s: line %d: cannot be a %v", f.Tag.Get("yaml"), e.Token.Position.Line, e.SrcType)
		}
	}
	return errors.New(yaml.FormatError(err, false, false))
}

// ofClaude reads the front matter of an agent in Claude Code's format, as far as
// it means something here: its model is the session's.
func ofClaude(matter string) (Agent, error) {
	var m struct {
		Name        string `yaml:"name"`
		Description string `yaml:"description"`
		Tools       any    `yaml:"tools"`
		Servers     any    `yaml:"mcpServers"`
	}
	if err := definition.Decode(matter, &m); err != nil {
		return Agent{}, errors.New(yaml.FormatError(err, false, false))
	}
	a := Agent{Name: m.Name, Description: m.Description, MaxTurns: defaultTurns, Timeout: defaultTime}
	servers, known, err := ofClaudeServers(m.Servers)
	if err != nil {
		return Agent{}, fmt.Errorf("mcpServers: %w", err)
	}
	a.Servers = servers
	var names []string
	switch l := m.Tools.(type) {
	case nil:
		return a, nil
	case string:
		names = strings.Split(l, ",")
	case []any:
		for _, name := range l {
			names = append(names, fmt.Sprint(name))
		}
	}
	for _, name := range names {
		if ours := builtin.ClaudeNames()[strings.TrimSpace(name)]; ours != "" && !slices.Contains(a.Tools, ours) {
			a.Tools = append(a.Tools, ours)
		}
	}
	for _, name := range known {
		a.Tools = append(a.Tools, "mcp_"+name+"_*")
	}
	if len(a.Tools) == 0 {
		return Agent{}, errors.New("tools: none of them is known here")
	}
	return a, nil
}
