package settings

import (
	"errors"
	"slices"
)

// Extensions selects among the installed extensions.
type Extensions struct {
	// Names of [extensions](extensions.md) not to use. `emendo extensions disable` adds to your
	// list. Layers add to the list.
	Disabled []string `how:"joined"`
}

// OfExtensionFile reads the hooks and MCP servers in a file of an extension, which has
// them in the form of a settings file. path is its absolute path and folder the folder
// whose extension it is. Mistakes are warnings, and what they are in is left out.
func OfExtensionFile(path string, text []byte, folder string) (Hooks, MCPServers, []Warning) {
	var to loaded
	if e, ok := errors.AsType[*FileError](to.apply(layer{name: path, text: text, project: true, dir: folder, origin: OfExtension, foreign: true})); ok {
		to.warnings = append(to.warnings, Warning(*e))
	}
	return to.settings.Hooks, to.projects.MCPServers, to.warnings
}

// WithHooks returns the settings with further hooks behind those that they have.
func (s Settings) WithHooks(more Hooks) Settings {
	other := Settings{Hooks: more}
	for _, d := range declared() {
		if field, ok := d.field(&s).(*HookList); ok {
			*field = slices.Concat(*field, *d.field(&other).(*HookList))
		}
	}
	return s
}
