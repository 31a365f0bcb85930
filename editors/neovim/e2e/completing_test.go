//go:build editors

package e2e

import (
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// openPrompt opens the prompt with a text in it and waits for the server.
func (e *editor) openPrompt(text string) {
	e.t.Helper()
	e.keys("\\ee")
	e.waitUntil("the prompt is ready", `vim.endswith(vim.api.nvim_buf_get_name(0), "emendo://prompt") and vim.fn.mode() == "i"`)
	e.waitUntil("the server is ready", `require("emendo.server.client").server.ready`)
	e.keys(text)
}

// The prompt has a language server inside Neovim, so that Neovim's own completion and
// plugins find it. Its edits replace what was typed, in lines of several bytes a
// character.
func TestCompletionByALanguageServerInside(t *testing.T) {
	w := newWorld(t, parking)
	e := w.start("fee.go")
	e.openPrompt("Häuser<CR>zur ü 𝄞 @fe.go")
	e.lua(`
		local buf = vim.fn.bufnr("emendo://prompt")
		local client = vim.lsp.get_clients({ bufnr = buf, name = "emendo-prompt" })[1]
		_G.triggers = client.server_capabilities.completionProvider.triggerCharacters
		local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
		vim.lsp.buf_request_all(buf, "textDocument/completion", params, function(results)
			_G.items = vim.tbl_values(results)[1].result.items
			_G.encoding = client.offset_encoding
		end)
		params = vim.tbl_extend("force", params, { position = { line = 0, character = 3 } })
		vim.lsp.buf_request_all(buf, "textDocument/completion", params, function(results)
			_G.none = vim.tbl_values(results)[1].result.items
		end)`)
	e.waitUntil("nothing is offered elsewhere", `_G.none and #_G.none == 0`)
	e.waitUntil("the file is offered", `_G.items and _G.items[1].label:find("fee.go", 1, true) and vim.deep_equal(_G.triggers, { "@", "/" })`)
	e.lua(`vim.lsp.util.apply_text_edits({ _G.items[1].textEdit }, vim.fn.bufnr("emendo://prompt"), _G.encoding)`)
	e.waitForBuffer("emendo://prompt", "Häuser\nzur ü 𝄞 @fee.go\n")
	w.checkAllDeclared()
}

// Neovim's own automatic completion by language servers completes the prompt.
func TestNeovimCompletesThePromptByItself(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("It is a tariff."))
	e := w.start("fee.go")
	if !value[bool](e, `return vim.lsp.completion ~= nil and vim.lsp.completion.enable ~= nil`) {
		e.lua(`vim.fn.getcompletion("", "cmdline")`) // Neovim 0.10 has none
		return
	}
	e.lua(`vim.o.completeopt = "menuone,noselect"
		vim.api.nvim_create_autocmd("LspAttach", { callback = function(event)
			local client = vim.lsp.get_client_by_id(event.data.client_id)
			if client.server_capabilities.completionProvider then
				vim.lsp.completion.enable(true, client.id, event.buf, { autotrigger = true })
			end
		end })`)
	e.openPrompt("see @")
	e.waitUntil("files are offered", `vim.fn.pumvisible() == 1`)
	e.waitFor("fee.go")
	w.checkAllDeclared()
}

// With 'autocomplete', what can follow an @ is offered as it is typed; nothing is
// inserted without a choice.
func TestAutocompleteOffersFiles(t *testing.T) {
	w := newWorld(t, parking)
	e := w.start("fee.go")
	if !value[bool](e, `return vim.fn.exists("+autocomplete") == 1`) {
		return // before Neovim 0.12
	}
	e.keys(":set autocomplete<CR>")
	e.openPrompt("see @fe.g")
	e.waitUntil("files are offered", `vim.fn.pumvisible() == 1`)
	e.waitForBuffer("emendo://prompt", "see @fe.g\n")
	e.keys("<C-n><C-y> now")
	e.waitForBuffer("emendo://prompt", "see @fee.go now\n")
}
