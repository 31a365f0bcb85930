//go:build editors

package e2e

import (
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// Mode and model are chosen from what the server offers, before there is a
// session and in one.
func TestModesAndModelsAreChosen(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("It is planned."), geminitest.Say("It is fast."))
	e := w.start("fee.go")
	e.keys(":Emendo mode auto_edit<CR>")
	e.sees("the next session has the mode auto_edit")
	e.keys(":Emendo<CR>")
	e.prompts("Plan it.")
	e.sees("! mode auto_edit in ") // which a restricted folder does not have
	e.sees(":Emendo trust trusts this folder.")
	e.wants("emendo://prompt", "Plan it.\n") // is not lost
	e.keys("<Esc>:Emendo mode<CR>")
	e.chooses("Plan: Reads and plans")
	e.sees("the next session has the mode plan")
	e.keys("<CR>")
	e.sees("It is planned.")
	e.until("the turn is over", idle)
	e.until("the session plans", `require("emendo").state().session.mode == "plan"`)
	e.sees("plan · ")

	e.keys(":Emendo model<CR>")
	e.chooses("Flash: The newest fast")
	e.sees("model: flash")
	e.keys(":Emendo mode<CR>")
	e.sees(": Plan (now): ")
	e.chooses("Edit freely")
	e.sees("is not trusted")
	e.until("the mode stays", `require("emendo").state().session.mode == "plan"`)
	e.keys(":Emendo mode<CR>")
	e.chooses("Ask: ")
	e.sees("mode: default")

	e.keys(":Emendo model<CR>")
	e.chooses("Another")
	e.sees("Model:")
	e.keys("gemini-2.5-flash-lite<CR>")
	e.sees("model: gemini-2.5-flash-lite")
	e.lua(`require("emendo").ask({ prompt = "Be fast." })`)
	e.sees("It is fast.")
	e.until("the turn is over", idle)
	asked := w.model.Requests()
	if first, last := asked[0].Model, asked[len(asked)-1].Model; first == last || last != "gemini-2.5-flash-lite" {
		t.Errorf("%s was asked first, %s last", first, last)
	}
	w.allDeclared()
}
