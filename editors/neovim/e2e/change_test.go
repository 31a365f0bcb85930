//go:build editors

package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/agent/model/servertest"
)

const noAsides = `#require("emendo.session.window").view:of("task") == 0`

// Selected lines are edited by an instruction: the result is hunks in the buffer. The
// panel stays closed, and the conversation does not have the edit.
func TestLinesAreEditedInPlace(t *testing.T) {
	more := make(chan struct{})
	edit := geminitest.Do(replace(hours))
	edit.Hold = more
	w := newWorld(t, parking, geminitest.Say("A tariff."), edit, geminitest.Say("Done."), geminitest.Say("Still a tariff."))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "What is it?", open = false })`)
	e.waitUntil("the turn is over", `(function() local s = require("emendo.session").current; return s and s.stop end)()`)
	e.keys("gg/hours := minutes<CR>V\\ec")
	e.waitFor("Change line 17:")
	e.keys("Count started hours.<CR>")
	e.waitFor("Count started hours.  :Emendo cancel")
	e.focusEvents()
	close(more)
	e.waitForPending(1)
	e.waitFor("(minutes + 59) / 60")
	e.waitForScreen()
	if s := e.screen.String(); strings.Contains(s, ":Emendo cancel") || strings.Contains(s, "emendo://panel") {
		e.fail("it still shows that it works, or the panel is open")
	}
	e.checkFocusKept()
	sent := w.lastRequest()
	if !strings.Contains(sent, `hours := minutes / 60\n`) || !strings.Contains(sent, "Count started hours.") || strings.Contains(sent, "What is it?") {
		t.Errorf("the last request is %s", sent)
	}
	e.keys(":Emendo accept_all<CR>")
	e.waitForBuffer("fee.go", strings.Replace(parking["fee.go"], hours[0], hours[1], 1))
	e.waitUntil("it is over", noAsides)
	e.keys("u")
	e.waitForBuffer("fee.go", parking["fee.go"])
	e.lua(`require("emendo").ask({ prompt = "And now?", open = false })`)
	e.waitUntil("the turn is over", `#require("emendo.session").turns(require("emendo.session").current) == 2 and not require("emendo.session").current.running`)
	if sent := w.lastRequest(); strings.Contains(sent, "Count started hours.") || !strings.Contains(sent, "What is it?") {
		t.Errorf("the last request is %s", sent)
	}
	if n := value[int](e, `return vim.tbl_count(require("emendo.session").all)`); n != 1 {
		t.Errorf("%d sessions are known", n)
	}
	w.checkAllDeclared()
}

// Without a range it is about the function at the cursor. :Emendo cancel in the buffer
// cancels it and not the turn that is shown; an answer without an edit is shown.
func TestAnEditInPlaceIsCancelled(t *testing.T) {
	forever := func(text string) geminitest.Reply {
		return geminitest.Reply{Events: []geminitest.Event{geminitest.Text(text)}, End: servertest.Stall}
	}
	w := newWorld(t, withTariff(), forever("This takes forever"), forever("So does this"))
	e := w.start("tariff.lua")
	e.lua(`require("emendo").ask({ prompt = "Go on." })`)
	e.waitFor("This takes forever")
	e.goTo("tariff.lua")
	e.keys("5gg:Emendo change Use cents.<CR>")
	e.waitFor("Use cents.  :Emendo cancel")
	for limit := time.Now().Add(patience); len(w.model.Requests()) < 2; e.waitForScreen() {
		if time.Now().After(limit) {
			e.fail("the model is not asked")
		}
	}
	e.keys(":Emendo cancel<CR>")
	e.waitUntil("it is over", noAsides)
	if value[bool](e, "return "+idle) {
		t.Error("the turn in the panel was cancelled")
	}
	e.keys(":Emendo cancel<CR>")
	e.waitUntil("the turn is over", idle)

	w.model.Add(geminitest.Say("There is nothing to do."))
	e.keys("5gg:Emendo change Use cents.<CR>")
	e.waitFor("No edit was proposed. There is nothing to do.")
	sent := w.lastRequest()
	if !strings.Contains(sent, `function M.fee(minutes)\n  local hours = minutes / 60\n  return hours * 200\nend\n`) {
		t.Errorf("the last request is %s", sent)
	}
	e.waitForBuffer("tariff.lua", tariff)
	w.checkAllDeclared()
}
