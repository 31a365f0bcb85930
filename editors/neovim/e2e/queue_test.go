//go:build editors

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/agent/model/servertest"
)

// checkOrder fails if the panel does not have the texts once each, in this order.
func (e *editor) checkOrder(texts ...string) {
	e.t.Helper()
	rest := e.buffer("emendo://panel")
	for _, text := range texts {
		_, after, found := strings.Cut(rest, text)
		if !found || strings.Contains(after, text) {
			e.fail("%q does not occur once, in order, in\n%s", text, e.buffer("emendo://panel"))
		}
		rest = after
	}
}

// Queued prompts are shown, edited, moved and removed. After <C-c> the queue is
// paused until it is resumed.
func TestQueuedQuestions(t *testing.T) {
	forever := geminitest.Reply{Events: []geminitest.Event{geminitest.Text("This takes forever")}, End: servertest.Stall}
	w := newWorld(t, parking, forever, geminitest.Say("Answer three."), geminitest.Say("Answer two."))
	e := w.start("fee.go")
	e.keys(":Emendo<CR>")
	e.sendPrompt("Zero?")
	e.waitFor("This takes forever")
	e.waitFor("<C-s> queues · <M-s> steers")
	queued := func(n int) {
		t.Helper()
		e.waitUntil(fmt.Sprintf("%d prompts are queued", n), `#require("emendo.session").view():queued() == ...`, n)
	}
	for i, question := range []string{"One?", "Two?", "Three?"} {
		e.sendPrompt(question)
		queued(i + 1)
	}
	e.waitFor("3 queued: One?")
	e.snapshot("queue")

	e.keys("<Esc>:Emendo queue<CR>")
	e.choose("One?")
	e.choose("Remove")
	queued(2)
	e.keys(":Emendo queue<CR>")
	e.choose("Two?")
	e.choose("Edit")
	e.waitUntil("it can be edited", `vim.startswith(vim.api.nvim_buf_get_name(0), "emendo://edit/")`)
	e.keys("ccTwo, at length?<Esc>:w<CR>")
	e.waitFor("2 queued: Two, at length?")
	e.keys(":Emendo queue<CR>")
	e.choose("Three?")
	e.choose("Move up")
	e.waitFor("2 queued: Three?")

	e.keys(":Emendo cancel<CR>")
	e.waitUntil("the turn is over", idle)
	e.waitFor("queue paused: Three?")
	if n := len(w.model.Requests()); n != 1 {
		t.Errorf("the model got %d requests", n)
	}
	e.keys(":Emendo queue<CR>")
	e.choose("Three?")
	e.choose("Resume")
	e.waitFor("Answer two.")
	e.waitUntil("the turn is over", idle)
	queued(0)
	e.checkOrder("Zero?", "Cancelled", "Three?", "Answer three.", "Two, at length?", "Answer two.")
	w.checkAllDeclared()
}

// A steering prompt reaches the running turn; a queued prompt can be sent at once.
func TestSteering(t *testing.T) {
	more := make(chan struct{})
	first := geminitest.Do(geminitest.Text("I look."), geminitest.Call("list_directory", `{"dir_path":"."}`))
	first.Events[1].Hold = more
	forever := geminitest.Reply{Events: []geminitest.Event{geminitest.Text("This takes forever")}, End: servertest.Stall}
	w := newWorld(t, parking, first, forever, geminitest.Say("At once."))
	e := w.start("fee.go")
	e.keys(":Emendo<CR>")
	e.sendPrompt("Look around.")
	e.waitFor("I look.")
	e.keys("Only at Go files.<M-s>")
	e.waitFor("1 queued: Only at Go files.")
	close(more)
	e.waitFor("This takes forever")
	if sent := w.lastRequest(); !strings.Contains(sent, "Only at Go files.") {
		t.Errorf("the last request lacks the prompt: %s", sent)
	}
	e.waitUntil("nothing is queued", `#require("emendo.session").view():queued() == 0`)
	e.sendPrompt("And later?")
	e.waitFor("1 queued: And later?")
	e.keys("<Esc>:Emendo queue<CR>")
	e.choose("later")
	e.choose("Send now")
	e.waitFor("At once.")
	e.waitUntil("the turn is over", idle)
	e.checkOrder("Look around.", "Only at Go files.", "This takes forever", "Cancelled", "And later?", "At once.")
	w.checkAllDeclared()
}

// The key interrupt cancels the running turn and sends what is in the prompt, before
// what is queued.
func TestInterrupting(t *testing.T) {
	forever := geminitest.Reply{Events: []geminitest.Event{geminitest.Text("This takes forever")}, End: servertest.Stall}
	w := newWorld(t, parking, forever, geminitest.Say("At once."), geminitest.Say("Later."))
	e := w.start("fee.go")
	e.keys(":Emendo<CR>")
	e.sendPrompt("Go on.")
	e.waitFor("This takes forever")
	e.sendPrompt("And later?")
	e.waitFor("1 queued: And later?")
	e.keys("Stop, do this.<M-x>")
	e.waitFor("At once.")
	e.waitForAnswer("Later.")
	e.checkOrder("Go on.", "This takes forever", "Cancelled", "Stop, do this.", "At once.", "And later?", "Later.")
	w.checkAllDeclared()
}

// <C-c> ends Insert mode in the prompt, and nothing else; in Normal mode it
// cancels the turn.
func TestInterruptKeyEndsInsertModeFirst(t *testing.T) {
	forever := geminitest.Reply{Events: []geminitest.Event{geminitest.Text("This takes forever")}, End: servertest.Stall}
	w := newWorld(t, parking, forever)
	e := w.start("fee.go")
	e.keys(":Emendo<CR>")
	e.sendPrompt("Go on.")
	e.waitFor("This takes forever")
	e.keys("a draft")
	e.waitForBuffer("emendo://prompt", "a draft\n")
	e.keys("<C-c>") // drops what was typed and not read
	e.waitUntil("Insert mode is over", `vim.fn.mode() == "n"`)
	e.waitForScreen()
	if value[bool](e, "return "+idle) {
		t.Error("the turn was cancelled")
	}
	e.waitForBuffer("emendo://prompt", "a draft\n")
	e.keys("<C-c>")
	e.waitUntil("the turn is over", idle)
	w.checkAllDeclared()
}
