//go:build editors

package e2e

import (
	"os"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// waitForAnswer waits for an answer and the end of its turn.
func (e *editor) waitForAnswer(text string) {
	e.t.Helper()
	e.waitUntil("the answer is shown", `(function(text)
		local b = vim.fn.bufnr("emendo://panel")
		return b > 0 and table.concat(vim.api.nvim_buf_get_lines(b, 0, -1, false), "\n"):find(text, 1, true)
	end)(...)`, text)
	e.waitUntil("the turn is over", idle)
}

// The user goes back to before a question, with the files it changed; that
// question is in the prompt again.
func TestGoingBackToAQuestion(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("First answer."), geminitest.Do(replace(hours)), geminitest.Say("Fixed."), geminitest.Say("Once more."))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "What is it?" })`)
	e.waitForAnswer("First answer.")
	e.lua(`require("emendo").ask({ prompt = "Fix it." })`)
	e.waitForPending(1)
	e.keys(":Emendo accept_all<CR>")
	e.waitFor("Accepted 1 change.")
	e.waitForAnswer("Fixed.")
	e.keys(":Emendo rewind<CR>")
	e.choose("Fix it.")
	e.choose("onversation and files")
	e.waitForBuffer("fee.go", parking["fee.go"])
	e.waitForBuffer("emendo://prompt", "Fix it.\n")
	e.waitUntil("the panel is back", `not table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr("emendo://panel"), 0, -1, false)):find("Fixed", 1, true)`)
	e.waitFor("First answer.")
	e.waitUntil("it can be redone", `vim.iter(require("emendo.session").view().status.actions):any(function(a) return a == "redo" or a.id == "redo" end)`)
	e.keys(":Emendo rewind<CR>")
	e.choose("Redo what you went back from")
	e.waitForBuffer("fee.go", strings.Replace(parking["fee.go"], hours[0], hours[1], 1))
	e.waitFor("Fixed.")
	e.keys(":Emendo rewind<CR>")
	e.choose("Fix it.")
	e.choose("onversation and files")
	e.waitForBuffer("fee.go", parking["fee.go"])
	e.waitUntil("the panel is back", `not table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr("emendo://panel"), 0, -1, false)):find("Fixed", 1, true)`)
	e.lua(`require("emendo").ask({ prompt = "And now?" })`)
	e.waitForAnswer("Once more.")
	if sent := w.lastRequest(); strings.Contains(sent, "Fix it.") || !strings.Contains(sent, "What is it?") {
		t.Errorf("last request: %s", sent)
	}
	w.checkAllDeclared()
}

// A session is copied up to one of its questions, and one is deleted.
func TestCopyingAndDeletingSessions(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("Answer one."), geminitest.Say("Answer two."), geminitest.Say("Answer three."))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "One?" })`)
	e.waitForAnswer("Answer one.")
	e.lua(`require("emendo").ask({ prompt = "Two?" })`)
	e.waitForAnswer("Answer two.")
	first := value[string](e, `return require("emendo").state().session.id`)
	e.keys(":Emendo fork<CR>")
	e.choose("One?")
	e.waitUntil("the copy is shown", `require("emendo").state().session.id ~= ...`, first)
	e.lua(`require("emendo").ask({ prompt = "Three?" })`)
	e.waitForAnswer("Answer three.")
	e.checkOrder("One?", "Answer one.", "Three?", "Answer three.")
	if sent := w.lastRequest(); strings.Contains(sent, "Two?") {
		t.Errorf("the last request mentions the other session: %s", sent)
	}
	e.keys(":Emendo delete<CR>")
	e.waitFor("2: ")
	e.keys("1<CR>")
	e.choose("Delete")
	e.waitUntil("no session is shown", `require("emendo").state().session == nil`)
	e.keys(":Emendo resume<CR>")
	e.waitForAnswer("Answer two.")
	e.waitUntil("the other one is there", `require("emendo").state().session.id == ...`, first)
	w.checkAllDeclared()
}

// A rejected hunk can be decided again, and an accepted new file be undone.
func TestDecidingAgain(t *testing.T) {
	w := newWorld(t, parking, geminitest.Do(geminitest.Join(replace(hours), call("write_file", map[string]string{"file_path": "rates.go", "content": "package parking\n"}))), geminitest.Say("Done."))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "Do it." })`)
	e.waitForPending(2)
	e.keys("gg/hours := minutes<CR>:Emendo reject<CR>")
	e.waitForPending(1)
	e.keys(":Emendo accept_all<CR>")
	e.waitFor("of which no window shows 1")
	e.choose("Accept all (1)")
	e.waitForAnswer("Done.")
	w.read("rates.go")

	e.keys(":Emendo reopen<CR>")
	e.choose("fee.go:17 ")
	e.waitForPending(1)
	e.keys(":Emendo accept<CR>")
	e.waitForBuffer("fee.go", strings.Replace(parking["fee.go"], hours[0], hours[1], 1))
	e.waitForPending(0)
	e.keys(":Emendo reopen<CR>")
	e.choose("rates.go: ")
	e.waitForPending(1)
	if _, err := os.Stat(w.path("rates.go")); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
	w.checkAllDeclared()
}

// Deciding on all hunks reports how many, asks before it changes files that no window
// shows, and does not affect other sessions.
func TestDecidingAllOfASession(t *testing.T) {
	test := [2]string{"func TestFee(", "func TestFees("}
	other := call("replace", map[string]string{"file_path": "fee_test.go", "instruction": "rename", "old_string": test[0], "new_string": test[1]})
	w := newWorld(t, parking, geminitest.Do(replace(about)), geminitest.Do(geminitest.Join(replace(hours), replace(receipt), other)), geminitest.Say("Done."), geminitest.Say("Also done."))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "First." })`)
	e.waitForPending(1)
	e.lua(`require("emendo").new(function() require("emendo").ask({ prompt = "Second." }) end)`)
	e.waitForPending(4)
	e.keys(":Emendo accept_all<CR>")
	e.waitFor("in 2 files, of which no window shows 1")
	e.choose("Look at them first")
	e.waitUntil("they are listed", `vim.bo.buftype == "quickfix" and vim.api.nvim_buf_line_count(0) == 4`)
	e.waitForPending(4)
	e.keys(":cclose<CR>")
	e.goTo("fee.go")
	e.keys(":Emendo accept_all<CR>")
	e.choose("Accept all (3)")
	e.waitFor("Accepted 3 changes.")
	e.waitForPending(1)
	e.waitForBuffer("fee.go", strings.NewReplacer(hours[0], hours[1], receipt[0], receipt[1]).Replace(parking["fee.go"]))
	w.checkAllDeclared()
}

// The models that the key may use are offered.
func TestModelsOfTheKeyAreOffered(t *testing.T) {
	w := newWorld(t, parking)
	e := w.start("fee.go")
	e.keys(":Emendo model<CR>")
	e.waitFor("Type number")
	for _, offered := range []string{"Auto: A strong model", "Gemini 3.8 Flash: gemini · $0.75 in", "Another…"} {
		e.waitFor(offered)
	}
	e.choose("Gemini 3.8 Flash")
	e.waitFor("the next session has the model gemini-3.8-flash")
	w.checkAllDeclared()
}
