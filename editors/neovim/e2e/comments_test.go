//go:build editors

package e2e

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// commented waits until a number of comments stand below lines of the file in front, the first of
// them below a line.
func (e *editor) commented(n, line int) {
	e.t.Helper()
	e.waitUntil("comments are shown", `(function(n, line)
		local marks = vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_get_namespaces()["emendo.comments"], 0, -1, { details = true })
		local below = vim.tbl_filter(function(mark) return mark[4].virt_lines ~= nil end, marks)
		return #below == n and (n == 0 or below[1][2] == line - 1)
	end)(...)`, n, line)
}

// Lines are commented on in two rounds: the comments follow their lines, are changed and removed
// until they are sent, and those that wait are there after the server was killed.
func TestLinesAreCommentedOnInTwoRounds(t *testing.T) {
	w := newWorld(t, parking, geminitest.Do(replace(hours)), geminitest.Say("Rounded."), geminitest.Say("By the hour."))
	e := w.start("fee.go")
	e.keys("gg/hours :=<CR>:Emendo comment Round it up.<CR>")
	row := value[int](e, `return vim.api.nvim_win_get_cursor(0)[1]`)
	e.commented(1, row)
	e.keys("ggO// new<Esc>")
	e.commented(1, row+1)
	e.keys("gg:Emendo comment Why?<CR>")
	e.commented(2, 1)
	e.keys("gg:Emendo comment<CR>")
	e.waitFor("Comment: Why?")
	e.keys("<C-u>Is it?<CR>")
	e.waitFor("▎ Is it?")
	e.replaceServer(w.kill)
	e.goTo("fee.go")
	e.commented(2, 1)
	e.keys("gg:lua require('emendo').comment({ text = '' })<CR>")
	e.commented(1, row+1)
	e.keys(":Emendo send_comments Please.<CR>")
	e.waitForPending(1)
	for _, part := range []string{"hours := minutes / 60", "Round it up.", "Please."} {
		if sent := w.lastRequest(); !strings.Contains(sent, part) {
			t.Errorf("the model did not get %q: %s", part, sent)
		}
	}
	e.goTo("fee.go")
	e.commented(0, 0)
	e.keys(":Emendo accept_all<CR>")
	e.waitForAnswer("Rounded.")
	e.goTo("fee.go")
	e.keys("G:Emendo comment In which unit?<CR>")
	e.commented(1, value[int](e, `return vim.fn.line("$")`))
	e.keys(":Emendo send_comments<CR>")
	e.waitForAnswer("By the hour.")
	sent := w.lastRequest()
	if _, last, _ := strings.Cut(sent, "Rounded."); !strings.Contains(last, "In which unit?") || strings.Contains(last, "Round it up.") {
		t.Errorf("in the second round the model got %s", sent)
	}
	w.checkAllDeclared()
}
