//go:build editors

package e2e

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

var update = flag.Bool("update", false, "write docs/images")

// comment is the doc comment of Fee before and after.
var comment = [2]string{
	"// Fee is the price of parking for so many minutes, in cents.\n",
	"// Fee is the price of parking for so many minutes, in cents.\n// Begun hours are paid.\n",
}

// The pictures of the README and the pages: what is asked for has to be on the
// screen before one is taken.
func TestPictures(t *testing.T) {
	w := newWorld(t, parking,
		geminitest.Do(
			geminitest.Think("**Following the minutes**\n\n90 / 60 is 1 in Go, so the second hour is free."),
			geminitest.Call("grep_search", `{"pattern":"Fee\\("}`)),
		geminitest.Do(
			geminitest.Text("`minutes / 60` divides integers, which **cuts the hour off that has begun**:\n\n"),
			geminitest.Text("- 60 minutes are `1` hour, and cost 2.50\n- 90 minutes are `1` hour too, so 2.50 again\n\n"),
			geminitest.Text("```go\n// Begun hours are paid.\nhours := (minutes + 59) / 60\n```\n\n"),
			geminitest.Text("`TestFee` wants 90 minutes to cost two hours. Shall I round up?")),
		geminitest.Do(
			geminitest.Text("Rounding up in `Fee`, and saying so in its comment."),
			geminitest.Join(replace(hours), replace(comment))),
		geminitest.Say("Both are in."))
	w.write("AGENTS.md", "Prices are in cents.\n")
	w.emendo("trust", "add")
	e := w.start("fee.go")
	e.resize(118, 31)
	e.keys(":set number tabstop=4 shiftwidth=4 laststatus=3 noruler noshowcmd noshowmode nohlsearch<CR>")
	e.keys(":set statusline=\\ %f\\ %m%=%{v:lua.require'emendo'.status()}\\ <CR>")
	e.keys(":Emendo<CR>")
	e.lua(`vim.api.nvim_echo({}, false, {})`)
	e.snap("welcome", "emendo sees", "File: fee.go", "]e [e", " AGENTS.md ")
	e.goTo("fee.go")
	e.keys("/200<CR>cw250<Esc>gg/^func Fee<CR>V}k\\ea")
	e.sendPrompt("Why do 90 minutes cost 2.50?")
	e.waitFor("Shall I round up?")
	e.waitUntil("the turn is over", idle)
	e.keys("Fix it")
	e.lua(`vim.api.nvim_echo({}, false, {})`)
	e.waitForScreen()
	e.snap("panel", "Why do 90 minutes", "TestFee", "250", "Begun hours are paid.", "Fix it", " AGENTS.md ")

	e.keys("<C-s>")
	e.waitForPending(2)
	e.goTo("fee.go")
	e.waitUntil("both calls wait", `select(2, table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr("emendo://panel"), 0, -1, false), "\n"):gsub("? Edit fee.go", "")) == 2`)
	e.keys("gg]e]e")
	e.waitForScreen()
	e.snap("review", "+ 59) / 60", "Begun hours", "hunk 2 of 2", "Rounding up", "waits for your")
	e.keys(":Emendo accept_all<CR>")
	e.waitFor("Both are in.")
}

// snap takes a picture of the screen after checking that it shows the texts.
func (e *editor) snap(name string, texts ...string) {
	e.t.Helper()
	for _, text := range texts {
		e.waitFor(text)
	}
	file := filepath.Join(repository, "docs", "images", name+".png")
	if *update {
		e.must(e.screen.picture().Write(file))
		return
	}
	e.must(e.screen.picture().Check(file))
}

// resize changes the size of the screen.
func (e *editor) resize(width, height int) {
	e.t.Helper()
	e.within("resize", func() error { return e.nvim.TryResizeUI(width, height) })
}

var shots = flag.String("shots", "", "a folder for pictures of screens to look at")

// snapshot stores a picture for inspection, if a folder for that is set.
func (e *editor) snapshot(name string) {
	e.t.Helper()
	if *shots == "" {
		return
	}
	e.waitForScreen()
	e.must(e.screen.picture().Write(filepath.Join(*shots, name+".png")))
}
