//go:build editors

package e2e

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// Names of files and folders are taken as they are: `$HOME` in one is no variable, and
// a `~` at its beginning no home folder.
func TestNamesAreNotVariables(t *testing.T) {
	const png = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	files := map[string]string{
		"$HOME.go": "package parking\n\nfunc home() {\n}\n", "~root.go": "package parking\n\nvar root int\n", "main.go": "package parking\n",
		"$HOME/$USER.go": "package home\n\nvar user int\n", "$HOME.png": png,
	}
	w := newWorld(t, files,
		geminitest.Say("See $HOME.go:3 and ~root.go:3 and $HOME/$USER.go:3.\n\n`$HOME.go`\n\n```go\nfunc home() {\n\treturn\n}\n```\n"),
		geminitest.Do(call("write_file", map[string]string{"file_path": "$HOME/~new $USER.go", "content": "package home\n"})), geminitest.Say("Made."))
	w.write("../$HOME/.git/HEAD", "ref: refs/heads/main\n")
	w.write("../$HOME/lot.go", "package lot\n")
	e := w.start("main.go")
	e.lua(`vim.cmd.edit(vim.fn.fnameescape(vim.uv.cwd() .. "/$HOME.go"))`)
	e.keys(":3Emendo ask Where?<CR>")
	e.waitForAnswer("See $HOME.go:3")
	at := func(file string) {
		t.Helper()
		e.waitUntil("it is at line 3 of "+file, `vim.api.nvim_buf_get_name(0) == vim.uv.cwd() .. "/" .. ... and vim.api.nvim_win_get_cursor(0)[1] == 3`, file)
	}
	for _, place := range []struct{ text, file string }{
		{"See \\zs$HOME.go:3", "$HOME.go"}, {"\\~root.go", "~root.go"}, {"$HOME/", "$HOME/$USER.go"},
	} {
		e.inPanel()
		e.lua(`vim.fn.cursor(1, 1); vim.fn.search("\\V" .. ..., "cW")`, strings.ReplaceAll(place.text, `\~`, "~"))
		e.keys("gf")
		at(place.file)
	}
	e.keys("gg")
	e.inPanel()
	e.keys("gg/→<CR><CR>")
	at("$HOME.go")

	e.inPanel()
	e.keys("gg]cga")
	e.waitForPending(1)
	e.keys(":Emendo accept_all<CR>")
	e.waitForPending(0)
	e.waitForBuffer("/$HOME.go", "package parking\n\nfunc home() {\n\treturn\n}\n")
	e.keys(":Emendo paste $HOME.png<CR>")
	e.waitFor("$HOME.png (1 KB)")
	e.keys(":Emendo detach<CR>")

	e.lua(`require("emendo").ask({ prompt = "Make it." })`)
	e.waitForPending(1)
	e.keys(":Emendo next<CR>:Emendo accept<CR>")
	e.waitForAnswer("Made.")
	e.waitForPending(0)
	if got := w.read("$HOME/~new $USER.go"); got != "package home\n" {
		t.Errorf("the new file is %q", got)
	}

	e.lua(`vim.api.nvim_set_current_win(require("emendo.server.file_window").current())`)
	e.lua(`vim.cmd.edit(vim.fn.fnameescape(vim.fs.dirname(vim.uv.cwd()) .. "/$HOME/lot.go"))`)
	e.keys(":Emendo folder<CR>")
	e.waitUntil("the project is found", `require("emendo.server.workspace").all()[2] == vim.fs.dirname(vim.uv.cwd()) .. "/$HOME"`)
	w.checkAllDeclared()
}
