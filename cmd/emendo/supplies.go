package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/emendo-dev/emendo/agent/language"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/cmd/emendo/provider"
	"github.com/emendo-dev/emendo/cmd/emendo/servers"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/extension"
	"github.com/emendo-dev/emendo/internal/langserver"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/private"
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
		all := mcp.New(mcp.Options{
			Workspace: workspace{w, s, now}, Dialer: dial, Version: version,
			Definitions: definitions, Env: w.process.env, Log: w.log, Patient: w.patient,
		})
		discovered := discovery.NewSupply(s, w.copies, w.patient)
		return []state.Supply{language.NewSupply(pool, s, w.patient), all, discovered}
	}
}

// workspace is where a session works. It implements [mcp.Workspace].
type workspace struct {
	wiring  wiring
	session *state.Session
	now     func() settings.Settings
}

// Configured implements [mcp.Workspace].
func (w workspace) Configured() config.List {
	var handed []config.Server
	if w.wiring.handed != nil {
		handed = w.wiring.handed(w.session.SessionID)
	}
	folders := w.Folders()
	return config.Load(config.Options{Client: handed, Settings: w.now(), Folder: folders[0], Projects: folders, GeminiDir: w.wiring.process.geminiDir(), Extensions: w.session.Extensions()})
}

// Folders implements [mcp.Workspace].
func (w workspace) Folders() []string { return w.session.Work.Roots() }

// Trusted implements [mcp.Workspace].
func (w workspace) Trusted() bool { return w.session.Trusted() }

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
		p.Sandbox = w.confined
	}
	p.Private = w.privateFolder
	return p
}

// copies creates a private folder for copies of files.
func (w wiring) copies() (string, error) {
	if w.confined == nil {
		return os.MkdirTemp("", "emendo-")
	}
	return w.confined.Copies()
}

// privateFolder returns the private folder in which a server of that name starts. It is
// outside the workspace if it can be: programs such as npx look for code in the folders
// above, up to the first one with a package.json.
func (w wiring) privateFolder(name string, folders []string) (string, error) {
	bases := slices.DeleteFunc([]string{w.paths.State, w.process.env("XDG_RUNTIME_DIR"), w.paths.Cache}, func(base string) bool {
		return !filepath.IsAbs(base)
	})
	slices.SortStableFunc(bases, func(a, b string) int {
		inside := func(base string) int {
			if paths.WithinAny(disk.RealPath(base), folders) {
				return 1
			}
			return 0
		}
		return inside(a) - inside(b)
	})
	sum := sha256.Sum256([]byte(name))
	var failed error
	for _, base := range bases {
		dir := filepath.Join(base, "emendo-servers", hex.EncodeToString(sum[:8]))
		if base == w.paths.State {
			dir = filepath.Join(base, "mcp", "folders", filepath.Base(dir))
		}
		err := private.Folder(dir)
		if err == nil {
			err = private.Replace(filepath.Join(dir, "package.json"), []byte("{}\n"))
		}
		if err == nil {
			return dir, nil
		}
		failed = errors.Join(failed, err)
	}
	return "", failed
}
