package reach

import (
	"path/filepath"

	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/sandbox"
)

// editorSettings lists the folders in a home folder from which editors take the user's
// settings, and with them what they run.
var editorSettings = []string{
	".vscode", ".vscode-server", ".vscode-oss", ".vscode-insiders", ".cursor", ".windsurf", ".local/share/code-server",
	".config/Code", ".config/Code - Insiders", ".config/Code - OSS", ".config/VSCodium", ".config/Cursor", ".config/Windsurf",
	"Library/Application Support/Code", "Library/Application Support/Code - Insiders", "Library/Application Support/VSCodium", "Library/Application Support/Cursor",
	".vim", ".config/vim", ".config/nvim", ".local/share/nvim", ".emacs.d", ".config/emacs", ".doom.d", ".config/doom", ".config/helix", ".config/zed", "Library/Application Support/Zed",
	".config/sublime-text", "Library/Application Support/Sublime Text", ".config/JetBrains", "Library/Application Support/JetBrains", ".config/kate", ".config/kakoune", ".config/micro",
}

// A Neighbourhood is what decides on a machine what runs, besides a workspace.
type Neighbourhood struct {
	Home    string   // the user's home folder
	Own     []string // emendo's own folders, present or not
	Environ []string // the environment with the search path
}

// Unsafe returns why no command runs unasked in a workspace of these folders, in a sentence:
// it contains something that decides what runs, or what emendo may do, elsewhere. It is empty
// if it contains none of that.
func (n Neighbourhood) Unsafe(folders []string) string {
	contains := func(what, path string) string {
		if path == "" {
			return ""
		}
		for _, folder := range folders {
			if paths.Within(filepath.Clean(path), folder) || paths.Within(paths.Resolve(path), folder) {
				return "The workspace contains " + what + ", " + path + ", so commands that change something need approval here."
			}
		}
		return ""
	}
	if why := contains("your home folder", n.Home); why != "" {
		return why
	}
	for _, own := range n.Own {
		if why := contains("a folder of emendo's own", own); why != "" {
			return why
		}
	}
	for _, folder := range sandbox.SearchPath(n.Environ) {
		if filepath.IsAbs(folder) && !sandbox.OfProject(folder) {
			if why := contains("a folder of programs in PATH", folder); why != "" {
				return why
			}
		}
	}
	for _, name := range editorSettings {
		if path := filepath.Join(n.Home, name); n.Home != "" && paths.Exists(path) {
			for _, folder := range folders {
				if paths.Within(folder, paths.Resolve(path)) {
					return "The workspace is in the settings of an editor, " + path + ", so commands that change something need approval here."
				}
			}
			if why := contains("the settings of an editor", path); why != "" {
				return why
			}
		}
	}
	return ""
}
