//go:build editors

package e2e

import (
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// The prompt completes files by letters of their path, and slash commands. The chosen
// file is attached.
func TestThePromptCompletesFilesAndCommands(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("It is a tariff."))
	e := w.start("fee.go")
	e.keys("\\ee")
	e.keys("Häuser 𝄞<CR>zur ü 𝄞 @fe.go<C-x><C-o>")
	e.waitUntil("the file is offered", `vim.fn.pumvisible() == 1`)
	e.keys("<C-y> please")
	e.waitForBuffer("emendo://prompt", "Häuser 𝄞\nzur ü 𝄞 @fee.go please\n")
	e.keys("<C-s>")
	e.waitFor("It is a tariff.")
	e.waitUntil("the turn is over", idle)
	e.keys("/mo<C-x><C-o>")
	e.waitUntil("the commands are offered", `vim.fn.pumvisible() == 1`)
	e.keys("<C-y>")
	e.waitForBuffer("emendo://prompt", "/mode \n")
	w.checkAllDeclared()
}
