package settings

// Extensions selects among the installed extensions.
type Extensions struct {
	Disabled []string // their names
}

// OfExtensionFile reads the hooks and MCP servers in a file of an extension, which has
// them in the form of a settings file. path is its absolute path and folder the folder
// whose extension it is. Mistakes are warnings, and what they are in is left out.
func OfExtensionFile(path string, text []byte, folder string) (Hooks, MCPServers, []Warning) {
	var s Settings
	l := layer{name: path, text: text, project: true, dir: folder, origin: OfExtension, foreign: true}
	warnings, err := l.apply(&s, nil)
	if e, ok := err.(*FileError); ok { //nolint:errorlint // apply returns no other
		warnings = append(warnings, Warning(*e))
	}
	return s.Hooks, s.MCP.OfProject, warnings
}

// WithHooks returns the settings with further hooks behind those that they have.
func (s Settings) WithHooks(more Hooks) Settings {
	other := Settings{Hooks: more}
	for _, d := range hookSettings {
		field, ok := d.field(&s).(*[]HookDefinition)
		if !ok {
			continue
		}
		*field = append((*field)[:len(*field):len(*field)], *d.field(&other).(*[]HookDefinition)...)
	}
	return s
}
