//go:build editors

package e2e

import (
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// Mode and model are chosen from the server's lists, before and in a session.
func TestModesAndModelsAreChosen(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("It is planned."), geminitest.Say("It is fast."))
	e := w.start("fee.go")
	e.keys(":Emendo mode auto_edit<CR>")
	e.waitFor("the next session has the mode auto_edit")
	e.keys(":Emendo<CR>")
	e.sendPrompt("Plan it.")
	e.waitFor("! Mode auto_edit in ") // which a restricted folder does not have
	e.waitFor("▸ Trust this folder")
	e.waitForBuffer("emendo://prompt", "Plan it.\n") // is not lost
	e.keys("<Esc>:Emendo mode<CR>")
	e.choose("Plan: Reads and plans")
	e.waitFor("the next session has the mode plan")
	e.keys("<CR>")
	e.waitFor("It is planned.")
	e.waitUntil("the turn is over", idle)
	e.waitUntil("the session plans", `require("emendo").state().session.mode == "plan"`)
	e.waitFor("Plan · ")

	e.keys(":Emendo model<CR>")
	e.choose("Flash: The newest fast")
	e.waitFor("model: flash")
	e.keys(":Emendo mode<CR>")
	e.waitFor(": Plan (now): ")
	e.choose("Edit freely")
	e.waitFor("is not trusted")
	e.waitUntil("the mode stays", `require("emendo").state().session.mode == "plan"`)
	e.keys(":Emendo mode<CR>")
	e.choose("Ask: ")
	e.waitFor("mode: default")

	e.keys(":Emendo model<CR>")
	e.choose("Another")
	e.waitFor("Model:")
	e.keys("gemini-2.5-flash-lite<CR>")
	e.waitFor("model: gemini-2.5-flash-lite")
	e.lua(`require("emendo").ask({ prompt = "Be fast." })`)
	e.waitFor("It is fast.")
	e.waitUntil("the turn is over", idle)
	asked := w.model.Requests()
	if first, last := asked[0].Model, asked[len(asked)-1].Model; first == last || last != "gemini-2.5-flash-lite" {
		t.Errorf("%s was asked first, %s last", first, last)
	}
	w.checkAllDeclared()
}

// A menu of code actions asks in the conversation, whose panel opens to show the answer.
func TestACodeActionAnswersInThePanel(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("It is a tariff."), geminitest.Say("It is a receipt."))
	e := w.start("fee.go")
	e.lua(`require("emendo.server.client").ensure(function() end)`)
	e.waitUntil("the file is attached", `#vim.lsp.get_clients({ bufnr = 0, name = "emendo" }) == 1`)
	explain := `:lua vim.lsp.buf.code_action({ apply = true, filter = function(a) return a.title == "Explain with emendo" end })<CR>`
	e.keys(explain)
	e.waitFor("It is a tariff.")
	e.waitUntil("the turn is over", idle)
	e.waitUntil("the cursor stays in the file", `vim.fs.basename(vim.api.nvim_buf_get_name(0)) == "fee.go"`)
	session := value[string](e, `return require("emendo").state().session.id`)
	e.lua(`require("emendo.panel").close()`)
	e.keys("5G" + explain)
	e.waitFor("It is a receipt.")
	if again := value[string](e, `return require("emendo").state().session.id`); again != session {
		t.Errorf("the second question is in session %s, the first in %s", again, session)
	}
}
