package editors

import (
	"bytes"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// helix reads which languages emendo serves.
func helix(m Machine, e *Editor) {
	file := filepath.Join(m.config(), "helix", "languages.toml")
	if m.OS == "windows" {
		file = filepath.Join(m.roaming(), "helix", "languages.toml")
	}
	var c struct {
		Servers map[string]struct {
			Command string
			Config  any
		} `toml:"language-server"`
		Languages []struct {
			Name    string
			Servers []any `toml:"language-servers"` // names, or tables with a name
		} `toml:"language"`
	}
	text := read(file)
	if err := toml.Unmarshal(text, &c); err != nil {
		if bytes.Contains(text, []byte("emendo")) {
			e.lacks("fix the file; hx --health shows the error", "%s cannot be read: %v", m.shown(file), err)
		}
		return
	}
	for _, name := range slices.Sorted(maps.Keys(c.Servers)) {
		s := c.Servers[name]
		if !isEmendo(s.Command) {
			continue
		}
		var languages []string
		for _, l := range c.Languages {
			if slices.ContainsFunc(l.Servers, func(s any) bool { return s == name || named(s, name) }) {
				languages = append(languages, l.Name)
			}
		}
		if languages == nil {
			e.lacks(`add language-servers = ["`+name+`"] to a [[language]]`, "%s defines emendo, but no language uses it", m.shown(file))
			return
		}
		config, _ := s.Config.(map[string]any)
		switch {
		case !e.starts(m, s.Command, m.shown(file)):
		case config["showDocument"] != true:
			e.lacks("add config = { showDocument = true } to [language-server."+name+"]", "it serves %s, but Helix opens no files for it", strings.Join(languages, ", "))
		default:
			e.setUp("it serves %s", strings.Join(languages, ", "))
			if !slices.Contains(languages, "markdown") {
				e.Fix = "add " + name + " to the language-servers of markdown, for chat documents"
			}
		}
		return
	}
}

// named reports whether a table has the name.
func named(table any, name string) bool {
	t, _ := table.(map[string]any)
	return t["name"] == name
}

// emacs looks for emendo in the files that Emacs, Doom and Spacemacs start with.
func emacs(m Machine, e *Editor) {
	homes := []string{m.Home}
	if m.OS == "windows" { // where HOME is not set
		homes = append(homes, m.roaming())
	}
	var files []string
	for _, home := range homes {
		files = append(files, filepath.Join(home, ".emacs"), filepath.Join(home, ".emacs.el"), filepath.Join(home, ".spacemacs"))
		for _, dir := range []string{filepath.Join(home, ".emacs.d"), filepath.Join(home, ".doom.d")} {
			files = append(files, configured(dir, ".el")...)
		}
	}
	for _, dir := range []string{"emacs", "doom"} {
		files = append(files, configured(filepath.Join(m.config(), dir), ".el")...)
	}
	if file := mentions(";", files...); file != "" {
		e.setUp("%s mentions emendo", m.shown(file))
	}
}

// kate reads which languages emendo serves, and whether the plugin is disabled.
func kate(m Machine, e *Editor) {
	dir, rc := filepath.Join(m.config(), "kate"), filepath.Join(m.config(), "katerc")
	switch m.OS {
	case "darwin":
		dir, rc = filepath.Join(m.library(), "kate"), filepath.Join(m.Home, "Library", "Preferences", "katerc")
	case "windows":
		dir, rc = filepath.Join(m.local(), "kate"), filepath.Join(m.local(), "katerc")
	}
	var c struct {
		Servers map[string]struct {
			Command any    // a list, or one line
			Use     string // the name of another one
		}
	}
	file := filepath.Join(dir, "lspclient", "settings.json")
	readJSON(file, &c)
	var languages []string
	command := ""
	for name, s := range c.Servers {
		if other, ok := c.Servers[s.Use]; ok {
			s = other
		}
		if program := first(s.Command); isEmendo(program) && name != "emendo" { // which is no language
			languages, command = append(languages, name), program
		}
	}
	if languages == nil {
		return
	}
	for line := range bytes.Lines(read(rc)) {
		if strings.TrimSpace(string(line)) == "lspclientplugin=false" {
			e.lacks("enable LSP Client in Settings > Configure Kate > Plugins", "emendo is configured, but Kate's plugin LSP Client is disabled")
			return
		}
	}
	if e.starts(m, command, m.shown(file)) {
		slices.Sort(languages)
		e.setUp("it serves %s", strings.Join(languages, ", "))
	}
}

// first returns the program of a command, which is a list or one line.
func first(command any) string {
	switch c := command.(type) {
	case string:
		program, _, _ := strings.Cut(c, " ")
		return program
	case []any:
		if len(c) > 0 {
			program, _ := c[0].(string)
			return program
		}
	}
	return ""
}

// sublime reads whether emendo is enabled, and whether the package LSP is installed.
func sublime(m Machine, e *Editor) {
	dir := filepath.Join(m.config(), "sublime-text")
	switch m.OS {
	case "darwin":
		dir = filepath.Join(m.library(), "Sublime Text")
	case "windows":
		dir = filepath.Join(m.roaming(), "Sublime Text")
	}
	var c struct {
		Clients map[string]struct {
			Enabled bool
			Command []string
		}
	}
	file := filepath.Join(dir, "Packages", "User", "LSP.sublime-settings")
	readJSON(file, &c)
	for _, name := range slices.Sorted(maps.Keys(c.Clients)) {
		client := c.Clients[name]
		if len(client.Command) == 0 || !isEmendo(client.Command[0]) {
			continue
		}
		switch {
		case !exists(filepath.Join(dir, "Installed Packages", "LSP.sublime-package")) && !exists(filepath.Join(dir, "Packages", "LSP")):
			e.lacks("run Package Control: Install Package, and choose LSP", "emendo is configured, but the package LSP is not installed")
		case !client.Enabled:
			e.lacks(`set "enabled": true there`, "%s is not enabled in %s", name, m.shown(file))
		case e.starts(m, client.Command[0], m.shown(file)):
			e.setUp("%s has it", m.shown(file))
		}
		return
	}
}
