package config

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"

	"github.com/emendo-dev/emendo/internal/extension"
	"github.com/emendo-dev/emendo/internal/own"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/visible"
)

// Options of [Load].
type Options struct {
	// Settings are emendo's, with those of the project if it is trusted.
	Settings settings.Settings
	// Folder is the session's, where the user's servers start; absolute.
	Folder string
	// Client are those that the user's editor has handed over.
	Client []Server
	// Projects are the trusted folders whose own files are read, absolute.
	Projects []string
	// GeminiDir is the folder of Gemini CLI's user settings; empty without a home folder.
	GeminiDir string
	// Extensions are those that are used, of the user and of the projects.
	Extensions []extension.Extension
}

// A List has the configured servers, sorted by name, the hidden ones last.
type List struct {
	Servers  []Server
	Problems []string // what cannot be read, one line each

	allowed, excluded, outside []string // by the settings
}

// Load returns the configured servers. Of several with one name the first of these
// counts: emendo's own settings, Gemini CLI's of the user, those of the user's editor,
// those of the project: .emendo, .gemini, .mcp.json, .vscode/mcp.json; those of
// extensions.
func Load(o Options) List {
	l := List{allowed: o.Settings.MCP.Allowed, excluded: o.Settings.MCP.Excluded, outside: o.Settings.MCP.Outside}
	add := func(servers ...Server) {
		for _, s := range servers {
			if err := CheckName(s.Name); err != nil {
				l.Problems = append(l.Problems, visible.OneLine(s.File+": "+err.Error()))
				continue
			}
			if i := slices.IndexFunc(l.Servers, func(have Server) bool { return have.Name == s.Name && have.HiddenBy == "" }); i >= 0 {
				s.HiddenBy = l.Servers[i].File
			}
			l.Servers = append(l.Servers, s)
		}
	}
	add(ofSettings(o.Settings.MCPServers, o.Folder)...)
	if o.GeminiDir != "" {
		servers, problems := geminiUser(o.GeminiDir, o.Folder)
		add(servers...)
		l.Problems = append(l.Problems, problems...)
	}
	add(o.Client...)
	for _, project := range o.Projects {
		var of settings.MCPServers
		for name, s := range o.Settings.MCP.OfProject {
			if s.Folder == project || paths.Same(s.Folder, project) {
				of = maps.Clone(of)
				if of == nil {
					of = settings.MCPServers{}
				}
				of[name] = s
			}
		}
		servers, problems := ofProject(project, of)
		add(servers...)
		l.Problems = append(l.Problems, problems...)
	}
	for _, e := range o.Extensions {
		add(OfExtension(e, o.Folder)...)
	}
	for i, s := range l.Servers {
		l.Servers[i] = l.freed(s)
		l.Servers[i].Disabled = s.Disabled || !l.selects(s.Name)
	}
	slices.SortStableFunc(l.Servers, func(a, b Server) int {
		hidden := func(s Server) int { return min(len(s.HiddenBy), 1) }
		return cmp.Or(cmp.Compare(hidden(a), hidden(b)), cmp.Compare(a.Name, b.Name))
	})
	return l
}

// OfProject returns the servers of a folder's own files, trusted or not. of are
// those in the settings files among them, and extensions are the project's. outside are
// those that the user's settings let run outside the sandbox.
func OfProject(folder string, of settings.MCPServers, extensions []extension.Extension, outside []string) (servers []Server, problems []string) {
	l := Load(Options{Folder: folder, Projects: []string{folder}, Extensions: extensions, Settings: settings.Settings{MCP: settings.MCP{OfProject: of, Outside: outside}}})
	return slices.DeleteFunc(l.Servers, func(s Server) bool { return s.HiddenBy != "" }), l.Problems
}

func ofProject(folder string, of settings.MCPServers) (servers []Server, problems []string) {
	servers = ofSettings(of, folder)
	for _, name := range []string{filepath.Join(own.Emendo, "settings.json"), filepath.Join(own.Gemini, "settings.json")} {
		found, wrong := ofCommand(folder, name)
		servers, problems = append(servers, found...), append(problems, wrong...)
	}
	for _, f := range []foreignFile{
		{name: ".mcp.json", key: "mcpServers"},
		{name: filepath.Join(".vscode", "mcp.json"), key: "servers"},
	} {
		found, wrong := f.read(folder)
		servers, problems = append(servers, found...), append(problems, wrong...)
	}
	return servers, problems
}

// OfExtension returns the servers of an extension. folder is where they start, unless
// the extension belongs to a project or names another folder; it is empty where that
// is not known.
func OfExtension(e extension.Extension, folder string) (l []Server) {
	l = Within(e.Servers, e.Project, cmp.Or(e.Project, folder))
	for i := range l {
		s := &l[i]
		s.Own, s.Trust, s.Extension = false, false, e.Name
		if e.Project == "" {
			s.Home = e.Dir
		}
	}
	return l
}

// Within returns servers of a project, sorted by name; of the user if project is empty.
// folder is where they start.
func Within(servers settings.MCPServers, project, folder string) (l []Server) {
	servers = maps.Clone(servers)
	for name, s := range servers {
		s.Folder = project
		servers[name] = s
	}
	return ofSettings(servers, folder)
}

// ofSettings returns the servers of settings, sorted by name.
func ofSettings(servers settings.MCPServers, folder string) (l []Server) {
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		l = append(l, newServer(name, servers[name], folder))
	}
	return l
}
