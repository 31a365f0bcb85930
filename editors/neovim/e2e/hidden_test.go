//go:build editors

package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// Invisible characters are spelled out in proposed changes, in an open file and in a
// new one. Accepting a change applies the exact text.
func TestNothingHidesInAProposedChange(t *testing.T) {
	const text = "\t// all\u202e is\u00ad well\U000E0041\n"
	const shown = `// all\u{202E} is\u{00AD} well\u{E0041}`
	write, err := json.Marshal(map[string]string{"file_path": "new.go", "content": "package parking\n" + text})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, parking,
		geminitest.Do(geminitest.Join(replace([2]string{hours[0], hours[0] + text}), geminitest.Call("write_file", string(write)))), geminitest.Say("Both are in."))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "Comment it.", open = false })`)
	e.waitForPending(2)
	e.waitFor(shown)
	e.keys(":Emendo next<CR>:Emendo next<CR>")
	e.waitFor("new.go: Create this file")
	e.waitFor(shown)
	e.keys(":Emendo diff<CR>")
	e.waitUntil("the diff is there", `vim.api.nvim_buf_get_name(0) == "emendo://diff"`)
	if diff := e.buffer("emendo://diff"); strings.Count(diff, shown) != 2 {
		t.Errorf("the diff hides something:\n%s", diff)
	}
	e.keys(":Emendo accept_all<CR>")
	e.choose("Accept all (2)")
	e.waitForBuffer("fee.go", strings.Replace(parking["fee.go"], hours[0], hours[0]+text, 1))
	e.waitUntil("all is decided", idle)
	if got := w.read("new.go"); got != "package parking\n"+text {
		t.Errorf("got %q", got)
	}
}

// What is said of a new file covers none of it in a narrow window, and goes when the file
// was accepted with others. A window shows it, so it is accepted without a question.
func TestThePreviewOfANewFileCoversNothing(t *testing.T) {
	w := newWorld(t, parking, geminitest.Do(geminitest.Call("write_file", `{"file_path":"new.go","content":"package parking // its prices\n"}`)), geminitest.Say("It is in."))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "Write it." })`)
	e.waitForPending(1)
	e.keys(":vertical resize 36<CR>:Emendo next<CR>")
	e.waitFor("package parking // its prices")
	e.waitFor("new.go: Create this file")
	e.keys(":Emendo accept_all<CR>")
	e.waitUntil("it is accepted", `vim.fn.filereadable("new.go") == 1`)
	e.waitUntil("the preview is closed", `#vim.tbl_filter(function(b) return vim.startswith(vim.api.nvim_buf_get_name(b), "emendo://hunk/") end, vim.api.nvim_list_bufs()) == 0`)
	e.waitForAnswer("It is in.")
	w.checkAllDeclared()
}

// In answers, what reorders the text around it is spelled out, and in their code all that is not
// seen; the code is yanked as it is.
func TestNothingHidesInAnAnswer(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("All\u202e is well.\n\n```go\nx\u00ad := 1\n```\n"))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "Is it?" })`)
	e.waitForAnswer("x")
	e.waitFor(`All\u{202E} is well.`)
	e.waitFor(`x\u{00AD} := 1`)
	e.inPanel()
	e.keys("gg]cgy")
	e.waitUntil("the code is yanked", `vim.fn.getreg('"') == ...`, "x\u00ad := 1\n")
}
