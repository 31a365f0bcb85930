//go:build editors

package e2e

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// Without the plugin, Neovim's own LSP client can use the server.
func TestWithoutThePlugin(t *testing.T) {
	w := newWorld(t, parking, geminitest.Do(
		geminitest.Text("The hours are cut off."),
		geminitest.Call("replace", `{"file_path":"fee.go","instruction":"count part hours","old_string":"hours := minutes / 60","new_string":"hours := (minutes + 59) / 60"}`),
	), geminitest.Say("Part hours count now."))
	e := w.startNeovim([]string{"--embed", "-n", "--clean", "fee.go"})
	e.lua(`
		local id = vim.lsp.start({ name = "emendo", cmd = { "emendo", "lsp" }, root_dir = vim.uv.cwd() })
		_G.client = vim.lsp.get_client_by_id(id)`)
	e.waitUntil("the server is there", "_G.client.initialized")
	e.focusEvents()

	e.lua(`_G.client.request("workspace/executeCommand", { command = "emendo.ask", arguments = { { prompt = "Why is the fee wrong?" } } }, function() end)`)
	e.waitUntil("a hunk is proposed", `#vim.diagnostic.get(0, {}) > 0`)
	e.lua(`_G.client.request("workspace/executeCommand", { command = "emendo.acceptAll" }, function() end)`)
	e.waitForBuffer("fee.go", strings.Replace(parking["fee.go"], "minutes / 60", "(minutes + 59) / 60", 1))
	e.waitFor("The conversation is in") // the last line of the message with the answer
	e.keys("<CR>")                      // for which Neovim 0.12 waits
	e.checkFocusKept()
	if w.read("fee.go") != parking["fee.go"] {
		t.Error("an open file was written on disk")
	}
	w.checkAllDeclared()
}
