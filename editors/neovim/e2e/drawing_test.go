//go:build editors

package e2e

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// Going to a hunk shows all of it, including the lines that it adds below.
func TestGoingToAHunkShowsWhatItAdds(t *testing.T) {
	more := strings.Repeat("\t// Another remark.\n", 6) + "\t// The last remark.\n"
	w := newWorld(t, parking, geminitest.Do(replace([2]string{hours[0], more + hours[1]})), geminitest.Say("Done."))
	e := w.start("fee.go")
	e.resize(90, 24)
	e.lua(`require("emendo").ask({ prompt = "Comment it.", open = false })`)
	e.waitForPending(1)
	e.keys("gg]e")
	e.waitFor("The last remark.")
}

// A hunk below the end of its file, which has become shorter, is gone to as well.
func TestGoingToAHunkBelowTheEnd(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	e.keys("G")
	e.lua(`require("emendo.review.drawing").reveal({ id = "h", state = "pending", row = 100, hunk = { oldText = "", newText = ("new\n"):rep(20) } })`)
	e.waitUntil("the end is shown", `vim.fn.line("w$") == vim.fn.line("$")`)
}

// An added line that is wider than the window wraps.
func TestAddedLinesWrap(t *testing.T) {
	long := "\t// " + strings.Repeat("a remark that goes on ", 12) + "to here.\n"
	w := newWorld(t, parking, geminitest.Do(replace([2]string{hours[0], long + hours[1]})), geminitest.Say("Done."))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "Comment it.", open = false })`)
	e.waitForPending(1)
	e.keys("gg]e")
	e.waitFor("to here.")
	e.keys(":vsplit<CR>")
	e.waitUntil("the windows are split", `#vim.api.nvim_tabpage_list_wins(0) == 2`)
	e.waitFor("to here.")
}

// Removed lines have a background in every colour scheme.
func TestRemovedLinesHaveABackground(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	e.lua(`require("emendo.highlights")`)
	for _, scheme := range []string{"default", "habamax", "quiet"} {
		for _, background := range []string{"dark", "light"} {
			e.keys(":set background=" + background + " | colorscheme " + scheme + "<CR>")
			e.waitUntil("it has one in "+scheme, `vim.g.colors_name == ... and (function()
				local group = vim.api.nvim_get_hl(0, { name = "EmendoDelete", link = false })
				return group.bg or group.reverse
			end)()`, scheme)
		}
	}
}

// The plugin maps no key that would delay one of the user's, and hints only name keys
// that are mapped.
func TestKeysLeaveTheUsersAlone(t *testing.T) {
	w := newWorld(t, parking, geminitest.Do(replace(hours)), geminitest.Say("Done."))
	e := w.start("fee.go")
	e.lua(`vim.keymap.set("n", "<leader>e", "<Cmd>let g:explored = 1<CR>"); vim.keymap.set("n", "]e", "<Cmd>let g:moved = 1<CR>")
		require("emendo").setup({ keys = { reject = "gR" } })`)
	e.keys("\\e")
	e.waitUntil("the user's key works at once", `vim.g.explored == 1`)
	e.keys("]e")
	e.waitUntil("the other one too", `vim.g.moved == 1`)
	e.lua(`require("emendo").ask({ prompt = "Fix it.", open = false })`)
	e.waitForPending(1)
	e.waitFor(":Emendo accept · gR reject")
	e.keys(":Emendo next<CR>:Emendo accept<CR>")
	e.waitForPending(0)
}

// Reloading a file leaves no stale marks.
func TestReadingAFileAgainRemovesStaleEntries(t *testing.T) {
	w := newWorld(t, parking, geminitest.Do(replace(hours)), geminitest.Say("Done."))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "Fix it.", open = false })`)
	e.waitForPending(1)
	e.keys("gg10O// Not saved.<Esc>")
	const drawn = `(function(count)
		local buf = vim.api.nvim_get_current_buf()
		local marks = vim.api.nvim_buf_get_extmarks(buf, vim.api.nvim_get_namespaces()["emendo.hunks"], 0, -1, {})
		local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
		return #lines == count and #marks == 3 and lines[marks[1][2] + 1] == "\thours := minutes / 60"
	end)(...)`
	e.waitUntil("the hunk has moved", drawn, 36)
	e.keys(":e!<CR>")
	e.waitUntil("it is drawn once, where it is", drawn, 26)
}

// Changes made without a question are marked until the next prompt.
func TestAutoEditShowsWhatWasChanged(t *testing.T) {
	w := newWorld(t, parking, geminitest.Do(geminitest.Join(replace(hours), replace(receipt))), geminitest.Say("Done."), geminitest.Say("Again."))
	w.emendo("trust", "add")
	e := w.start("fee.go")
	e.keys(":Emendo mode auto_edit<CR>")
	e.waitFor("the next session has the mode auto_edit")
	e.lua(`require("emendo").ask({ prompt = "Fix it.", open = false })`)
	e.waitForBuffer("fee.go", strings.NewReplacer(hours[0], hours[1], receipt[0], receipt[1]).Replace(parking["fee.go"]))
	e.waitUntil("the turn is over", idle)
	e.waitFor("/ 60 \\en reject")
	e.keys("gg]e")
	e.waitUntil("the first change is shown", `vim.api.nvim_get_current_line():find("hours :=", 1, true)`)
	e.keys("]e")
	e.waitUntil("the second change is shown", `vim.api.nvim_get_current_line():find("renders the ticket", 1, true)`)
	e.keys(":Emendo reject<CR>")
	e.waitForBuffer("fee.go", strings.Replace(parking["fee.go"], hours[0], hours[1], 1))
	e.lua(`require("emendo").ask({ prompt = "And now?", open = false })`)
	e.waitUntil("the change is known", idle+` and #require("emendo.review.changes").hunks({ "applied" }) == 0`)
}

// A hunk shows the language server's verdict on its text.
func TestHunksSayHowTheyWereVerified(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	for _, tt := range []struct{ verification, want string }{
		{`nil`, ""},
		{`{ state = "verified", introduced = 0, resolved = 0 }`, "verified"},
		{`{ state = "problems", introduced = 1, resolved = 0 }`, "1 new error"},
		{`{ state = "problems", introduced = 2, resolved = 0 }`, "2 new errors"},
		{`{ state = "unverified", introduced = 0, resolved = 0, reason = "gopls failed" }`, "not verified: gopls failed"},
		{`{ state = "unverified", introduced = 0, resolved = 0 }`, ""},
		{`{ state = "later", introduced = 0, resolved = 0 }`, ""},
	} {
		e.waitUntil("it says "+tt.want, `require("emendo.review.drawing").verification({ verification = `+tt.verification+` }) == ...`, tt.want)
	}
}
