// Package inventory tells what a folder holds that would start or configure
// something once the folder is trusted: hooks, servers, settings, commands,
// skills, agents, policies, context files, and what its git settings name. It
// reads, heeds nothing and starts nothing, so it may be asked about a folder that
// nobody trusts. It knows nothing of who asks or of what is decided then.
package inventory

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/internal/visible"
)

// An Inventory is what a folder holds.
type Inventory struct {
	Folder string        // its real path
	Starts []trust.Entry // what its settings would start, in the order in which they name it
	Items  []Item        // what would configure something
	Git    []Item        // what its git settings would have git start
	Unread []string      // files that look like settings and cannot be read, with the reason
}

// An Item is one file with what it brings along.
type Item struct {
	What string // "settings", "command", "skill", …
	Path string // slash-separated, below the folder; absolute for git's files elsewhere
	Says string // what it says, if that is short; one line
}

// Options of a scan.
type Options struct {
	Folder       string
	ContextNames []string                 // of context files
	Env          func(name string) string // for finding the user's home, which is no project; may be nil
	Outside      []string                 // commands of hooks that the user has run outside of the sandbox
}

const (
	maxVisited = 20_000 // files and folders that are looked at for context files
	maxItems   = 500    // of one kind
)

// Scan takes the inventory of a folder. The error says that the folder cannot
// be opened; what is wrong inside of it is part of the inventory.
func Scan(o Options) (Inventory, error) {
	real, err := filepath.EvalSymlinks(o.Folder)
	if err != nil {
		return Inventory{}, fmt.Errorf("look into %s: %w", o.Folder, err)
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return Inventory{}, fmt.Errorf("look into %s: %w", o.Folder, err)
	}
	defer root.Close()
	v := Inventory{Folder: real}
	v.settings(o.Env, o.Outside)
	v.files(root.FS())
	v.git(v.tree(root.FS(), o.ContextNames))
	return v, nil
}

// Starts is what a folder, by its real path, would start: the quick part of [Scan].
func Starts(folder string, env func(name string) string) []trust.Entry {
	v := Inventory{Folder: folder}
	v.settings(env, nil)
	return v.Starts
}

// Empty says that the folder starts and configures nothing, git's settings left
// aside.
func (v Inventory) Empty() bool { return len(v.Starts)+len(v.Items)+len(v.Unread) == 0 }

// settings reads the folder's settings files.
func (v *Inventory) settings(env func(string) string, outside []string) {
	o := settings.Options{ProjectDir: v.Folder, Trusted: true, Env: env}
	s, _, _ := settings.Load(o) // what cannot be read is told below
	for event, list := range s.Hooks.ByEvent() {
		for _, d := range list {
			for i, h := range d.Hooks {
				if h.Type == "command" {
					v.Starts = append(v.Starts, trust.Entry{
						Kind: trust.Hook, Name: trust.HookName(event, d.Place, i, h.Name), On: event, Command: h.Command, Env: h.Env,
						Unseen: shellcmd.Indirect(h.Command, v.Folder, h.Env), Outside: slices.Contains(outside, h.Command),
					})
				}
			}
		}
	}
	for _, f := range o.ProjectFiles() {
		rel := v.within(f.Path)
		if f.Err != nil {
			v.Unread = append(v.Unread, visible.OneLine(f.Err.Error()))
			continue
		}
		if len(f.Keys) == 0 {
			continue
		}
		says := few(f.Keys)
		if len(f.Ignored) > 0 {
			says += "; a project does not decide " + few(f.Ignored)
		}
		v.Items = append(v.Items, Item{"settings", rel, says})
		v.servers(f)
	}
}

// few is a list in words: a file may have any number of names.
func few(names []string) string {
	const most = 40
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// A Server is what a settings file says of one server.
type Server struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	Cwd     string            `json:"cwd"`
	URL     string            `json:"url"`
	HTTPURL string            `json:"httpUrl"`
	TCP     string            `json:"tcp"`
	Headers map[string]string `json:"headers"`
}

// Entry is the server as it is approved: what starts it asks about the same.
func (c Server) Entry(name, folder string) trust.Entry {
	e := trust.Entry{Kind: trust.Server, Name: name, Command: c.Command, Args: c.Args, Env: c.Env, URL: cmp.Or(c.HTTPURL, c.URL, c.TCP), Headers: c.Headers}
	if c.Cwd != "" {
		e.Dir = absolute(folder, c.Cwd)
	}
	return e
}

// servers takes the servers and the discovery commands of a settings file.
func (v *Inventory) servers(f settings.ProjectFile) {
	var s struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
		MCP     struct {
			Command string `json:"serverCommand"`
		} `json:"mcp"`
		Tools struct {
			Discovery string `json:"discoveryCommand"`
			Call      string `json:"callCommand"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(f.JSON, &s); err != nil {
		v.Unread = append(v.Unread, fmt.Sprintf("%s: its servers or tools are not what they must be: %s", v.within(f.Path), visible.OneLine(err.Error())))
	}
	var names []string
	for name := range s.Servers {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		var c Server
		if err := json.Unmarshal(s.Servers[name], &c); err != nil {
			v.Unread = append(v.Unread, fmt.Sprintf("%s: the server %s is not what it must be: %s", v.within(f.Path), name, visible.OneLine(err.Error())))
			continue
		}
		v.Starts = append(v.Starts, c.Entry(name, v.Folder))
	}
	for _, c := range []struct {
		kind          trust.Kind
		name, command string
	}{
		{trust.Server, "mcp.serverCommand", s.MCP.Command},
		{trust.Discovery, "tools.discoveryCommand", s.Tools.Discovery},
		{trust.Discovery, "tools.callCommand", s.Tools.Call},
	} {
		if c.command != "" {
			v.Starts = append(v.Starts, trust.Entry{Kind: c.kind, Name: c.name, Command: c.command})
		}
	}
}

// files finds what has a place of its own.
func (v *Inventory) files(dir fs.FS) {
	for _, top := range []string{".gemini", ".emendo"} {
		v.below(dir, "command", top+"/commands", func(name string) bool { return strings.HasSuffix(name, ".toml") })
		v.below(dir, "agent", top+"/agents", func(name string) bool { return strings.HasSuffix(name, ".md") })
		v.below(dir, "policy", top+"/policies", func(name string) bool { return strings.HasSuffix(name, ".toml") })
		v.below(dir, "skill", top+"/skills", func(name string) bool { return path.Base(name) == "SKILL.md" })
		v.one(dir, "system prompt", top+"/system.md", "read only when EMENDO_SYSTEM_MD asks for it")
		v.one(dir, "environment", top+"/.env", "never read by emendo")
	}
	v.below(dir, "skill", ".agents/skills", func(name string) bool { return path.Base(name) == "SKILL.md" })
	v.one(dir, "environment", ".env", "never read by emendo")
}

func (v *Inventory) one(dir fs.FS, what, name, says string) {
	if info, err := fs.Stat(dir, name); err == nil && !info.IsDir() {
		v.Items = append(v.Items, Item{what, name, says})
	}
}

// below finds the files below a folder whose names count.
func (v *Inventory) below(dir fs.FS, what, top string, counts func(name string) bool) {
	n := 0
	err := fs.WalkDir(dir, top, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be read configures nothing
		}
		if n++; n > maxItems {
			return fs.SkipAll
		}
		if !d.IsDir() && counts(name) {
			v.Items = append(v.Items, Item{What: what, Path: name})
		}
		return nil
	})
	if err != nil || n > maxItems {
		v.Items = append(v.Items, Item{what, top, "and more"})
	}
}

// tree finds context files, wherever they are, and gives the folders that are
// repositories of their own or work trees of one.
func (v *Inventory) tree(dir fs.FS, names []string) (repositories []string) {
	n := 0
	_ = fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be read is not shown to a model
		}
		if n++; n > maxVisited || len(v.Items) > maxItems || len(repositories) > maxItems {
			v.Items = append(v.Items, Item{"context", ".", "and perhaps more: the folder is large"})
			return fs.SkipAll
		}
		switch at := path.Dir(name); {
		case d.Name() == ".git" && at != ".", d.Name() == "HEAD" && at != "." && isRepository(filepath.Join(v.Folder, filepath.FromSlash(at))):
			repositories = append(repositories, filepath.Join(v.Folder, filepath.FromSlash(at)))
		}
		switch {
		case d.IsDir() && slices.Contains([]string{".git", "node_modules", "vendor"}, d.Name()):
			return fs.SkipDir
		case !d.IsDir() && slices.Contains(names, d.Name()):
			v.Items = append(v.Items, Item{What: "context", Path: name})
		}
		return nil
	})
	return repositories
}

// within is a path below the folder, slash-separated, or as it is.
func (v *Inventory) within(file string) string {
	if rel, err := filepath.Rel(v.Folder, file); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return file
}
