package editors

import "regexp"

var (
	// number matches a version of two numbers or more.
	number = regexp.MustCompile(`\bv?(\d+(?:\.\d+)+)`)
	// build matches the version of Sublime Text.
	build = regexp.MustCompile(`\bBuild (\d+)`)
	// inside matches the version of VS Code in that of code-server.
	inside = regexp.MustCompile(`\bwith Code (\d+(?:\.\d+)+)`)
)

// oldestVSCode is the oldest version of VS Code that the extension supports, as its
// manifest says.
const oldestVSCode = "1.106.0"

// kinds returns the known editors.
func kinds() []kind {
	return []kind{
		{
			name: "VS Code", page: "vscode.md", programs: []string{"code"}, oldest: oldestVSCode, version: number,
			applications: []string{"Visual Studio Code.app/Contents/Resources/app/bin/code", "Microsoft VS Code/bin/code.cmd"},
			look:         extension(Machine.home, ".vscode", ".vscode-server"),
		},
		{
			name: "VSCodium", page: "vscode.md", programs: []string{"codium", "vscodium"}, oldest: oldestVSCode, version: number,
			applications: []string{"VSCodium.app/Contents/Resources/app/bin/codium", "VSCodium/bin/codium.cmd"},
			look:         extension(Machine.home, ".vscode-oss"),
		},
		{
			name: "code-server", page: "vscode.md", programs: []string{"code-server"}, oldest: oldestVSCode, version: inside,
			look: extension(Machine.data, "code-server"),
		},
		{
			name: "Neovim", page: "neovim.md", programs: []string{"nvim"}, oldest: "0.10", version: number,
			applications: []string{"Neovim/bin/nvim.exe"},
			look:         neovim,
		},
		{
			name: "Helix", page: "helix.md", programs: []string{"hx", "helix"}, oldest: "25.01", version: number,
			applications: []string{"Helix/hx.exe"},
			look:         helix,
		},
		{
			name: "Emacs", page: "emacs.md", programs: []string{"emacs"}, oldest: "30", version: number,
			applications: []string{"Emacs.app/Contents/MacOS/Emacs", "Emacs/emacs-*/bin/emacs.exe"},
			look:         emacs,
		},
		{
			name: "Zed", page: "zed.md", programs: []string{"zed", "zeditor"}, version: number,
			applications: []string{"Zed.app/Contents/MacOS/cli", "Zed/bin/zed.exe"},
			look:         zed,
		},
		{
			name: "Kate", page: "kate.md", programs: []string{"kate"}, version: number,
			applications: []string{"kate.app/Contents/MacOS/kate", "Kate/bin/kate.exe"},
			look:         kate,
		},
		{
			name: "Sublime Text", page: "sublime.md", programs: []string{"subl", "sublime_text"}, oldest: "4000", version: build,
			applications: []string{"Sublime Text.app/Contents/SharedSupport/bin/subl", "Sublime Text/subl.exe"},
			look:         sublime,
		},
		{
			name: "Vim", page: "vim.md", programs: []string{"vim"}, oldest: "9.0", version: number,
			applications: []string{"MacVim.app/Contents/bin/vim", "Vim/vim*/vim.exe"},
			look:         vim,
		},
	}
}
