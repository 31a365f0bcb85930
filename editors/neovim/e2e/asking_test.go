//go:build editors

package e2e

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// The panel takes the focus before the server has started. The first prompt still has
// the user's position in the file.
func TestTheFirstPromptHasTheUsersPosition(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("It computes prices."))
	e := w.start("fee.go")
	e.keys("6gg\\ee")
	e.sendPrompt("What does this file do?")
	e.waitFor("It computes prices.")
	for _, want := range []string{"Active file: fee.go", "Cursor: line 6, column 1"} {
		if asked := w.lastRequest(); !strings.Contains(asked, want) {
			t.Errorf("the last request lacks %q: %s", want, asked)
		}
	}
	w.checkAllDeclared()
}

// If the program is missing, the panel says so, and the question stays in the prompt.
func TestAQuestionIsKeptWhenTheProgramIsMissing(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	e.lua(`require("emendo").setup({ cmd = { "no-such-program", "lsp" } })`)
	e.keys("\\ee")
	e.sendPrompt("Why?")
	e.waitFor(`! there is no program "no-such-program"`)
	e.waitForBuffer("emendo://prompt", "Why?\n")
	e.keys("<C-s>")
	e.waitForBuffer("emendo://prompt", "Why?\n")
	if n := strings.Count(e.buffer("emendo://panel"), "no-such-program"); n != 1 {
		t.Errorf("the panel shows it %d times", n)
	}
}

// The u key restores a prompt that was sent from Insert mode.
func TestASentQuestionComesBackByUndo(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("So it is."))
	e := w.start("fee.go")
	e.keys("\\ee")
	e.sendPrompt("Why is it so?")
	e.waitFor("So it is.")
	e.waitForBuffer("emendo://prompt", "\n")
	e.keys("<Esc>u")
	e.waitForBuffer("emendo://prompt", "Why is it so?\n")
}

// Sending a question goes to the end of the conversation.
func TestSendingFollowsTheConversation(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say(strings.Repeat("line\n\n", 80)), geminitest.Say("The end."))
	e := w.start("fee.go")
	e.keys("\\ee")
	e.sendPrompt("First?")
	e.waitUntil("the turn is over", idle)
	e.lua(`vim.api.nvim_win_set_cursor(require("emendo.panel").window(), { 1, 0 })`)
	e.sendPrompt("Second?")
	e.waitFor("The end.")
}

// Lines that are shown as attached are sent: those of a file outside the workspace, and
// of a buffer without a name. Lines of a file that looks secret are not, and a notice
// says so.
func TestAttachedLinesAreSent(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("One."), geminitest.Say("Two."), geminitest.Say("Three."))
	w.write("../elsewhere/notes.txt", "first\nsecond\nthird\n")
	w.write(".env", "KEY=hunter2\n")
	e := w.start("fee.go")
	ask := func(question, answer string) string {
		e.keys(question)
		e.waitFor(answer)
		e.waitUntil("the turn is over", idle)
		return w.lastRequest()
	}
	e.keys(":edit ../elsewhere/notes.txt<CR>")
	if asked := ask(":2,2Emendo ask Why this?<CR>", "One."); !strings.Contains(asked, `second\n`) || strings.Contains(asked, "third") {
		t.Errorf("the line of the file elsewhere was not sent alone: %s", asked)
	}
	e.keys(":enew<CR>iscratch one<CR>scratch two<Esc>")
	if asked := ask(":2,2Emendo ask And this?<CR>", "Two."); !strings.Contains(asked, `scratch two\n`) || strings.Contains(asked, "scratch one") {
		t.Errorf("the line of the unnamed buffer was not sent alone: %s", asked)
	}
	e.waitFor(":2-2")
	e.keys(":edit! .env<CR>")
	if asked := ask(":1Emendo ask And that?<CR>", "Three."); strings.Contains(asked, "hunter2") {
		t.Errorf("a secret was sent: %s", asked)
	}
	e.waitFor("! Lines 1 to 1 of .env were not sent")
	w.checkAllDeclared()
}

// A question stays open until it is answered or the server withdraws it. Other changes do not
// close it.
func TestOnlyTheServerWithdrawsAQuestion(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	e.lua(`require("emendo.panel").show()`)
	e.askOfCommand("make")
	e.lastQuestion()
	e.lua(`local window = require("emendo.session.window").view
		window:apply({ { item = { id = "n", kind = "notice", title = { text = "Another." } } }, { drop = { "n", "q2" } } })
		require("emendo.events").emit("window")`)
	e.waitUntil("the question is still open", asking+` and _G.acted == nil`)
	e.lua(`_G.withdraw()`)
	e.waitUntil("the question is withdrawn", `not (`+asking+`)`)
	e.waitForBuffer("emendo://panel", "\n")
}
