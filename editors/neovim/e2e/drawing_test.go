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
	e.lua(`
		local window, rows = require("emendo.session.window"), {}
		require("emendo.review")
		for i = 1, 20 do rows[i] = { "+", "new" } end
		local at = { line = 100, character = 0 }
		local file = { id = "f", kind = "file", look = "modify", title = { text = "fee.go" }, place = { uri = vim.uri_from_bufnr(0) } }
		local hunk = { id = "h", fileId = "f", state = "pending", version = 1, range = { start = at, ["end"] = vim.deepcopy(at) }, label = { text = "+20 −0" }, rows = rows, actions = {} }
		local changes = { { item = file }, { hunk = hunk } }
		require("emendo.server.buffers").paths[vim.api.nvim_get_current_buf()] = require("emendo.server.paths").of_buffer(0)
		window.view:apply(changes)
		require("emendo.events").emit("window", changes)
		require("emendo.review").go_to(hunk)`)
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
	e.waitFor(":Emendo accept · gR Reject")
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

// Changes made without a question are marked until the user keeps or undoes them.
func TestAutoEditShowsWhatWasChanged(t *testing.T) {
	w := newWorld(t, parking, geminitest.Do(geminitest.Join(replace(hours), replace(receipt))), geminitest.Say("Done."), geminitest.Say("Again."))
	w.emendo("trust", "add")
	e := w.start("fee.go")
	e.keys(":Emendo mode auto_edit<CR>")
	e.waitFor("the next session has the mode auto_edit")
	e.lua(`require("emendo").ask({ prompt = "Fix it.", open = false })`)
	e.waitForBuffer("fee.go", strings.NewReplacer(hours[0], hours[1], receipt[0], receipt[1]).Replace(parking["fee.go"]))
	e.waitUntil("the turn is over", idle)
	e.waitFor("/ 60 \\ey Keep · \\en Undo")
	e.keys("gg]e")
	e.waitUntil("the first change is shown", `vim.api.nvim_get_current_line():find("hours :=", 1, true)`)
	e.keys("]e")
	e.waitUntil("the second change is shown", `vim.api.nvim_get_current_line():find("renders the ticket", 1, true)`)
	e.keys(":Emendo reject<CR>")
	e.waitForBuffer("fee.go", strings.Replace(parking["fee.go"], hours[0], hours[1], 1))
	e.lua(`require("emendo").ask({ prompt = "And now?", open = false })`)
	e.waitFor("/ 60 \\ey Keep · \\en Undo")
	e.waitUntil("the turn is over", idle)
	e.keys("gg]e")
	e.waitFor("applied hunk 1 of 1")
	e.keys(":Emendo accept_all<CR>")
	e.waitFor("Kept 1 change.")
	e.waitUntil("it is kept", `#require("emendo.review.changes").hunks({ "unreviewed" }) == 0`)
	e.waitForBuffer("fee.go", strings.Replace(parking["fee.go"], hours[0], hours[1], 1))
	e.waitUntil("nothing is marked", `#vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_get_namespaces()["emendo.hunks"], 0, -1, {}) == 0`)
	w.checkAllDeclared()
}

// Beside a hunk stands what its lines do not show, the keys that decide it, and facts.
func TestWhatStandsBesideAHunk(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	for _, tt := range []struct{ hunk, want string }{
		{`{ state = "pending", label = { text = "+1 −1", code = "hunk.modify" }, actions = { "accept", "reject" }, marks = { { text = { text = ("too long "):rep(9) } } } }`, "\\ey Accept · \\en Reject"},
		{`{ state = "pending", label = { text = "Delete this file", code = "hunk.delete" }, actions = { "accept", "reject" }, marks = { { text = { text = "1 new error" } } } }`, "Delete this file · \\ey Accept · \\en Reject · 1 new error"},
		{`{ state = "pending", label = { text = "+1 −1", code = "hunk.modify" }, actions = { { id = "accept", title = { text = "Accept, with the change that it builds on", short = "Accept" } }, "reject" } }`, "\\ey Accept · \\en Reject"},
		{`{ state = "unreviewed", label = { text = "Applied +1 −0", code = "hunk.applied_modify" }, rows = { { "+", "a" } }, actions = { "keep", "undo" } }`, "\\ey Keep · \\en Undo"},
		{`{ state = "unreviewed", label = { text = "Applied +0 −1", code = "hunk.applied_modify" }, rows = { { "-", "a" } }, actions = { "keep" }, marks = { { text = { text = "Cannot be undone: x" } } } }`, "Applied +0 −1 · \\ey Keep · Cannot be undone: x"},
		{`{ state = "conflicted", label = { text = "Conflict: it was edited", code = "hunk.conflict" }, actions = { { id = "accept", title = { text = "Try again" } }, "dismiss" } }`, "Conflict: it was edited · \\ey Try again · \\en Dismiss"},
	} {
		e.waitUntil("it says "+tt.want, `(function(want)
			local verbs = require("emendo.session.window").view.verbs
			for id, text in pairs({ accept = "Accept", reject = "Reject", keep = "Keep", undo = "Undo", dismiss = "Dismiss" }) do verbs[id] = { id = id, title = { text = text } } end
			return require("emendo.review.drawing").hint(`+tt.hunk+`, 80) == want
		end)(...)`, tt.want)
	}
}
