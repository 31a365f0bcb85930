//go:build editors

package e2e

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// Conditions of emendo's state, in Lua.
const (
	idle   = `(function() local s = require("emendo.session").current; return s and not s.running end)()`
	asking = `#require("emendo.session.questions").open > 0`
)

// replace returns a call of the model that replaces a passage by another.
func replace(passage [2]string) geminitest.Event {
	args, err := json.Marshal(map[string]string{"file_path": "fee.go", "instruction": "fix the tariff", "old_string": passage[0], "new_string": passage[1]})
	if err != nil {
		panic(err) // only strings
	}
	return geminitest.Call("replace", string(args))
}

// sendPrompt types a question and sends it. The cursor must be in the prompt.
func (e *editor) sendPrompt(question string) {
	e.t.Helper()
	e.waitUntil("the prompt is ready", `vim.endswith(vim.api.nvim_buf_get_name(0), "emendo://prompt") and vim.fn.mode() == "i"`)
	e.keys(strings.ReplaceAll(question, "<", "<lt>") + "<C-s>")
}

// goTo goes to the window of a file.
func (e *editor) goTo(file string) {
	e.t.Helper()
	e.keys("<C-\\><C-n>")
	e.lua(`vim.api.nvim_set_current_win(vim.fn.bufwinid(...))`, file)
}

// replaceServer ends the server and waits until another one has the session, which has items.
func (e *editor) replaceServer(end func()) {
	e.t.Helper()
	before := value[int](e, `return require("emendo.server.client").server.client.id`)
	end()
	e.waitUntil("another server has the session", `(function(before)
		local server, session = require("emendo.server.client").server, require("emendo.session").current
		return server.ready and server.client.id ~= before and session and not session.stale
	end)(...)`, before)
}

// waitForPending waits until n hunks are pending.
func (e *editor) waitForPending(n int) {
	e.t.Helper()
	e.waitUntil(fmt.Sprintf("%d hunks are pending", n), `#require("emendo.review.changes").pending() == ...`, n)
}

var choice = regexp.MustCompile(`(?m)^(\d+): (.*)$`)

// choose waits for a list of choices and picks the first that contains the word.
func (e *editor) choose(word string) {
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
			e.fail("timed out waiting for the choice %q", word)
		}
	}
}
