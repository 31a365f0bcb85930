//go:build editors

package e2e

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// order fails when the panel does not have the texts once each, in this order.
func (e *editor) order(texts ...string) {
	e.t.Helper()
	rest := e.buffer("emendo://panel")
	for _, text := range texts {
		_, after, found := strings.Cut(rest, text)
		if !found || strings.Contains(after, text) {
			e.fail("%q does not stand once where it should in\n%s", text, e.buffer("emendo://panel"))
		}
		rest = after
	}
}

// Questions that wait are seen, edited, moved and removed; after <C-c> they wait
// until they are resumed.
func TestQueuedQuestions(t *testing.T) {
	forever := geminitest.Reply{Events: []geminitest.Event{geminitest.Text("This takes forever")}, End: geminitest.Stall}
	w := newWorld(t, parking, forever, geminitest.Say("Answer three."), geminitest.Say("Answer two."))
	e := w.start("fee.go")
	e.keys(":Emendo<CR>")
	e.prompts("Zero?")
	e.sees("This takes forever")
	e.sees("<C-s> queues · <M-s> steers")
	queued := func(n int) {
		t.Helper()
		e.until("so many are queued", `#require("emendo.queue").items() == ...`, n)
	}
	for i, question := range []string{"One?", "Two?", "Three?"} {
		e.prompts(question)
		queued(i + 1)
	}
	e.sees("3 queued: One?")
	e.snapshot("queue")

	e.keys("<Esc>:Emendo queue<CR>")
	e.chooses("One?")
	e.chooses("Remove")
	queued(2)
	e.keys(":Emendo queue<CR>")
	e.chooses("Two?")
	e.chooses("Edit")
	e.until("it can be edited", `vim.startswith(vim.api.nvim_buf_get_name(0), "emendo://queued/")`)
	e.keys("ccTwo, at length?<Esc>:w<CR>")
	e.sees("2 queued: Two, at length?")
	e.keys(":Emendo queue<CR>")
	e.chooses("Three?")
	e.chooses("front")
	e.sees("2 queued: Three?")

	e.keys(":Emendo cancel<CR>")
	e.until("the turn is over", idle)
	e.sees("2 paused: Three?")
	if n := len(w.model.Requests()); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
	e.keys(":Emendo queue<CR>")
	e.chooses("Resume")
	e.sees("Answer two.")
	e.until("the turn is over", idle)
	queued(0)
	e.order("Zero?", "Cancelled", "Three?", "Answer three.", "Two, at length?", "Answer two.")
	w.allDeclared()
}

// Steering reaches the turn that runs; a question that waits can be sent at once.
func TestSteering(t *testing.T) {
	more := make(chan struct{})
	first := geminitest.Do(geminitest.Text("I look."), geminitest.Call("list_directory", `{"dir_path":"."}`))
	first.Events[1].Hold = more
	forever := geminitest.Reply{Events: []geminitest.Event{geminitest.Text("This takes forever")}, End: geminitest.Stall}
	w := newWorld(t, parking, first, forever, geminitest.Say("At once."))
	e := w.start("fee.go")
	e.keys(":Emendo<CR>")
	e.prompts("Look around.")
	e.sees("I look.")
	e.keys("Only at Go files.<M-s>")
	e.sees("1 queued: Only at Go files.")
	close(more)
	e.sees("This takes forever")
	if told := w.asked(); !strings.Contains(told, "Only at Go files.") {
		t.Errorf("the turn was not told: %s", told)
	}
	e.until("nothing is queued", `#require("emendo.queue").items() == 0`)
	e.prompts("And later?")
	e.sees("1 queued: And later?")
	e.keys("<Esc>:Emendo queue<CR>")
	e.chooses("later")
	e.chooses("End the running turn")
	e.sees("At once.")
	e.until("the turn is over", idle)
	e.order("Look around.", "Only at Go files.", "This takes forever", "Cancelled", "And later?", "At once.")
	w.allDeclared()
}

// <C-c> ends Insert mode in the prompt, and nothing else; in Normal mode it
// cancels the turn.
func TestInterruptKeyEndsInsertModeFirst(t *testing.T) {
	forever := geminitest.Reply{Events: []geminitest.Event{geminitest.Text("This takes forever")}, End: geminitest.Stall}
	w := newWorld(t, parking, forever)
	e := w.start("fee.go")
	e.keys(":Emendo<CR>")
	e.prompts("Go on.")
	e.sees("This takes forever")
	e.keys("a draft")
	e.wants("emendo://prompt", "a draft\n")
	e.keys("<C-c>") // drops what was typed and not read
	e.until("Insert mode is over", `vim.fn.mode() == "n"`)
	e.drawn()
	if value[bool](e, "return "+idle) {
		t.Error("the turn was cancelled")
	}
	e.wants("emendo://prompt", "a draft\n")
	e.keys("<C-c>")
	e.until("the turn is over", idle)
	w.allDeclared()
}
