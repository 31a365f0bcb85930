package main

import (
	"path/filepath"

	"github.com/emendo-dev/emendo/agent/language"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/cmd/emendo/provider"
	"github.com/emendo-dev/emendo/cmd/emendo/servers"
	"github.com/emendo-dev/emendo/internal/extension"
	"github.com/emendo-dev/emendo/internal/langserver"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/mcp"
	"github.com/emendo-dev/emendo/mcp/config"
	"github.com/emendo-dev/emendo/mcp/discovery"
)

// supplies returns the factory of a session's supplies: its MCP servers and
// language servers.
func (w wiring) supplies() func(*state.Session) []state.Supply {
	definitions := mcp.OpenDefinitions(filepath.Join(w.paths.State, "mcp", "definitions.json"), w.log)
	dial := servers.Dialer(w.servers)
	pool := langserver.NewPool(langserver.Options{Start: w.startServer, Environ: w.process.environ, Log: w.log})
	now := w.current()
	return func(s *state.Session) []state.Supply {
		configured := func() config.List {
			var handed []config.Server
			if w.handed != nil {
				handed = w.handed(s.SessionID)
			}
			return config.Load(config.Options{Client: handed, Settings: now(), Folder: s.Work.Roots()[0], Projects: s.Work.Roots(), GeminiDir: w.process.geminiDir(), Extensions: s.Extensions()})
		}
		all := mcp.New(mcp.Options{
			Configured: configured, Dial: dial, Version: version, Folders: s.Work.Roots, Trusted: s.Trusted,
			Definitions: definitions, Env: w.process.env, Log: w.log,
		})
		discovered := discovery.NewSupply(s, func() settings.Discovery { return now().Tools.Discovered() })
		return []state.Supply{language.NewSupply(pool, s), all, discovered}
	}
}

// current returns a function that rereads the settings.
func (w wiring) current() func() settings.Settings {
	if w.now != nil {
		return w.now
	}
	return func() settings.Settings { return w.settings }
}

// extensions returns a function that lists the extensions of a trusted folder.
func (w wiring) extensions() func(folder string) extension.List {
	now := w.current()
	return func(folder string) extension.List {
		return extension.Find(extension.Options{Config: w.paths.Config, Gemini: w.process.geminiDir(), Project: folder, Disabled: now().Extensions.Disabled})
	}
}

// servers returns the dialer of MCP servers.
func (w wiring) servers() mcp.Programs {
	p := mcp.Programs{Environ: w.process.environ, Logins: servers.Logins(w.paths, version, w.process.secrets, provider.Network(w.current()().Network, w.process.env, w.process.secrets)), Log: w.log}
	if w.confined != nil {
		p.Sandbox, p.Reach = w.confined, w.confined.reach
	}
	return p
}
