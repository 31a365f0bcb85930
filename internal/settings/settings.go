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
	Model        Model
	ModelConfigs ModelConfigs
	General      General
	Tools        Tools
	// Let the model keep a to-do list that you can follow.
	UseWriteTodos     bool `default:"true" scope:"any"`
	Experimental      Experimental
	LanguageServers   LanguageServers
	Edits             Edits
	Review            Review
	Companion         Companion
	Chat              Chat
	Context           Context
	ContextManagement ContextManagement
	Skills            Skills
	Agents            Agents
	Extensions        Extensions
	Hooks             Hooks
	HooksConfig       HooksConfig
	// MCP servers by name: `{"docs": {"command": "npx", "args": ["-y", "docs-server"]}}`. A server
	// has `command`, `args`, `env` and `cwd`, or `url` (streamable HTTP, or else SSE; `type`
	// `"http"` or `"sse"` fixes it) or `httpUrl` (streamable HTTP alone), `headers` and `oauth`;
	// `timeout` of a call in milliseconds, `includeTools`, `excludeTools`, `trust`, `sandbox`,
	// `hosts` and `disabled`. Layers add to the object. A project's server needs your approval
	// first, and never replaces one of yours. See [mcp.md](mcp.md).
	MCPServers MCPServers `object:"an object: names to servers" scope:"any" how:"apart each"`
	MCP        MCP
	Network    Network
	Telemetry  Telemetry
	Security   Security
}

// Defaults returns the settings of someone who configured nothing.
func Defaults() Settings {
	var s Settings
	for _, d := range declared() {
		if runtime.GOOS == "darwin" && d.onMac != nil {
			d.initial = d.onMac
		}
		if d.initial != nil {
			d.assign(&s, d.initial)
		}
	}
	return s
}
