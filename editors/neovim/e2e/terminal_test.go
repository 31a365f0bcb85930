//go:build editors

package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// inTerminal is a condition: some terminal of the plugin shows a text, which its lines may break.
const inTerminal = `(function(text) return vim.iter(vim.api.nvim_list_bufs()):any(function(buf)
	return vim.bo[buf].buftype == "terminal" and table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false)):find(text, 1, true) ~= nil
end) end)(...)`

// The user works in a shell, of which the model learns nothing, and watches a command in the
// background, which goes on without the view.
func TestTerminals(t *testing.T) {
	const command = `echo begun-$((6 * 7)); until test -e go; do sleep 0.05; done; echo gone-$((6 * 7)); exec sleep 600.625`
	w := newWorld(t, parking, geminitest.Do(geminitest.Call("run_shell_command", `{"command":"`+command+`","is_background":true}`)), geminitest.Say("It runs."))
	w.emendo("trust", "add")
	e := w.start("fee.go")

	e.keys(":Emendo terminal<CR>")
	e.waitUntil("the terminal takes keys", `vim.fn.mode() == "t"`)
	e.keys("echo typed-$((40 + 2))<CR>")
	e.waitUntil("the shell has run it", inTerminal, "typed-42")
	e.keys("stty size<CR>")
	e.waitUntil("the shell knows the size", inTerminal, value[string](e, `return ("%d %d"):format(vim.api.nvim_win_get_height(0), vim.api.nvim_win_get_width(0))`))
	e.keys("exit<CR>")
	e.waitUntil("its end is shown", inTerminal, "The program has ended: exit 0")
	e.keys("<C-\\><C-n>:bwipeout!<CR>")

	e.lua(`require("emendo").ask({ prompt = "Serve it." })`)
	e.waitUntil("there is a question", asking)
	e.lua(`require("emendo").permission("allow_once")`)
	e.waitUntil("the turn is over", idle)
	e.inPanel()
	e.lua(`vim.fn.cursor(1, 1); vim.fn.search("begun", "cW")`)
	e.line("begun")
	e.keys("gm")
	e.choose("terminal")
	e.waitUntil("its output is shown", inTerminal, "begun-42")
	if err := os.WriteFile(filepath.Join(w.dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	e.waitUntil("what it writes is shown", inTerminal, "gone-42")
	e.keys(":bwipeout!<CR>")
	e.waitUntil("the view is gone", "not "+inTerminal, "gone-42")
	if len(sleeping(t)) == 0 {
		t.Error("the command ended with its view")
	}
	for _, r := range w.model.Requests() {
		if bytes.Contains(r.Body, []byte("typed-")) {
			t.Errorf("the model got %s", r.Body)
		}
	}
	w.checkAllDeclared()
	e.quit()
	if pids := sleeping(t); len(pids) > 0 {
		t.Errorf("the processes %v outlive Neovim", pids)
	}
}
