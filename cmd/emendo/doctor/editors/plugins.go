package editors

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// extension returns a function that looks for the extension of VS Code in the first of
// the editor's folders that has it. They are in the folder base.
func extension(base func(Machine) string, folders ...string) func(Machine, *Editor) {
	return func(m Machine, e *Editor) {
		var all []string
		for _, f := range folders {
			all = append(all, filepath.Join(base(m), f, "extensions"))
		}
		if own := m.Env("VSCODE_EXTENSIONS"); filepath.IsAbs(own) {
			all = []string{own}
		}
		if e.Name == "code-server" && m.OS == "darwin" {
			all = append(all, filepath.Join(m.library(), "code-server", "extensions"))
		}
		for _, dir := range all {
			var removed map[string]bool // deleted at the next start
			readJSON(filepath.Join(dir, ".obsolete"), &removed)
			for _, path := range glob(dir, "emendo.emendo-*") {
				name := filepath.Base(path)
				if removed[name] || !exists(filepath.Join(path, "package.json")) {
					continue
				}
				version, _, _ := strings.Cut(strings.TrimPrefix(name, "emendo.emendo-"), "-") // behind it the platform
				e.setUp("version %s of the extension is installed", version)
				return
			}
		}
	}
}

// neovim looks for the plugin where Neovim, its packages and lazy.nvim look for plugins,
// and for emendo in the configuration.
func neovim(m Machine, e *Editor) {
	app := m.Env("NVIM_APPNAME")
	if app == "" {
		app = "nvim"
	}
	config, data := filepath.Join(m.config(), app), filepath.Join(m.data(), app)
	if m.OS == "windows" {
		config, data = filepath.Join(m.local(), app), filepath.Join(m.local(), app+"-data")
	}
	mentioned := mentions("--", configured(config, ".lua", ".vim")...)
	for _, pattern := range []string{
		filepath.Join(data, "site", "pack", "*", "start", "*"), filepath.Join(data, "site", "pack", "*", "opt", "*"),
		filepath.Join(config, "pack", "*", "start", "*"), filepath.Join(config, "pack", "*", "opt", "*"),
		filepath.Join(data, "lazy", "*"), filepath.Join(data, "plugged", "*"),
	} {
		for _, dir := range glob(pattern) {
			if _, err := os.Lstat(dir); err == nil && !exists(dir) && strings.Contains(filepath.Base(dir), "emendo") {
				e.lacks("link it to the folder editors/neovim of your clone", "%s is a link to a folder that does not exist", m.shown(dir))
				return
			}
			if !exists(filepath.Join(dir, "lua", "emendo", "init.lua")) {
				continue
			}
			if mentioned == "" {
				e.lacks(`write require("emendo").setup({}) into `+m.shown(filepath.Join(config, "init.lua")), "the plugin is installed, but has no keys")
				return
			}
			e.setUp("the plugin is in %s", m.shown(dir))
			return
		}
	}
	if mentioned != "" {
		e.setUp("%s mentions emendo", m.shown(mentioned))
	}
}

// zed looks for the extension, and for emendo among the agents.
func zed(m Machine, e *Editor) {
	config, data := filepath.Join(m.config(), "zed"), filepath.Join(m.data(), "zed")
	switch m.OS {
	case "darwin":
		config, data = filepath.Join(m.Home, ".config", "zed"), filepath.Join(m.library(), "Zed")
	case "windows":
		config, data = filepath.Join(m.roaming(), "Zed"), filepath.Join(m.local(), "Zed")
	}
	var how []string
	if exists(filepath.Join(data, "extensions", "installed", "emendo")) {
		how = append(how, "the extension is installed")
	}
	var s struct {
		Agents map[string]struct{ Command any } `json:"agent_servers"`
	}
	file := filepath.Join(config, "settings.json")
	readJSON(file, &s)
	for _, name := range slices.Sorted(maps.Keys(s.Agents)) {
		if command, _ := s.Agents[name].Command.(string); isEmendo(command) {
			if !e.starts(m, command, m.shown(file)) {
				return
			}
			how = append(how, "the agent "+name+" is emendo")
			break
		}
	}
	if how != nil {
		e.setUp("%s", strings.Join(how, ", and "))
	}
}

// vim looks for emendo in the configurations of coc.nvim and vim-lsp.
func vim(m Machine, e *Editor) {
	dirs := []string{filepath.Join(m.Home, ".vim"), filepath.Join(m.config(), "vim")}
	files := []string{filepath.Join(m.Home, ".vimrc")}
	if m.OS == "windows" {
		dirs = []string{filepath.Join(m.Home, "vimfiles")}
		files = []string{filepath.Join(m.Home, "_vimrc"), filepath.Join(m.Home, ".vimrc")}
	}
	for _, dir := range dirs {
		files = append(files, configured(dir, ".vim")...)
		files = append(files, filepath.Join(dir, "vimrc"))
		var coc struct {
			Servers map[string]struct{ Command string } `json:"languageserver"`
		}
		file := filepath.Join(dir, "coc-settings.json")
		readJSON(file, &coc)
		for _, s := range coc.Servers {
			if !isEmendo(s.Command) {
				continue
			}
			if e.starts(m, s.Command, m.shown(file)) {
				e.setUp("coc.nvim starts it, by %s", m.shown(file))
			}
			return
		}
	}
	if file := mentions(`"`, files...); file != "" {
		e.setUp("%s mentions emendo", m.shown(file))
	}
}
