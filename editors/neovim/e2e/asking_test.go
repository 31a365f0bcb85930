//go:build editors

package e2e

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// The panel takes the focus before the server has started; the model is told all
// the same where the user was.
func TestTheFirstQuestionSaysWhereTheUserIs(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("It computes prices."))
	e := w.start("fee.go")
	e.keys("6gg\\ee")
	e.prompts("What does this file do?")
	e.sees("It computes prices.")
	for _, want := range []string{"Active file: fee.go", "Cursor: line 6, column 1"} {
		if asked := w.asked(); !strings.Contains(asked, want) {
			t.Errorf("the model was not told %q: %s", want, asked)
		}
	}
	w.allDeclared()
}

// Without the program the panel says so, and the question stays in the prompt.
func TestAQuestionIsKeptWhenTheProgramIsMissing(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	e.lua(`require("emendo").setup({ cmd = { "no-such-program", "lsp" } })`)
	e.keys("\\ee")
	e.prompts("Why?")
	e.sees(`! there is no program "no-such-program"`)
	e.wants("emendo://prompt", "Why?\n")
	e.keys("<C-s>")
	e.wants("emendo://prompt", "Why?\n")
	if n := strings.Count(e.buffer("emendo://panel"), "no-such-program"); n != 1 {
		t.Errorf("the panel says it %d times", n)
	}
}

// A question that was sent from Insert mode comes back by u.
func TestASentQuestionComesBackByUndo(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("So it is."))
	e := w.start("fee.go")
	e.keys("\\ee")
	e.prompts("Why is it so?")
	e.sees("So it is.")
	e.wants("emendo://prompt", "\n")
	e.keys("<Esc>u")
	e.wants("emendo://prompt", "Why is it so?\n")
}

// Sending a question goes to the end of the conversation.
func TestSendingFollowsTheConversation(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say(strings.Repeat("line\n\n", 80)), geminitest.Say("The end."))
	e := w.start("fee.go")
	e.keys("\\ee")
	e.prompts("First?")
	e.until("the turn is over", idle)
	e.lua(`vim.api.nvim_win_set_cursor(require("emendo.panel").window(), { 1, 0 })`)
	e.prompts("Second?")
	e.sees("The end.")
}

// Lines that are shown as going along are sent: of a file elsewhere, and of a
// buffer without a name. Those of a file that looks secret are not, which is said.
func TestLinesThatGoAlongAreSent(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("One."), geminitest.Say("Two."), geminitest.Say("Three."))
	w.write("../elsewhere/notes.txt", "first\nsecond\nthird\n")
	w.write(".env", "KEY=hunter2\n")
	e := w.start("fee.go")
	ask := func(question, answer string) string {
		e.keys(question)
		e.sees(answer)
		e.until("the turn is over", idle)
		return w.asked()
	}
	e.keys(":edit ../elsewhere/notes.txt<CR>")
	if asked := ask(":2,2Emendo ask Why this?<CR>", "One."); !strings.Contains(asked, `second\n`) || strings.Contains(asked, "third") {
		t.Errorf("the line of the file elsewhere was not sent alone: %s", asked)
	}
	e.keys(":enew<CR>iscratch one<CR>scratch two<Esc>")
	if asked := ask(":2,2Emendo ask And this?<CR>", "Two."); !strings.Contains(asked, `scratch two\n`) || strings.Contains(asked, "scratch one") {
		t.Errorf("the line of the unnamed buffer was not sent alone: %s", asked)
	}
	e.sees(":2-2")
	e.keys(":edit! .env<CR>")
	if asked := ask(":1Emendo ask And that?<CR>", "Three."); strings.Contains(asked, "hunter2") {
		t.Errorf("a secret was sent: %s", asked)
	}
	e.sees("! Lines 1 to 1 of .env were not sent")
	w.allDeclared()
}

// A question waits until it is answered or the server cancels its request; what
// else is told of its call does not end it.
func TestOnlyACancelWithdrawsAQuestion(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	e.lua(`require("emendo.panel").show(); require("emendo.transport").serving = 7`)
	e.asks(`{"sessionId": "s", "toolCall": {"toolCallId": "c"}, "preview": {"command": "make", "cwd": "/srv"}, "options": [
		{"optionId": "allow_once", "kind": "allow_once", "name": "Allow once"}]}`)
	e.asked()
	e.lua(`require("emendo.session").on_update({ sessionId = "s", seq = 1, update = {
		sessionUpdate = "tool_call_update", toolCallId = "c", _meta = { emendo = { state = "executing" } } } })`)
	e.lua(`require("emendo.questions").on_cancel({ id = 6 })`)
	e.until("it still is asked", asking+` and _G.reply == nil`)
	e.lua(`require("emendo.questions").on_cancel({ id = 7 })`)
	e.until("it is withdrawn", `not (`+asking+`) and _G.reply.outcome == "cancelled"`)
}
