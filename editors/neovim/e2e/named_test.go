//go:build editors

package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every subcommand is in the help, has a function and completes; every function is in
// the help; every key of the options is in the help with its default, and is mapped.
func TestCommandsFunctionsKeysAndHelpAgree(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(repository, "editors", "neovim", "doc", "emendo.txt"))
	if err != nil {
		t.Fatal(err)
	}
	help := string(text)
	e := newWorld(t, parking).start("fee.go")

	commands := value[[]string](e, `return require("emendo.command").names()`)
	completed := value[[]string](e, `return vim.fn.getcompletion("Emendo ", "cmdline")`)
	if !slices.Equal(commands, completed) {
		t.Errorf("the subcommands %v complete as %v", commands, completed)
	}
	for _, name := range commands {
		if !strings.Contains(help, "*:Emendo-"+name+"*") {
			t.Errorf(":Emendo %s is not in the help", name)
		}
		if !value[bool](e, `return vim.is_callable(require("emendo")[...])`, name) {
			t.Errorf(":Emendo %s has no function", name)
		}
	}
	for _, found := range regexp.MustCompile(`\*:Emendo-([a-z_]+)\*`).FindAllStringSubmatch(help, -1) {
		if !slices.Contains(commands, found[1]) {
			t.Errorf("the help has :Emendo %s, which is no command", found[1])
		}
	}

	functions := append(value[[]string](e, `return vim.list_extend({ "setup", "status" }, vim.tbl_keys(require("emendo.api")))`), value[[]string](e, `return vim.tbl_keys(require("emendo.commands.prompts").all())`)...)
	for _, name := range functions {
		if !strings.Contains(help, "*emendo."+name+"()*") {
			t.Errorf("the function %s is not in the help", name)
		}
	}
	for _, found := range regexp.MustCompile(`\*emendo\.([a-z_]+)\(\)\*`).FindAllStringSubmatch(help, -1) {
		if !slices.Contains(functions, found[1]) {
			t.Errorf("the help has the function %s, which does not exist", found[1])
		}
	}

	e.lua(`require("emendo").open()`)
	e.waitUntil("the prompt is there", `require("emendo.panel.prompt").window()`)
	for _, where := range []string{"", "panel", "prompt"} {
		keys := value[map[string]any](e, `
			local keys = require("emendo.config").defaults.keys
			local list = {}
			for name, lhs in pairs(... == "" and keys or keys[...]) do
				if name ~= "panel" and name ~= "prompt" then list[name] = type(lhs) == "table" and table.concat(lhs, " ") or lhs end
			end
			return list`, where)
		for name, lhs := range keys {
			line := regexp.MustCompile(`(?m)^    ` + name + ` +` + regexp.QuoteMeta(lhs.(string)) + ` +\S`)
			if !line.MatchString(help) {
				t.Errorf("the help does not have the key %s of %q with its default %s", name, where, lhs)
			}
			for _, one := range strings.Fields(lhs.(string)) {
				mapped := value[bool](e, `
					local where, lhs = ...
					local buf = where == "" and 0 or vim.fn.bufnr("emendo://" .. where)
					return vim.api.nvim_buf_call(buf, function() return vim.startswith(vim.fn.maparg(lhs, "n", false, true).desc or "", "emendo: ") end)`, where, one)
				if !mapped {
					t.Errorf("the key %s of %s in %q is not mapped", one, name, where)
				}
			}
		}
	}
}

// Every key can be replaced by another or turned off, also after the panel was opened.
func TestEveryKeyCanBeChanged(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	e.keys("\\ee<Esc>")
	e.waitUntil("the panel is there", `require("emendo.panel").window()`)
	wrong := value[[]string](e, `
		local config, wrong, n = require("emendo.config"), {}, 0
		local function desc(buf, lhs)
			return vim.api.nvim_buf_call(buf, function() return vim.fn.maparg(lhs, "n", false, true).desc or "" end)
		end
		local places = { { "", vim.fn.bufnr("fee.go") }, { "panel", vim.fn.bufnr("emendo://panel") }, { "prompt", vim.fn.bufnr("emendo://prompt") } }
		for _, place in ipairs(places) do
			local where, buf = unpack(place)
			local defaults = where == "" and config.defaults.keys or config.defaults.keys[where]
			for name, lhs in pairs(defaults) do
				if name ~= "panel" and name ~= "prompt" then
					n = n + 1
					local key = ("<leader>z%d_"):format(n)
					local function try(value)
						local keys = { [name] = value }
						require("emendo").setup({ keys = where == "" and keys or { [where] = keys } })
					end
					lhs = type(lhs) == "table" and lhs[1] or lhs
					local was = desc(buf, lhs)
					try({ key, key .. "x" })
					if was == "" or desc(buf, key) ~= was or desc(buf, key .. "x") ~= was or desc(buf, lhs) == was then table.insert(wrong, where .. "." .. name) end
					try(false)
					if desc(buf, key) ~= "" or desc(buf, lhs) == was then table.insert(wrong, where .. "." .. name .. " off") end
				end
			end
		end
		require("emendo").setup({})
		return wrong`)
	if len(wrong) > 0 {
		t.Errorf("these cannot be changed: %v", wrong)
	}
}

// A misspelled option is reported, also a nested one.
func TestUnknownOptionsAreReported(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	said := value[[]string](e, `
		local said, notify = {}, vim.notify
		vim.notify = function(text) table.insert(said, text) end
		require("emendo").setup({ kyes = {}, keys = { panel = { yunk = "Y" } }, prompts = { ask = "no" } })
		vim.notify = notify
		require("emendo").setup({})
		table.sort(said)
		return said`)
	want := []string{
		`emendo: :Emendo ask is a command; give the prompt another name`,
		`emendo: setup has no option "keys.panel.yunk"; see :help emendo-options`,
		`emendo: setup has no option "kyes"; see :help emendo-options`,
	}
	if !slices.Equal(said, want) {
		t.Errorf("got %q, want %q", said, want)
	}
}
