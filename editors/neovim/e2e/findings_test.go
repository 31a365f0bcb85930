//go:build editors

package e2e

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// found waits until a number of findings are shown in the file in front.
func (e *editor) found(n int) {
	e.t.Helper()
	e.waitUntil("findings are shown", `#vim.tbl_filter(function(d) return d.source == "emendo" end, vim.diagnostic.get(0)) == ...`, n)
}

// act applies the code action at a line whose title begins so.
func (e *editor) act(line int, title string) {
	e.t.Helper()
	e.lua(`local line, title = ...
		vim.api.nvim_win_set_cursor(0, { line, 0 })
		vim.lsp.buf.code_action({ apply = true, filter = function(action) return vim.startswith(action.title, title) end })`, line, title)
}

// A review of what is not committed shows what it finds as diagnostics: one finding is dismissed,
// the other one fixed, after the server was killed.
func TestFindingsAreFixedAndDismissed(t *testing.T) {
	w := newWorld(t, parking, geminitest.Do(
		geminitest.Call("report_finding", `{"file_path": "fee.go", "line": 1, "severity": "warning", "title": "the comment is old", "message": ""}`),
		geminitest.Call("report_finding", `{"file_path": "fee.go", "line": 2, "severity": "error", "title": "the package is misnamed", "message": ""}`)),
		geminitest.Say("I read the changes."), geminitest.Do(replace(about)), geminitest.Say("It is done."))
	w.emendo("trust", "add")
	w.git("init", "-q")
	w.git("add", "-A")
	w.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "one")
	w.write("fee.go", parking["fee.go"]+"\n// The end.\n")
	e := w.start("fee.go")
	e.keys(":Emendo review_changes<CR>")
	e.waitForAnswer("I read the changes.")
	e.goTo("fee.go")
	e.found(2)
	e.replaceServer(w.kill)
	e.found(2)
	e.act(2, "Dismiss: the package is misnamed")
	e.found(1)
	e.act(1, "Fix: the comment is old")
	e.waitForPending(1)
	e.keys(":Emendo accept_all<CR>")
	e.waitForAnswer("It is done.")
	e.goTo("fee.go")
	e.found(0)
	e.waitForBuffer("fee.go", strings.Replace(parking["fee.go"], about[0], about[1], 1)+"\n// The end.\n")
	w.checkAllDeclared()
}

// What was changed without asking is kept and undone, an edit as well as what a command changed,
// after the server was killed.
func TestChangesAreKeptAndUndoneAfterAKill(t *testing.T) {
	w := newWorld(t, parking, geminitest.Do(replace(about), geminitest.Call("run_shell_command", `{"command": "printf 'x\\n' > made.txt"}`)), geminitest.Say("It is done."))
	w.git("init", "-q")
	w.emendo("trust", "add")
	e := w.start("fee.go")
	e.keys(":Emendo mode yolo<CR>")
	e.waitFor("the next session has the mode yolo")
	e.lua(`require("emendo").ask({ prompt = "Go on." })`)
	e.waitForAnswer("It is done.")
	e.waitUntil("both are to be reviewed", `#require("emendo.review.changes").hunks({ "unreviewed" }) == 2`)
	e.goTo("fee.go")
	e.keys(":write<CR>")
	e.replaceServer(w.kill)
	e.waitUntil("they still are", `#require("emendo.review.changes").hunks({ "unreviewed" }) == 2`)
	e.keys("gg:Emendo accept<CR>")
	e.waitUntil("it is kept", `#require("emendo.review.changes").hunks({ "unreviewed" }) == 1`)
	e.keys(":edit made.txt<CR>")
	e.waitUntil("it is there", `vim.fn.getline(1) == "x"`)
	e.waitFor("Keep · \\en Undo")
	e.keys(":Emendo reject<CR>")
	e.waitUntil("nothing is left", `#require("emendo.review.changes").hunks({ "unreviewed" }) == 0`)
	e.waitUntil("the file is gone", `vim.fn.filereadable("made.txt") == 0`)
	if got := w.read("fee.go"); got != strings.Replace(parking["fee.go"], about[0], about[1], 1) {
		t.Errorf("fee.go is %s", got)
	}
	w.checkAllDeclared()
}
