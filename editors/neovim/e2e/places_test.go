//go:build editors

package e2e

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// The panel can float; it closes when the user goes to a file from it.
func TestThePanelFloats(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("It is in fee.go:17."))
	e := w.start("fee.go")
	e.lua(`require("emendo").setup({ panel = { position = "float" } })`)
	e.keys("\\ee")
	e.sendPrompt("What is it?")
	e.waitForAnswer("It is in fee.go:17.")
	e.waitUntil("both windows float", `(function()
		local pair = require("emendo.windows.layout").pair()
		return vim.api.nvim_win_get_config(pair.panel).relative == "editor" and vim.api.nvim_win_get_config(pair.prompt).relative == "editor" and #vim.api.nvim_tabpage_list_wins(0) == 3
	end)()`)
	e.inPanel()
	e.keys(":split<CR>")
	e.waitUntil("there is no third window of it", `#vim.api.nvim_tabpage_list_wins(0) == 3`)
	e.inPanel()
	e.keys("/fee.go:17<CR>gf")
	e.waitUntil("the file is shown, and the float closed", `vim.endswith(vim.api.nvim_buf_get_name(0), "/fee.go") and vim.api.nvim_win_get_cursor(0)[1] == 17 and #vim.api.nvim_tabpage_list_wins(0) == 1`)
	e.keys("\\ee<Esc>:q<CR>")
	e.waitUntil("both are closed", `#vim.api.nvim_tabpage_list_wins(0) == 1 and vim.endswith(vim.api.nvim_buf_get_name(0), "/fee.go")`)
	e.keys("\\ee<Esc>\\ee")
	e.waitUntil("both are closed", `#vim.api.nvim_tabpage_list_wins(0) == 1`)
	e.keys("\\ee<Esc>:only<CR>")
	e.waitUntil("one window is left", `#vim.api.nvim_tabpage_list_wins(0) >= 1`)
	w.checkAllDeclared()
}

// The panel can have a tab page of its own; files are opened in the other one.
func TestThePanelInATabPage(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("It is in fee.go:17."), geminitest.Say("It still is."))
	e := w.start("fee.go")
	e.lua(`require("emendo").setup({ panel = { position = "tab" } })`)
	e.lua(`require("emendo").ask({ prompt = "What is it?" })`)
	e.waitForAnswer("It is in fee.go:17.")
	e.waitUntil("the user is where they were", `#vim.api.nvim_list_tabpages() == 2 and vim.fn.tabpagenr() == 1 and #vim.api.nvim_tabpage_list_wins(0) == 1`)
	e.keys("\\ee")
	e.sendPrompt("And now?")
	e.waitForAnswer("It still is.")
	e.waitUntil("the tab page is shown", `vim.fn.tabpagenr() == 2 and #vim.api.nvim_list_tabpages() == 2 and #vim.api.nvim_tabpage_list_wins(0) == 2`)
	e.inPanel()
	e.keys("gg/fee.go:17<CR>gf")
	e.waitUntil("the file is shown", `vim.fn.tabpagenr() == 1 and vim.api.nvim_win_get_cursor(0)[1] == 17`)
	e.keys("\\ee<Esc>\\ee")
	e.waitUntil("the tab page is closed", `#vim.api.nvim_list_tabpages() == 1 and vim.endswith(vim.api.nvim_buf_get_name(0), "/fee.go")`)
	w.checkAllDeclared()
}

// A session is renamed and exported; going back shows first what it would change.
func TestSessionsAreRenamedAndExported(t *testing.T) {
	w := newWorld(t, parking, geminitest.Do(replace(hours)), geminitest.Say("Fixed."))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "Fix it." })`)
	e.waitForPending(1)
	e.keys(":Emendo accept_all<CR>")
	e.waitForAnswer("Fixed.")
	e.keys(":Emendo rename The hours<CR>")
	e.waitFor("renamed: The hours")
	e.waitUntil("it is renamed", `require("emendo").state().session.title == "The hours"`)
	e.keys(":Emendo rename<CR>")
	e.waitFor("Title: The hours")
	e.keys(" again<CR>")
	e.waitUntil("it is renamed", `require("emendo").state().session.title == "The hours again"`)

	e.keys(":Emendo export<CR>")
	e.waitUntil("it is shown", `vim.bo.filetype == "markdown" and vim.api.nvim_buf_get_name(0):find("^emendo://export/")`)
	e.waitUntil("it has the conversation", `(function()
		local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
		return text:find("Fix it.", 1, true) and text:find("Fixed.", 1, true)
	end)()`)
	e.keys(":w ../told.md<CR>")
	e.waitUntil("it is written", `vim.fn.filereadable("../told.md") == 1`)

	e.keys(":edit fee.go<CR>:Emendo rewind<CR>")
	e.choose("Fix it.")
	e.waitFor("(minutes + 59) / 60") // in the panel, with what would be changed
	e.choose("Leave everything")
	e.waitUntil("nothing is asked any more", `not (`+asking+`)`)
	e.waitForBuffer("fee.go", strings.Replace(parking["fee.go"], hours[0], hours[1], 1))
	w.checkAllDeclared()
}
