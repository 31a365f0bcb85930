package inventory

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/definition"
	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/internal/extension"
	"github.com/emendo-dev/emendo/internal/own"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/mcp/config"
)

// OfExtension lists what an extension would start and configure. Its files are in the
// folder dir, which may be another one than that which they are for.
func OfExtension(e extension.Extension, dir string, env func(name string) string) (Inventory, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Inventory{}, fmt.Errorf("open the extension %s: %w", e.Name, err)
	}
	defer root.Close()
	v := Inventory{Folder: e.Dir}
	v.commandHooks(settings.Settings{}.WithHooks(e.Hooks), nil)
	for _, s := range config.OfExtension(e, "") {
		v.Starts = append(v.Starts, s.Entry(env))
	}
	for _, s := range serversOfAgents(dir, "", []definition.Folder{{Path: filepath.Join(dir, "agents"), Scope: definition.Extension, Extension: e.Name}}) {
		s.Home = e.Dir
		v.Starts = append(v.Starts, s.Entry(env))
	}
	v.extension(e)
	v.extensionFiles(root.FS(), ".")
	for _, p := range e.Problems {
		v.Unread = append(v.Unread, p.String())
	}
	return v, nil
}

// commandHooks adds the hooks in settings.
func (v *Inventory) commandHooks(s settings.Settings, outside []string) {
	for _, h := range hooks.Configured(s).Hooks {
		e := h.Entry()
		e.Unseen, e.Outside = shellcmd.Indirect(h.Command, v.Folder, h.Env), slices.Contains(outside, h.Command)
		v.Starts = append(v.Starts, e)
	}
}

// extensions adds the extensions of a folder.
func (v *Inventory) extensions(l extension.List) {
	for _, e := range l.Extensions {
		v.extension(e)
		v.Extensions = append(v.Extensions, v.within(e.Dir))
		for _, p := range e.Problems {
			v.Unread = append(v.Unread, p.String())
		}
	}
	for _, p := range l.Problems {
		v.Unread = append(v.Unread, p.String())
	}
}

// extension adds what an extension configures by itself.
func (v *Inventory) extension(e extension.Extension) {
	says := e.Name + " " + e.Version
	if len(e.Exclude) > 0 {
		says += "; excludes the tools " + namesOf(e.Exclude)
	}
	v.Items = append(v.Items, Item{"extension", v.within(e.Dir), says})
	for _, name := range e.Context {
		v.Items = append(v.Items, Item{What: "context", Path: v.within(filepath.Join(e.Dir, filepath.FromSlash(name)))})
	}
}

// extensionFiles adds the commands, skills and agents in the folder of an extension.
func (v *Inventory) extensionFiles(dir fs.FS, at string) {
	v.below(dir, "command", path.Join(at, "commands"), func(name string) bool { return strings.HasSuffix(name, ".toml") })
	v.below(dir, "agent", path.Join(at, "agents"), func(name string) bool { return strings.HasSuffix(name, ".md") })
	v.below(dir, "skill", path.Join(at, "skills"), func(name string) bool { return path.Base(name) == "SKILL.md" })
}

// geminiOf returns the folder of Gemini CLI's user settings, which is no project's.
func geminiOf(env func(string) string) string {
	if env == nil {
		return ""
	}
	for _, variable := range []string{"HOME", "USERPROFILE"} {
		if home := env(variable); home != "" {
			return filepath.Join(home, own.Gemini)
		}
	}
	return ""
}
