//go:build editors

package e2e

import (
	"os"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// answered waits for an answer and the end of its turn.
func (e *editor) answered(text string) {
	e.t.Helper()
	e.until("it is answered", `(function(text)
		local b = vim.fn.bufnr("emendo://panel")
		return b > 0 and table.concat(vim.api.nvim_buf_get_lines(b, 0, -1, false), "\n"):find(text, 1, true)
	end)(...)`, text)
	e.until("the turn is over", idle)
}

// The user goes back to before a question, with the files it changed; that
// question is in the prompt again.
func TestGoingBackToAQuestion(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("First answer."), geminitest.Do(replace(hours)), geminitest.Say("Fixed."), geminitest.Say("Once more."))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "What is it?" })`)
	e.answered("First answer.")
	e.lua(`require("emendo").ask({ prompt = "Fix it." })`)
	e.pending(1)
	e.keys(":Emendo accept_all<CR>")
	e.sees("accepted 1 hunk in 1 file")
	e.answered("Fixed.")
	e.keys(":Emendo rewind<CR>")
	e.chooses("Fix it.")
	e.chooses("Conversation and files (restore 1 file)")
	e.wants("fee.go", parking["fee.go"])
	e.wants("emendo://prompt", "Fix it.\n")
	e.until("the panel is back", `not table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr("emendo://panel"), 0, -1, false)):find("Fixed", 1, true)`)
	e.sees("First answer.")
	e.lua(`require("emendo").ask({ prompt = "And now?" })`)
	e.answered("Once more.")
	if told := w.asked(); strings.Contains(told, "Fix it.") || !strings.Contains(told, "What is it?") {
		t.Errorf("the model was told: %s", told)
	}
	w.allDeclared()
}

// A session is copied up to one of its questions, and one is deleted.
func TestCopyingAndDeletingSessions(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("Answer one."), geminitest.Say("Answer two."), geminitest.Say("Answer three."))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "One?" })`)
	e.answered("Answer one.")
	e.lua(`require("emendo").ask({ prompt = "Two?" })`)
	e.answered("Answer two.")
	first := value[string](e, `return require("emendo").state().session.id`)
	e.keys(":Emendo fork<CR>")
	e.sees("All of it")
	e.chooses("One?")
	e.until("the copy is shown", `require("emendo").state().session.id ~= ...`, first)
	e.lua(`require("emendo").ask({ prompt = "Three?" })`)
	e.answered("Answer three.")
	e.order("One?", "Answer one.", "Three?", "Answer three.")
	if told := w.asked(); strings.Contains(told, "Two?") {
		t.Errorf("the model was told of the other session: %s", told)
	}
	e.keys(":Emendo delete<CR>")
	e.sees("2: ")
	e.keys("1<CR>")
	e.chooses("Delete it for good")
	e.sees("deleted: ")
	e.until("no session is shown", `require("emendo").state().session == nil`)
	e.keys(":Emendo resume<CR>")
	e.answered("Answer two.")
	e.until("the other one is there", `require("emendo").state().session.id == ...`, first)
	w.allDeclared()
}

// A rejected hunk can be decided again, and an accepted new file be undone.
func TestDecidingAgain(t *testing.T) {
	w := newWorld(t, parking, geminitest.Do(geminitest.Join(replace(hours), call("write_file", map[string]string{"file_path": "rates.go", "content": "package parking\n"}))), geminitest.Say("Done."))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "Do it." })`)
	e.pending(2)
	e.keys("gg/hours := minutes<CR>:Emendo reject<CR>")
	e.pending(1)
	e.keys(":Emendo accept_all<CR>")
	e.sees("1 not in any window")
	e.chooses("Accept 1 hunk")
	e.answered("Done.")
	w.read("rates.go")

	e.keys(":Emendo reopen<CR>")
	e.chooses("rejected: fee.go:17")
	e.pending(1)
	e.keys(":Emendo accept<CR>")
	e.wants("fee.go", strings.Replace(parking["fee.go"], hours[0], hours[1], 1))
	e.pending(0)
	e.keys(":Emendo reopen<CR>")
	e.chooses("accepted: create rates.go")
	e.pending(1)
	if _, err := os.Stat(w.path("rates.go")); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
	w.allDeclared()
}

// Deciding all says how many, asks before files that no window shows, and leaves
// other sessions alone.
func TestDecidingAllOfASession(t *testing.T) {
	test := [2]string{"func TestFee(", "func TestFees("}
	other := call("replace", map[string]string{"file_path": "fee_test.go", "instruction": "rename", "old_string": test[0], "new_string": test[1]})
	w := newWorld(t, parking, geminitest.Do(replace(about)), geminitest.Do(geminitest.Join(replace(hours), replace(receipt), other)), geminitest.Say("Done."), geminitest.Say("Also done."))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "First." })`)
	e.pending(1)
	e.lua(`require("emendo").new(function() require("emendo").ask({ prompt = "Second." }) end)`)
	e.pending(4)
	e.keys(":Emendo accept_all<CR>")
	e.sees("3 hunks in 2 files, of which 1 not in any window")
	e.chooses("Look at them first")
	e.until("they are listed", `vim.bo.buftype == "quickfix" and vim.api.nvim_buf_line_count(0) == 4`)
	e.pending(4)
	e.keys(":cclose<CR>")
	e.visits("fee.go")
	e.keys(":Emendo accept_all<CR>")
	e.chooses("Accept 3 hunks in 2 files")
	e.sees("accepted 3 hunks in 2 files")
	e.pending(1)
	e.wants("fee.go", strings.NewReplacer(hours[0], hours[1], receipt[0], receipt[1]).Replace(parking["fee.go"]))
	w.allDeclared()
}

// The models that the key may use are offered.
func TestModelsOfTheKeyAreOffered(t *testing.T) {
	w := newWorld(t, parking)
	e := w.start("fee.go")
	e.keys(":Emendo model<CR>")
	e.sees("Type number")
	for _, offered := range []string{"Auto: A strong model", "gemini-3.8-flash, 1.05M tokens", "Another…"} {
		e.sees(offered)
	}
	e.chooses("gemini-3.8-flash")
	e.sees("the next session has the model gemini-3.8-flash")
	w.allDeclared()
}
