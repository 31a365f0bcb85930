package editors

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// printed is the version that every editor prints unless a case says otherwise.
var printed = map[string]string{
	"code": "1.106.2\n0123456789\nx64\n", "codium": "1.107.0\n", "code-server": "4.139.1 0123 with Code 1.139.1\n", "nvim": "NVIM v0.10.4\nBuild type: Release\n",
	"hx": "helix 25.01.1 (e7ac2fcd)\n", "emacs": "GNU Emacs 30.1\n", "zed": "Zed 0.190.6 1234\n", "kate": "kate 25.04.2\n", "subl": "Sublime Text Build 4200\n",
	"vim": "VIM - Vi IMproved 9.1 (2024 Jan 02, compiled)\n", "code.cmd": "1.106.2\n", "hx.exe": "helix 25.07\n",
}

// coc is a configuration of coc.nvim that starts emendo.
const coc = `{
  // comments are allowed
  "languageserver": {"emendo": {"command": "emendo", "args": ["lsp"], "filetypes": ["python"]}},
}`

func TestFind(t *testing.T) {
	for _, c := range []struct {
		name   string
		os     string            // linux if empty
		files  map[string]string // in the home folder; those under bin/ are programs on the search path
		prints map[string]string // what programs print instead
		env    map[string]string // HOME is the home folder
		want   []string          // NAME VERSION: how it is set up, or what is missing → the fix
	}{
		{name: "nothing"},
		{
			name:  "an editor without emendo",
			files: map[string]string{"bin/hx": "", "bin/vim": "", ".vimrc": "set number\n\" emendo: not yet\n"},
			want:  []string{"Helix 25.01.1: not set up → see docs/helix.md", "Vim 9.1: not set up → see docs/vim.md"},
		},
		{
			name:   "an editor that does not print a version",
			files:  map[string]string{"bin/kate": ""},
			prints: map[string]string{"kate": "could not connect to display\n"},
			want:   []string{"Kate: not set up → see docs/kate.md"},
		},
		{
			name:  "a program in a usual place",
			files: map[string]string{".local/bin/hx": ""},
			want:  []string{"Helix 25.01.1: not set up → see docs/helix.md"},
		},
		{
			name:   "an old editor",
			files:  map[string]string{"bin/emacs": "", ".emacs": "(load \"emendo\")\n"},
			prints: map[string]string{"emacs": "GNU Emacs 29.4\n"},
			want:   []string{"Emacs 29.4: emendo needs Emacs 30 or later → update Emacs"},
		},
		{
			name:   "an old editor without emendo",
			files:  map[string]string{"bin/emacs": ""},
			prints: map[string]string{"emacs": "GNU Emacs 29.4\n"},
			want:   []string{"Emacs 29.4: not set up → see docs/emacs.md"},
		},
		{
			name: "VS Code with the extension",
			files: map[string]string{
				"bin/code": "", ".vscode/extensions/.obsolete": `{"emendo.emendo-0.1.0": true}`,
				".vscode/extensions/emendo.emendo-0.1.0/package.json": "{}", ".vscode/extensions/emendo.emendo-0.2.0-linux-x64/package.json": "{}",
			},
			want: []string{"VS Code 1.106.2: version 0.2.0 of the extension is installed"},
		},
		{
			name:  "VS Code whose extension was removed",
			files: map[string]string{"bin/code": "", ".vscode/extensions/.obsolete": `{"emendo.emendo-0.1.0": true}`, ".vscode/extensions/emendo.emendo-0.1.0/package.json": "{}"},
			want:  []string{"VS Code 1.106.2: not set up → see docs/vscode.md"},
		},
		{
			name: "VSCodium and code-server",
			files: map[string]string{
				"bin/codium": "", "bin/code-server": "",
				".vscode-oss/extensions/emendo.emendo-0.2.0/package.json": "{}", ".local/share/code-server/extensions/emendo.emendo-0.2.0/package.json": "{}",
			},
			prints: map[string]string{"code-server": "4.9.0 0123 with Code 1.73.1\n"},
			want: []string{
				"VSCodium 1.107.0: version 0.2.0 of the extension is installed",
				"code-server 1.73.1: emendo needs code-server 1.106.0 or later → update code-server",
			},
		},
		{
			name: "Neovim with the plugin in a package",
			files: map[string]string{
				"bin/nvim": "", ".local/share/nvim/site/pack/emendo/start/emendo/lua/emendo/init.lua": "", ".config/nvim/lua/mine.lua": "require('emendo').setup({})\n",
			},
			want: []string{"Neovim 0.10.4: the plugin is in ~/.local/share/nvim/site/pack/emendo/start/emendo"},
		},
		{
			name: "Neovim with the plugin and no keys",
			files: map[string]string{
				"bin/nvim": "", ".local/share/nvim/lazy/emendo/lua/emendo/init.lua": "", ".config/nvim/init.lua": "-- emendo\n",
			},
			want: []string{`Neovim 0.10.4: the plugin is installed, but has no keys → write require("emendo").setup({}) into ~/.config/nvim/init.lua`},
		},
		{
			name:  "Neovim with a link to a clone that is gone",
			files: map[string]string{"bin/nvim": "", ".local/share/nvim/site/pack/emendo/start/emendo": "-> ~/gone/editors/neovim"},
			want:  []string{"Neovim 0.10.4: ~/.local/share/nvim/site/pack/emendo/start/emendo is a link to a folder that does not exist → link it to the folder editors/neovim of your clone"},
		},
		{
			name:  "Neovim with a folder in its configuration, under another name",
			files: map[string]string{"bin/nvim": "", "configs/mine/init.lua": `{ dir = "~/src/emendo/editors/neovim", opts = {} }` + "\n"},
			env:   map[string]string{"XDG_CONFIG_HOME": "~/configs", "NVIM_APPNAME": "mine"},
			want:  []string{"Neovim 0.10.4: ~/configs/mine/init.lua mentions emendo"},
		},
		{
			name: "Helix",
			files: map[string]string{"bin/hx": "", "bin/emendo": "", ".config/helix/languages.toml": `
[language-server.assistant]
command = "emendo"
args = ["lsp"]
config = { showDocument = true }
[[language]]
name = "go"
language-servers = ["gopls", "assistant"]
[[language]]
name = "markdown"
language-servers = [{ name = "assistant", except-features = ["hover"] }]
`},
			want: []string{"Helix 25.01.1: it serves go, markdown"},
		},
		{
			name: "Helix without chat documents",
			files: map[string]string{"bin/hx": "", "bin/emendo": "", ".config/helix/languages.toml": `
language-server.emendo = { command = "emendo", config = { showDocument = true } }
language = [{ name = "go", language-servers = ["emendo"] }]
`},
			want: []string{"Helix 25.01.1: it serves go → add emendo to the language-servers of markdown, for chat documents"},
		},
		{
			name: "Helix that opens no files",
			files: map[string]string{"bin/hx": "", "bin/emendo": "", ".config/helix/languages.toml": `
language-server.emendo = { command = "emendo" }
language = [{ name = "go", language-servers = ["emendo"] }]
`},
			want: []string{"Helix 25.01.1: it serves go, but Helix opens no files for it → add config = { showDocument = true } to [language-server.emendo]"},
		},
		{
			name: "Helix without a language",
			files: map[string]string{"bin/hx": "", "bin/emendo": "", ".config/helix/languages.toml": `
[language-server.emendo]
command = "emendo"
`},
			want: []string{`Helix 25.01.1: ~/.config/helix/languages.toml defines emendo, but no language uses it → add language-servers = ["emendo"] to a [[language]]`},
		},
		{
			name: "Helix, and emendo is not on the search path",
			files: map[string]string{"bin/hx": "", ".config/helix/languages.toml": `
language-server.emendo.command = "emendo"
[[language]]
name = "go"
language-servers = ["emendo"]
`},
			want: []string{"Helix 25.01.1: ~/.config/helix/languages.toml starts emendo, which is not on PATH → put the folder of emendo on the PATH that the editor starts with, or write the full path of emendo into ~/.config/helix/languages.toml"},
		},
		{
			name:  "Helix with a broken file",
			files: map[string]string{"bin/hx": "", ".config/helix/languages.toml": "[language-server.emendo\n"},
			want:  []string{"Helix 25.01.1: ~/.config/helix/languages.toml cannot be read: … → fix the file; hx --health shows the error"},
		},
		{
			name:  "Emacs with Doom",
			files: map[string]string{"bin/emacs": "", ".config/doom/config.el": "(add-to-list 'eglot-server-programs '(prog-mode . (\"emendo\" \"lsp\")))\n"},
			want:  []string{"Emacs 30.1: ~/.config/doom/config.el mentions emendo"},
		},
		{
			name:  "Emacs with a file that init.el loads",
			files: map[string]string{"bin/emacs": "", ".emacs.d/init.el": "(load \"lisp/tools\")\n", ".emacs.d/lisp/tools.el": "(require 'emendo)\n", ".emacs.d/elpa/other/emendo.el": "emendo"},
			want:  []string{"Emacs 30.1: ~/.emacs.d/lisp/tools.el mentions emendo"},
		},
		{
			name: "Zed with both",
			files: map[string]string{
				"bin/zed": "", "bin/emendo": "", ".local/share/zed/extensions/installed/emendo/extension.toml": "",
				".config/zed/settings.json": `{"agent_servers": {"emendo": {"command": "emendo", "args": ["acp"]}, /* mine */ }}`,
			},
			want: []string{"Zed 0.190.6: the extension is installed, and the agent emendo is emendo"},
		},
		{
			name:  "Zed with a program that is gone",
			files: map[string]string{"bin/zed": "", ".config/zed/settings.json": `{"agent_servers": {"mine": {"command": "/nonexistent/emendo"}}}`},
			want:  []string{"Zed 0.190.6: ~/.config/zed/settings.json starts /nonexistent/emendo, which does not exist → correct the path in ~/.config/zed/settings.json"},
		},
		{
			name: "Kate",
			files: map[string]string{
				"bin/kate": "", "bin/emendo": "",
				".config/kate/lspclient/settings.json": `{"servers": {"python": {"command": ["emendo", "lsp"]}, "go": {"command": "emendo lsp"}, "c": {"command": ["clangd"]}}}`,
			},
			want: []string{"Kate 25.04.2: it serves go, python"},
		},
		{
			name: "Kate with one server for its languages",
			files: map[string]string{
				"bin/kate": "", "bin/emendo": "",
				".config/kate/lspclient/settings.json": `{"servers": {"emendo": {"command": ["emendo", "lsp"]}, "python": {"use": "emendo"}, "go": {"use": "emendo"}, "c": {"use": "clang"}}}`,
			},
			want: []string{"Kate 25.04.2: it serves go, python"},
		},
		{
			name: "Kate whose plugin is disabled",
			files: map[string]string{
				"bin/kate": "", "bin/emendo": "", ".config/katerc": "[Kate Plugins]\nlspclientplugin=false\n",
				".config/kate/lspclient/settings.json": `{"servers": {"python": {"command": ["emendo", "lsp"]}}}`,
			},
			want: []string{"Kate 25.04.2: emendo is configured, but Kate's plugin LSP Client is disabled → enable LSP Client in Settings > Configure Kate > Plugins"},
		},
		{
			name: "Sublime Text",
			files: map[string]string{
				"bin/subl": "", "bin/emendo": "", ".config/sublime-text/Installed Packages/LSP.sublime-package": "",
				".config/sublime-text/Packages/User/LSP.sublime-settings": `{"clients": {"emendo": {"enabled": true, "command": ["emendo", "lsp"], "selector": "source"}}, }`,
			},
			want: []string{"Sublime Text 4200: ~/.config/sublime-text/Packages/User/LSP.sublime-settings has it"},
		},
		{
			name: "Sublime Text without LSP",
			files: map[string]string{
				"bin/subl": "", ".config/sublime-text/Packages/User/LSP.sublime-settings": `{"clients": {"emendo": {"enabled": true, "command": ["emendo", "lsp"]}}}`,
			},
			want: []string{"Sublime Text 4200: emendo is configured, but the package LSP is not installed → run Package Control: Install Package, and choose LSP"},
		},
		{
			name: "Sublime Text, not enabled",
			files: map[string]string{
				"bin/subl": "", ".config/sublime-text/Packages/LSP/boot.py": "",
				".config/sublime-text/Packages/User/LSP.sublime-settings": `{"clients": {"emendo": {"command": ["emendo", "lsp"]}}}`,
			},
			want: []string{`Sublime Text 4200: emendo is not enabled in ~/.config/sublime-text/Packages/User/LSP.sublime-settings → set "enabled": true there`},
		},
		{
			name:  "Vim with coc.nvim",
			files: map[string]string{"bin/vim": "", "bin/emendo": "", ".vim/coc-settings.json": coc},
			want:  []string{"Vim 9.1: coc.nvim starts it, by ~/.vim/coc-settings.json"},
		},
		{
			name:  "Vim with vim-lsp",
			files: map[string]string{"bin/vim": "", ".vim/vimrc": "call lsp#register_server(#{name: 'emendo', cmd: ['emendo', 'lsp']})\n"},
			want:  []string{"Vim 9.1: ~/.vim/vimrc mentions emendo"},
		},
		{
			name: "macOS", os: "darwin",
			files: map[string]string{
				"Applications/Visual Studio Code.app/Contents/Resources/app/bin/code": "", "Applications/Zed.app/Contents/MacOS/cli": "",
				".vscode/extensions/emendo.emendo-0.2.0/package.json": "{}", "Library/Application Support/Zed/extensions/installed/emendo/extension.toml": "",
			},
			prints: map[string]string{"cli": "Zed 0.190.6 1234\n"},
			want:   []string{"VS Code 1.106.2: version 0.2.0 of the extension is installed", "Zed 0.190.6: the extension is installed"},
		},
		{
			name: "Windows", os: "windows",
			files: map[string]string{
				"AppData/Local/Programs/Microsoft VS Code/bin/code.cmd": "", "AppData/Local/Programs/Helix/hx.exe": "", "bin/emendo": "",
				"AppData/Roaming/helix/languages.toml": "language-server.emendo = { command = \"emendo\", config = { showDocument = true } }\n[[language]]\nname = \"markdown\"\nlanguage-servers = [\"emendo\"]\n",
			},
			want: []string{"VS Code 1.106.2: not set up → see docs/vscode.md", "Helix 25.07: it serves markdown"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := t.TempDir()
			for name, text := range c.files {
				write(t, home, name, text)
			}
			m := Machine{OS: c.os, Home: home, Root: filepath.Join(home, "root"), Path: []string{filepath.Join(home, "bin")}}
			if m.OS == "" {
				m.OS = "linux"
			}
			m.Env = func(name string) string {
				value := c.env[name]
				if rest, ok := strings.CutPrefix(value, "~/"); ok {
					return filepath.Join(home, rest)
				}
				return value
			}
			m.Version = func(_ context.Context, program string) (string, error) {
				name := filepath.Base(program)
				if text, ok := c.prints[name]; ok {
					return text, nil
				}
				if text, ok := printed[name]; ok {
					return text, nil
				}
				return "", errors.New("it failed")
			}
			var got []string
			for _, e := range Find(t.Context(), m) {
				got = append(got, shown(e))
			}
			if diff := cmp.Diff(got, c.want); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// reason matches the error of a parser.
var reason = regexp.MustCompile(`cannot be read: .* →`)

// shown returns an editor in one line.
func shown(e Editor) string {
	text := strings.TrimSpace(e.Name+" "+e.Version) + ": "
	switch {
	case e.Problem != "":
		text += e.Problem
	case e.SetUp:
		text += e.How
	default:
		text += "not set up"
	}
	if e.Fix != "" {
		text += " → " + e.Fix
	}
	return reason.ReplaceAllString(text, "cannot be read: … →")
}

// write writes a file, or the link that its text describes.
func write(t *testing.T, home, name, text string) {
	t.Helper()
	path := filepath.Join(home, filepath.FromSlash(name))
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err != nil {
		t.Fatal(err)
	}
	if target, ok := strings.CutPrefix(text, "-> ~/"); ok {
		err = os.Symlink(filepath.Join(home, target), path)
	} else {
		err = os.WriteFile(path, []byte(text), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A program that must not be started is neither asked for its version nor reported.
func TestFindAvoids(t *testing.T) {
	home := t.TempDir()
	write(t, home, "project/hx", "")
	m := Machine{
		OS: "linux", Home: home, Root: filepath.Join(home, "root"), Path: []string{filepath.Join(home, "project")}, Env: func(string) string { return "" },
		Version: func(_ context.Context, program string) (string, error) {
			t.Errorf("%s was started", program)
			return "", nil
		},
		Avoid: func(program string) bool { return strings.HasPrefix(program, filepath.Join(home, "project")) },
	}
	if found := Find(t.Context(), m); found != nil {
		t.Errorf("found %v", found)
	}
}

// Every editor has a page, and the version of VS Code is that of the extension's manifest.
func TestKinds(t *testing.T) {
	root := filepath.Join("..", "..", "..", "..")
	for _, k := range kinds() {
		if _, err := os.Stat(filepath.Join(root, "docs", k.page)); err != nil {
			t.Errorf("%s: %v", k.name, err)
		}
	}
	manifest, err := os.ReadFile(filepath.Join(root, "editors", "vscode", "package.json"))
	if err != nil || !strings.Contains(string(manifest), `"vscode": "^`+oldestVSCode+`"`) {
		t.Errorf("the extension does not need VS Code %s: %v", oldestVSCode, err)
	}
}

func TestBefore(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"0.9.5", "0.10", true},
		{"0.10", "0.10", false},
		{"0.10.4", "0.10", false},
		{"25.01.1", "25.01", false},
		{"24.7", "25.01", true},
		{"30", "30", false},
		{"29.4", "30", true},
		{"1.105.9", "1.106.0", true},
		{"2.0", "1.106.0", false},
		{"9", "9.0.1", true},
		{"9", "9.0", false},
		{"1", "", false},
	} {
		if got := before(c.a, c.b); got != c.want {
			t.Errorf("before(%q, %q) is %v", c.a, c.b, got)
		}
	}
}
