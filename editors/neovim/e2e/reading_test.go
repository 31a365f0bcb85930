//go:build editors

package e2e

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

const twoBlocks = "## The fault\n\nIt is in fee.go:17.\n\n```go\nfunc Fee(minutes int) int {\n\treturn 0\n}\n```\n\nAnd a new file:\n\n```go title=\"rates.go\"\npackage parking\n```\n"

// inPanel goes to the panel's window.
func (e *editor) inPanel() {
	e.t.Helper()
	e.keys("<C-\\><C-n>")
	e.lua(`vim.api.nvim_set_current_win(require("emendo.panel").window())`)
}

// line waits until the cursor is in a line with the text.
func (e *editor) line(text string) {
	e.t.Helper()
	e.waitUntil("the cursor is at "+text, `vim.api.nvim_get_current_line():find(..., 1, true)`, text)
}

// Keys in the panel go between questions and code blocks, yank, list an outline, and
// open the file that a line names in a window for files.
func TestNavigatingThePanel(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("A tariff."), geminitest.Say(twoBlocks), geminitest.Say("The end."))
	e := w.start("fee.go")
	for _, q := range [][2]string{{"What is it?", "A tariff."}, {"What is wrong?", "And a new file"}, {"And then?", "The end."}} {
		e.lua(`require("emendo").ask({ prompt = ... })`, q[0])
		e.waitForAnswer(q[1])
	}
	e.inPanel()
	e.keys("G[[")
	e.line("And then?")
	e.keys("[[")
	e.line("What is wrong?")
	e.keys("[[")
	e.line("What is it?")
	e.keys("[[")
	e.waitFor("no earlier question")
	e.keys("]c")
	e.line("func Fee(minutes int) int {")
	e.keys("gy")
	e.waitFor("yanked the code block")
	if got := value[string](e, `return vim.fn.getreg('"')`); got != "func Fee(minutes int) int {\n\treturn 0\n}\n" {
		t.Errorf("yanked %q", got)
	}
	e.keys(`]c"ayiw"bgy`)
	e.line("package parking")
	e.waitUntil("the register is set", `vim.fn.getreg("b") == "package parking\n"`)
	e.keys("[c[c")
	e.waitFor("no earlier code block")
	e.keys("gO")
	e.choose("The fault")
	e.line("The fault")
	e.keys("jj0gf")
	e.waitUntil("the place is shown", `vim.endswith(vim.api.nvim_buf_get_name(0), "/fee.go") and vim.api.nvim_win_get_cursor(0)[1] == 17`)
	e.inPanel()
	e.keys("/fee.go:17<CR><CR>")
	e.waitUntil("the place is shown", `vim.endswith(vim.api.nvim_buf_get_name(0), "/fee.go") and require("emendo.panel").window()`)
	w.checkAllDeclared()
}

// A code block is proposed as a change of the lines that it is a new version of, or as
// the file that it names; it is reviewed, and nothing is applied before.
func TestACodeBlockIsProposed(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say(twoBlocks))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "What is wrong?" })`)
	e.waitForAnswer("And a new file")
	e.inPanel()
	e.keys("gg]cga")
	e.waitForPending(1)
	e.waitUntil("the hunk is shown", `vim.endswith(vim.api.nvim_buf_get_name(0), "/fee.go") and vim.fn.line(".") > 1`)
	e.waitForBuffer("fee.go", parking["fee.go"])
	e.inPanel()
	e.keys("]cga")
	e.waitForPending(2)
	e.keys(":Emendo accept_all<CR>")
	e.choose("Accept all (2)")
	e.waitFor("Accepted 2 changes.")
	e.waitForPending(0)
	before, rest, _ := strings.Cut(parking["fee.go"], "func Fee(minutes int) int {\n")
	_, after, _ := strings.Cut(rest, "\n}\n")
	e.waitForBuffer("fee.go", before+"func Fee(minutes int) int {\n\treturn 0\n}\n"+after)
	if got := w.read("rates.go"); got != "package parking\n" {
		t.Errorf("rates.go is %q", got)
	}
	if w.read("fee.go") != parking["fee.go"] {
		t.Error("an open file was written on disk")
	}
	w.checkAllDeclared()
}

// What compilers, tests and models write about places in files is opened.
func TestNamesOfPlaces(t *testing.T) {
	for text, want := range map[string]string{
		"see `fee.go:17` there":         "fee.go 17",
		"fee.go:17:3: undefined: x":     "fee.go 17",
		`  File "fee.go", line 4, in f`: "fee.go 4",
		"fee.go(4,2): error":            "fee.go 4",
		"(@fee.go#L9),":                 "fee.go 9",
		"in fee.go.":                    "fee.go 1",
	} {
		t.Run(text, func(t *testing.T) {
			e := newWorld(t, parking, geminitest.Say("So:\n\n```\n"+text+"\n```\n")).start("fee_test.go")
			e.lua(`require("emendo").ask({ prompt = "Where?" })`)
			e.waitForAnswer("fee.go")
			e.inPanel()
			e.keys("gg]c0gf")
			file, line, _ := strings.Cut(want, " ")
			e.waitUntil("the place is shown", `vim.fs.basename(vim.api.nvim_buf_get_name(0)) == ... and vim.fn.line(".") == tonumber(select(2, ...))`, file, line)
		})
	}
}
