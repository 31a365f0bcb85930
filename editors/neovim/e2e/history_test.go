//go:build editors

package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// The prompts of a folder come back with <Up>, over sessions and Neovims; the draft
// comes back with <Down>. Inside a prompt of several lines the keys move the cursor.
func TestPromptsComeBack(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("Answer one."), geminitest.Say("Answer two."), geminitest.Say("Answer three."))
	e := w.start("fee.go")
	e.keys("\\ee")
	e.sendPrompt("One?")
	e.waitForAnswer("Answer one.")
	e.keys("Two,<CR>at length?<C-s>")
	e.waitForAnswer("Answer two.")
	e.quit()

	e = w.start("fee.go")
	e.keys(":Emendo ask Three?<CR>")
	e.waitForAnswer("Answer three.")
	e.keys(":Emendo<CR>a draft<CR>of two lines")
	prompt := func(keys, want string) {
		t.Helper()
		e.keys(keys)
		e.waitForBuffer("emendo://prompt", want)
	}
	prompt("<Up>", "a draft\nof two lines\n")
	e.waitUntil("the cursor moved", `vim.api.nvim_win_get_cursor(0)[1] == 1`)
	prompt("<Up>", "Three?\n")
	prompt("<Up>", "Two,\nat length?\n")
	prompt("<Up>", "One?\n")
	prompt("<Up>", "One?\n")
	prompt(" Really?", "One? Really?\n")
	prompt("<Down>", "Two,\nat length?\n")
	prompt("<Up><Up>", "One? Really?\n")
	prompt("<Down><Down>", "Three?\n")
	prompt("<Down>", "a draft\nof two lines\n")
	prompt("<Esc>u", "Three?\n")

	private := false
	err := filepath.WalkDir(w.path("../state"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".jsonl" {
			info, err := entry.Info()
			private = err == nil && info.Mode().Perm() == 0o600
		}
		return err
	})
	if err != nil || !private {
		t.Errorf("the prompts are not stored in a private file: %v", err)
	}
	w.checkAllDeclared()
}

// With history = 0 nothing is stored.
func TestNoPromptsAreStored(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("Answer one."))
	e := w.start("fee.go")
	e.lua(`require("emendo").setup({ history = 0 })`)
	e.keys("\\ee")
	e.sendPrompt("One?")
	e.waitForAnswer("Answer one.")
	e.keys("<Up>a draft")
	e.waitForBuffer("emendo://prompt", "a draft\n")
	if _, err := os.Stat(w.path("../state/nvim/emendo/prompts")); !os.IsNotExist(err) {
		t.Errorf("there is a folder of prompts: %v", err)
	}
}
