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
	e.waitFor("yanked 3 lines")
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
	e.waitFor("proposed 1 hunk in fee.go")
	e.waitForPending(1)
	e.waitForBuffer("fee.go", parking["fee.go"])
	e.keys("]cga")
	e.waitFor("proposed 1 hunk in rates.go")
	e.waitForPending(2)
	e.keys(":Emendo accept_all<CR>")
	e.choose("Accept 2 hunks")
	e.waitFor("accepted 2 hunks in 2 files")
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

// Where a block goes in a file.
func TestThePlaceOfABlock(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	for _, tt := range []struct{ name, file, block, want string }{
		{"a function by its first and last line", "a\nf() {\n  1\n}\nb", "f() {\n  2\n}", "2-4 f() {\n  2\n}\n"},
		{"indented more in the file", "class\n  f() {\n    1\n  }\nend", "f() {\n  2\n}", "2-4   f() {\n    2\n  }\n"},
		{"by indentation", "def f():\n  return 1\n\ndef g():\n  return 2", "def f():\n  return 3", "1-2 def f():\n  return 3\n"},
		{"the whole file", "a\nb\nc", "a\nx\nc", "1-3 a\nx\nc\n"},
		{"an empty file", "", "a", "1-1 a\n"},
		{"nowhere: before the cursor", "a\nb", "x\ny", "2-1 x\ny\n"},
		{"twice: before the cursor", "a {\n}\na {\n}", "a {\n1\n}\nz", "2-1 a {\n1\n}\nz\n"},
	} {
		got := value[string](e, `
			local file, block = ...
			local spot = require("emendo.review.code_block").place(vim.split(file, "\n"), vim.split(block, "\n"), 2)
			return ("%d-%d %s"):format(spot.first, spot.last, spot.text)`, tt.file, tt.block)
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// What compilers, tests and models write about places in files is understood.
func TestNamesOfPlaces(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	for text, want := range map[string]string{
		"see `fee.go:17` there":         "fee.go 17",
		"fee.go:17:3: undefined: x":     "fee.go 17",
		`  File "fee.go", line 4, in f`: "fee.go 4",
		"fee.go(4,2): error":            "fee.go 4",
		"@fee.go#L9":                    "fee.go 9",
		"in fee.go.":                    "fee.go 1",
		"no such file.go:3":             "nothing",
	} {
		got := value[string](e, `
			local path, line = require("emendo.windows.jump").named(..., 0)
			return path and vim.fs.basename(path) .. " " .. line or "nothing"`, text)
		if got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

// The file that stands alone above a block of code is found, however it is written.
func TestTheFileAboveABlock(t *testing.T) {
	w := newWorld(t, parking)
	w.write("fee_test.go", "package parking\n")
	e := w.start("fee.go")
	for _, above := range []string{"fee_test.go", "`fee_test.go`:", "**fee_test.go**", "### fee_test.go", "_fee_test.go_:", "__fee_test.go:__"} {
		got := value[string](e, `return vim.fs.basename(require("emendo.review.code_block").target({ info = "go", before = ... }) or "nothing")`, above)
		if got != "fee_test.go" {
			t.Errorf("%s: got %s", above, got)
		}
	}
}
