// Package inventory lists what a folder would start or configure once it is
// trusted: hooks, servers, settings, commands, skills, agents, policies,
// context files, and programs in its git configuration. It only reads, so it is
// safe for untrusted folders. It does not know who asks or what is decided.
package inventory

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/extension"
	"github.com/emendo-dev/emendo/internal/own"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/mcp/config"
)

// An Inventory lists what a folder contains.
type Inventory struct {
	Folder string        // its real path
	Starts []trust.Entry // what its settings would start, in their order
	Items  []Item        // what would configure something
	Git    []Item        // what its git configuration would make git run
	Unread []string      // settings files that cannot be read, with the reason
	// Extensions are the folder's own, by their slash-separated paths in it.
	Extensions []string
}

// An Item is one file and what it configures.
type Item struct {
	What string // "settings", "command", "skill", …
	Path string // slash-separated, relative to the folder; absolute for git's files elsewhere
	Says string // its content if short; one line
}

// Options of a scan.
type Options struct {
	Folder       string
	ContextNames []string                 // of context files
	Env          func(name string) string // to find the user's home, which is not a project; may be nil
	Outside      []string                 // commands of hooks that the user runs outside the sandbox
	// OutsideServers are the servers that the user runs there, by name.
	OutsideServers []string
}

const (
	maxVisited = 20_000 // files and folders searched for context files
	maxItems   = 500    // of one kind
)

// Scan lists what a folder contains. The error says why the folder cannot be
// opened; errors inside it are part of the inventory.
func Scan(o Options) (Inventory, error) {
	real, err := filepath.EvalSymlinks(o.Folder)
	if err != nil {
		return Inventory{}, fmt.Errorf("open %s: %w", o.Folder, err)
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return Inventory{}, fmt.Errorf("open %s: %w", o.Folder, err)
	}
	defer root.Close()
	v := Inventory{Folder: real}
	v.settings(o.Env, o.Outside, o.OutsideServers)
	v.files(root.FS())
	v.repositories(v.contextFiles(root.FS(), o.ContextNames))
	return v, nil
}

// Starts returns what a folder, by its real path, would start. It is the fast
// part of [Scan], of whose options it takes all but the names of files.
func Starts(o Options) []trust.Entry {
	v := Inventory{Folder: o.Folder}
	v.settings(o.Env, o.Outside, o.OutsideServers)
	return v.Starts
}

// Empty reports whether the folder starts and configures nothing, not counting
// git's configuration.
func (v Inventory) Empty() bool { return len(v.Starts)+len(v.Items)+len(v.Unread) == 0 }

// settings reads the folder's settings files.
func (v *Inventory) settings(env func(string) string, outside, servers []string) {
	o := settings.Options{ProjectDir: v.Folder, Trusted: true, Env: env}
	s, _, _ := settings.Load(o) // errors are reported below
	extensions := extension.OfProject(v.Folder, geminiOf(env))
	for _, e := range extensions.Used() {
		s = s.WithHooks(e.Hooks)
	}
	v.commandHooks(s, outside)
	started, problems := config.OfProject(v.Folder, s.MCP.OfProject, extensions.Used(), servers)
	for _, c := range started {
		v.Starts = append(v.Starts, c.Entry(env))
	}
	v.agentServers(extensions.Used(), env, servers)
	v.Starts = append(v.Starts, OfDiscovery(s.Tools.OfProject, v.Folder)...)
	v.Unread = append(v.Unread, problems...)
	v.extensions(extensions)
	for _, f := range o.ProjectFiles() {
		rel := v.within(f.Path)
		if f.Err != nil {
			v.Unread = append(v.Unread, visible.OneLine(f.Err.Error()))
			continue
		}
		for _, m := range f.Mistakes {
			v.Unread = append(v.Unread, visible.OneLine(m.Error()))
		}
		if len(f.Keys) == 0 {
			continue
		}
		says := namesOf(f.Keys)
		if len(f.Ignored) > 0 {
			says += "; ignored in a project: " + namesOf(f.Ignored)
		}
		v.Items = append(v.Items, Item{"settings", rel, says})
	}
}

// namesOf returns a list as text, shortened: a file may contain any number of
// names.
func namesOf(names []string) string {
	const most = 40
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// OfDiscovery returns the entries of the commands of a folder that list and call tools, which
// start in it.
func OfDiscovery(d settings.Discovery, folder string) (l []trust.Entry) {
	for _, c := range []struct{ name, line string }{{"tools.discoveryCommand", d.List}, {"tools.callCommand", d.Call}} {
		if c.line != "" {
			l = append(l, trust.Entry{Kind: trust.Discovery, Name: c.name, Command: c.line, Unseen: shellcmd.Indirect(c.line, folder, nil)})
		}
	}
	return l
}

// files adds files that have a fixed place.
func (v *Inventory) files(dir fs.FS) {
	for _, top := range own.Folders() {
		v.below(dir, "command", top+"/commands", func(name string) bool { return strings.HasSuffix(name, ".toml") })
		v.below(dir, "agent", top+"/agents", func(name string) bool { return strings.HasSuffix(name, ".md") })
		v.below(dir, "policy", top+"/policies", func(name string) bool { return strings.HasSuffix(name, ".toml") })
		v.below(dir, "skill", top+"/skills", func(name string) bool { return path.Base(name) == "SKILL.md" })
		v.addFile(dir, "system prompt", top+"/system.md", "read only when EMENDO_SYSTEM_MD asks for it")
		v.addFile(dir, "environment", top+"/.env", "never read by emendo")
	}
	for _, other := range []string{".agents", ".claude"} {
		v.below(dir, "skill", other+"/skills", func(name string) bool { return path.Base(name) == "SKILL.md" })
	}
	v.below(dir, "agent", ".claude/agents", func(name string) bool { return strings.HasSuffix(name, ".md") })
	v.addFile(dir, "environment", ".env", "never read by emendo")
	for _, e := range v.Extensions {
		v.extensionFiles(dir, e)
	}
}

func (v *Inventory) addFile(dir fs.FS, what, name, says string) {
	if info, err := fs.Stat(dir, name); err == nil && !info.IsDir() {
		v.Items = append(v.Items, Item{what, name, says})
	}
}

// below adds the files below a folder whose names count.
func (v *Inventory) below(dir fs.FS, what, top string, counts func(name string) bool) {
	n := 0
	err := fs.WalkDir(dir, top, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // an unreadable file configures nothing
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

// contextFiles finds context files and returns the folders that are repositories or
// work trees of their own.
func (v *Inventory) contextFiles(dir fs.FS, names []string) (repositories []string) {
	n := 0
	_ = fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // an unreadable file is not sent to a model
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

// within returns a path relative to the folder, slash-separated, or unchanged
// if it is outside.
func (v *Inventory) within(file string) string {
	if rel, ok := paths.CutFolder(file, v.Folder); ok {
		return filepath.ToSlash(rel)
	}
	return file
}
