// Package settings owns what can be configured: every setting is declared once,
// with its default, its meaning, its bounds and who may set it, and is read from
// layers of files, environment and flags into one unchanging value. It also
// knows in which folders emendo keeps its files.
//
// It knows nothing of what a setting does, and reads neither the environment
// nor flags itself: the process hands them in.
package settings

import "runtime"

// Settings are the values that hold for one project. They are made by [Load]
// and not changed afterwards; the lists are shared by all copies.
type Settings struct {
	UseWriteTodos     bool // the model is offered write_todos
	Experimental      Experimental
	ContextManagement ContextManagement
	Model             Model
	ModelConfigs      ModelConfigs
	General           General
	Tools             Tools
	LanguageServers   LanguageServers
	Companion         Companion
	Chat              Chat
	Edits             Edits
	Context           Context
	Skills            Skills
	Agents            Agents
	Extensions        Extensions
	Hooks             Hooks
	HooksConfig       HooksConfig
	MCPServers        MCPServers
	MCP               MCP
	Network           Network
	Telemetry         Telemetry
	Security          Security
}

// Defaults returns the settings of someone who configured nothing.
func Defaults() Settings {
	var s Settings
	for _, d := range declared {
		if runtime.GOOS == "darwin" && d.onMac != nil {
			d.initial = d.onMac
		}
		if d.initial != nil {
			d.assign(&s, d.initial)
		}
	}
	return s
}
