package settings

import (
	"encoding/json"
	"slices"
	"strings"
)

// Disabling is the key of a list of the names of what is not used. A user's file can add to it,
// and so can other layers.
type Disabling string

// The lists.
const (
	DisabledServers Disabling = "mcp.excluded"
	DisabledAgents  Disabling = "agents.disabled"
	DisabledSkills  Disabling = "skills.disabled"
	DisabledHooks   Disabling = "hooksConfig.disabled"
)

// Equal reports whether two names in the list mean the same.
func (d Disabling) Equal(a, b string) bool {
	return a == b || d == DisabledSkills && strings.EqualFold(a, b)
}

// Has reports whether the settings disable a name.
func (d Disabling) Has(s *Settings, name string) bool { return d.contains(*d.list(s), name) }

// list returns the list of settings.
func (d Disabling) list(s *Settings) *[]string {
	switch d {
	case DisabledServers:
		return &s.MCP.Excluded
	case DisabledAgents:
		return &s.Agents.Disabled
	case DisabledSkills:
		return &s.Skills.Disabled
	case DisabledHooks:
		return &s.HooksConfig.Disabled
	}
	panic("settings: no list " + string(d))
}

func (d Disabling) contains(list []string, name string) bool {
	return slices.ContainsFunc(list, func(n string) bool { return d.Equal(n, name) })
}

// DisabledBy returns the layers that disable a name, in words or by their paths, for settings that are
// read with these values, as by [Source.Read].
func (s *Source) DisabledBy(d Disabling, name string, trusted bool, editor, configuration json.RawMessage) (layers []string) {
	o := s.options
	o.Trusted, o.Editor, o.Configuration = trusted, editor, configuration
	for _, l := range o.layers() {
		to := loaded{settings: Settings{}, firm: map[string]bool{}}
		if l.broken == nil && to.apply(l) == nil && d.Has(&to.settings, name) {
			if l.name == editorLayer {
				l.name = "the settings of your editor"
			}
			layers = append(layers, l.name)
		}
	}
	return layers
}
