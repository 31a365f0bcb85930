//go:build editors

package e2e

import (
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// windows lists the windows of the tab page with their buffers and sizes.
const windows = `(function()
	local all = {}
	for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
		local buf = vim.api.nvim_win_get_buf(win)
		local name = vim.bo[buf].buftype == "quickfix" and "quickfix" or vim.fs.basename(vim.api.nvim_buf_get_name(buf))
		table.insert(all, ("%s %dx%d"):format(name, vim.api.nvim_win_get_width(win), vim.api.nvim_win_get_height(win)))
	end
	return table.concat(all, ", ")
end)()`

// Common window commands, in any window of the panel, leave it as it is or close it
// completely. It can be opened again.
func TestThePanelSurvivesWindowCommands(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("It is a tariff."))
	e := w.start("fee.go")
	e.keys(":set laststatus=2 showtabline=1<CR>\\ee")
	e.sendPrompt("What is it?")
	e.waitFor("It is a tariff.")
	e.keys("<Esc>")
	full := value[string](e, "return "+windows)
	for _, tt := range []struct{ in, keys, want string }{
		{"prompt", ":edit fee.go<CR>", full},
		{"panel", ":edit fee.go<CR>", full},
		{"prompt", ":vsplit<CR>", full},
		{"panel", ":split<CR>", full},
		{"prompt", ":copen<CR>:cclose<CR>", full},
		{"panel", ":copen<CR>:wincmd p<CR>:cclose<CR>", full},
		{"fee.go", ":vsplit<CR>:close<CR>", full},
		{"fee.go", ":copen<CR>:close<CR>", full},
		{"prompt", ":vsplit fee.go<CR>:close<CR>", full},
		{"prompt", ":bdelete<CR>", ""},
		{"panel", ":bdelete<CR>", ""},
		{"prompt", ":q<CR>", ""},
		{"panel", ":q<CR>", ""},
	} {
		e.lua(`vim.api.nvim_set_current_win(vim.fn.bufwinid(...))`, tt.in)
		e.keys("<C-\\><C-n>" + tt.keys)
		if tt.want == "" {
			e.waitUntil("the panel is closed after "+tt.keys+" in "+tt.in, `#vim.api.nvim_tabpage_list_wins(0) == 1`)
			e.keys("<C-\\><C-n>\\ee<Esc>")
		}
		e.waitUntil("the windows are in order after "+tt.keys+" in "+tt.in+": "+full, windows+" == ...", full)
		e.waitFor("It is a tariff.")
	}

	e.keys("<C-\\><C-n>:copen<CR>")
	e.waitUntil("the list is below all windows", windows+`:find("quickfix 132x10", 1, true)`)
	e.keys(":cclose<CR>")
	e.lua(`vim.api.nvim_set_current_win(require("emendo.panel.prompt").window())`)
	e.keys("ia draft<Esc>:%bd<CR>")
	e.waitUntil("all is closed", `#vim.api.nvim_tabpage_list_wins(0) == 1 and not vim.wo.winfixbuf`)
	e.keys(":edit fee.go<CR>\\ee<Esc>")
	e.waitUntil("the windows are in order", windows+" == ...", full)
	e.waitFor("It is a tariff.")
	e.waitForBuffer("emendo://prompt", "a draft\n")
}

// :Emendo log in the prompt opens the log in a window for files.
func TestTheLogIsShownWhereFilesAre(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("It is a tariff."))
	e := w.start("fee.go")
	e.keys("\\ee")
	e.sendPrompt("What is it?")
	e.waitFor("It is a tariff.")
	e.keys("<Esc>:Emendo log<CR>")
	e.waitUntil("the log is shown beside the panel", `vim.api.nvim_buf_get_name(0):find("log") and require("emendo.panel").window() and vim.api.nvim_get_current_win() ~= require("emendo.panel.prompt").window()`)
	e.waitUntil("the cursor is at its end", `vim.api.nvim_win_get_cursor(0)[1] == vim.api.nvim_buf_line_count(0) and vim.api.nvim_buf_line_count(0) > 1`)
}

// A session file restores the windows of the panel.
func TestASessionFileBringsThePanelBack(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("It is a tariff."))
	e := w.start("fee.go")
	e.keys("\\ee<Esc>:mksession s.vim<CR>")
	e.waitUntil("it is written", `vim.fn.filereadable("s.vim") == 1`)
	e.quit()
	e = w.start()
	e.keys(":silent source s.vim<CR>")
	e.waitUntil("the panel is there", `require("emendo.panel").window() and #vim.api.nvim_tabpage_list_wins(0) == 3`)
	e.keys("\\ee\\ee")
	e.sendPrompt("What is it?")
	e.waitFor("It is a tariff.")
}
