package agent

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/emendo-dev/emendo/agent/definition"
	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/subagent"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/visible"
)

// Optional is an agent, a skill or a hook: the user can disable it by its name.
type Optional struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitzero"`
	Source      string   `json:"source"`           // "built in", "extension NAME", "user", "project" or "system"
	File        string   `json:"file,omitzero"`    // that defines it, absolute
	Command     string   `json:"command,omitzero"` // of a hook
	Events      []string `json:"events,omitzero"`  // at which a hook runs
	Enabled     bool     `json:"enabled"`
}

// Optionals are those of one kind, the disabled ones included.
type Optionals struct {
	List     []Optional
	Problems []string // with files that define none, one sentence each
	Off      string   // the setting that keeps all from being used; empty: none
	// Restricted: the folder is not trusted, so those of a project are missing, and no hook runs.
	Restricted bool
}

// Optionals returns what the settings disable by a list, in a session, or in a folder, an
// absolute path, if sessionID is empty.
func (a *Agent) Optionals(ctx context.Context, kind settings.Disabling, sessionID, folder string) (Optionals, error) {
	a.Process.Renew()
	if sessionID != "" {
		s, err := a.Session(ctx, sessionID)
		if err != nil {
			return Optionals{}, err
		}
		return a.optionals(ctx, kind, s.State.Site()), nil
	}
	folder = disk.RealPath(folder)
	tree, err := disk.NewTree([]string{folder})
	if err != nil {
		return Optionals{}, fmt.Errorf("open the folder %s: %w", folder, err)
	}
	defer tree.Close()
	return a.optionals(ctx, kind, a.Process.SiteIn(folder, []string{folder}, tree)), nil
}

func (a *Agent) optionals(ctx context.Context, kind settings.Disabling, at state.Site) Optionals {
	c := a.Process.Choices()
	o := Optionals{Restricted: !at.Trusted()}
	off := func(enabled bool, setting string) {
		if !enabled {
			o.Off = setting
		}
	}
	switch kind {
	case settings.DisabledAgents:
		off(c.Settings.Agents.Enabled, "agents.enabled")
		set := subagent.InSite(ctx, at, nil)
		o.Problems = set.Problems
		for _, x := range set.Agents {
			o.List = append(o.List, Optional{Name: x.Name, Description: x.Description, Source: x.Scope.With(x.Extension), File: x.File})
		}
	case settings.DisabledSkills:
		off(c.Settings.Skills.Enabled, "skills.enabled")
		set := at.Skills(ctx, nil)
		o.Problems = set.Problems
		for _, x := range set.List {
			o.List = append(o.List, Optional{Name: x.Name, Description: x.Description, Source: x.Scope.With(x.Extension), File: x.File})
		}
	case settings.DisabledHooks:
		off(!c.Hooks.Off, "hooksConfig.enabled")
		for _, h := range c.Hooks.Hooks {
			o.addHook(h)
		}
	case settings.DisabledServers: // they have states, and belong to supplies
	}
	for i := range o.List {
		o.List[i].Enabled = !kind.Has(c.Settings, o.List[i].Name)
	}
	return o
}

// addHook adds a hook to those of the same name and source, which are disabled together.
func (o *Optionals) addHook(h hooks.Hook) {
	x := Optional{Name: cmp.Or(h.Name, h.Command), Description: visible.OneLine(h.Description), Source: h.Source.String(), Command: h.Command, Events: []string{string(h.Event)}}
	if h.Extension != "" {
		x.Source = definition.Extension.With(h.Extension)
	}
	i := slices.IndexFunc(o.List, func(have Optional) bool { return have.Name == x.Name && have.Source == x.Source })
	switch {
	case i < 0:
		o.List = append(o.List, x)
	case !slices.Contains(o.List[i].Events, x.Events[0]):
		o.List[i].Events = append(o.List[i].Events, x.Events[0])
	}
}

// StopServer ends an MCP server in every open session, until it may start again.
func (a *Agent) StopServer(ctx context.Context, name string) {
	for _, s := range a.all() {
		if servers := s.State.Servers(); servers != nil {
			servers.Restart(ctx, name, false)
		}
	}
}
