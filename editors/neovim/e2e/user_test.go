//go:build editors

package e2e

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// What a user can see of how emendo stands, in Lua.
const (
	idle   = `(function() local s = require("emendo.session").current; return s and not s.running end)()`
	asking = `#require("emendo.questions").open > 0`
)

// replace is a call of the model's that proposes a passage for another one.
func replace(passage [2]string) geminitest.Event {
	args, err := json.Marshal(map[string]string{"file_path": "fee.go", "instruction": "fix the tariff", "old_string": passage[0], "new_string": passage[1]})
	if err != nil {
		panic(err) // strings encode
	}
	return geminitest.Call("replace", string(args))
}

// prompts types a question where the cursor is, which has to be the prompt, and
// sends it.
func (e *editor) prompts(question string) {
	e.t.Helper()
	e.until("the prompt is ready", `vim.endswith(vim.api.nvim_buf_get_name(0), "emendo://prompt") and vim.fn.mode() == "i"`)
	e.keys(strings.ReplaceAll(question, "<", "<lt>") + "<C-s>")
}

// visits goes to the window of a file.
func (e *editor) visits(file string) {
	e.t.Helper()
	e.keys("<C-\\><C-n>")
	e.lua(`vim.api.nvim_set_current_win(vim.fn.bufwinid(...))`, file)
}

// pending waits until so many hunks wait for a decision.
func (e *editor) pending(n int) {
	e.t.Helper()
	e.until("so many hunks are pending", `#require("emendo.changes").pending() == ...`, n)
}

var choice = regexp.MustCompile(`(?m)^(\d+): (.*)$`)

// chooses waits for a list of choices and takes the first that has the word.
func (e *editor) chooses(word string) {
	e.t.Helper()
	limit := time.After(patience)
	for {
		drawn := e.screen.next()
		for _, c := range choice.FindAllStringSubmatch(e.screen.String(), -1) {
			if strings.Contains(c[2], word) {
				e.keys(c[1] + "<CR>")
				return
			}
		}
		select {
		case <-drawn:
		case <-limit:
			e.fail("waited in vain for a choice of %q", word)
		}
	}
}
