//go:build editors

package e2e

import (
	"path/filepath"
	"testing"
)

// The plugin folds the sequences of agent/view as the server does: after each step it has the
// items, questions and hunks that the server has.
func TestAViewIsFoldedAsTheServerDoes(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	steps := value[int](e, `
		local View = require("emendo.session.view")
		-- Returns an item without what means the same whether it is there or not.
		local function cleaned(item)
			item = vim.deepcopy(item)
			for _, part in ipairs(item.parts or {}) do
				part.text = View.text(part)
				for k, v in pairs(part) do
					if v == 0 or v == "" then part[k] = nil end
				end
			end
			if vim.tbl_isempty(item.parts or {}) then item.parts = nil end
			return item
		end
		local function by_id(list)
			table.sort(list, function(a, b) return a.id < b.id end)
			return list
		end
		local steps = 0
		for number, sequence in ipairs(vim.json.decode((table.concat(vim.fn.readfile(...), "\n"):gsub('"after":null', '"after":false')), { luanil = { object = true } })) do
			local view = View.new()
			for _, step in ipairs(sequence) do
				if step.view then
					view:begin(step.view)
				end
				view:add_earlier(step.earlier and step.earlier.items or {})
				view:apply(step.changes or {})
				steps = steps + 1
				local hunks = vim.tbl_values(view.hunks)
				for what, both in pairs({
					items = { vim.tbl_map(cleaned, view:all()), step.items and vim.tbl_map(cleaned, step.items) },
					questions = { view.questions, step.questions },
					hunks = { by_id(hunks), step.hunks and by_id(step.hunks) },
				}) do
					if both[2] and not vim.deep_equal(both[1], both[2]) then
						error(("sequence %d, %s: %s\nwant %s"):format(number, what, vim.inspect(both[1]), vim.inspect(both[2])))
					end
				end
			end
		end
		return steps`, filepath.Join(repository, "agent", "view", "testdata", "sequences.json"))
	if steps < 100 {
		t.Errorf("only %d steps were played", steps)
	}
}

// An item of a kind that the plugin does not know is drawn like a notice.
func TestItemsOfOtherKindsAreDrawn(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	got := value[string](e, `
		local block = { item = { id = "x", kind = "mode", title = { text = "The mode is plan now" }, note = { text = "asked" }, parts = { { kind = "text", text = "It only reads." } } } }
		require("emendo.panel.item").render(block, require("emendo.session.view").new())
		return table.concat(block.head, "\n")`)
	if want := "! The mode is plan now  asked  It only reads."; got != want {
		t.Errorf("drawn is %q, want %q", got, want)
	}
}

// The panel says what the golden texts of the server say: how turns ended, what notices are
// about, how calls stand.
func TestThePanelSaysWhatTheServerSays(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	for _, file := range []string{"turns.jsonl", "notices.jsonl", "calls.jsonl"} {
		missing := value[[]string](e, `
			local item_block, View, visible = require("emendo.panel.item"), require("emendo.session.view"), require("emendo.text.visible")
			local missing, drawn = {}, 0
			for _, line in ipairs(vim.fn.readfile(...)) do
				local of = vim.json.decode(line, { luanil = { object = true } })
				local view = View.new()
				view:begin({ version = 1, items = of.items })
				for _, item in ipairs(view:all()) do
					local block, says = { item = item, open = true }, {}
					item_block.render(block, view)
					local text = table.concat(vim.list_extend(vim.list_extend({}, block.head), block.body or {}), "\n")
					local function want(said) says[#says + 1] = said and visible.text(said) end
					if item.kind == "turn" and item.state ~= "running" and item.state ~= "done" then
						want(item.title.text)
					elseif item.kind == "notice" or item.kind == "call" then
						want(item.title.text)
						want(item.note and item.note.text)
					end
					for _, l in ipairs(item.lines or {}) do
						if item.kind == "call" or l.id == "file" or l.id == "unasked" then want(l.text.text) end
					end
					for _, part in ipairs(item.kind == "notice" and item.parts or {}) do want(part.text) end
					drawn = drawn + #says
					for _, said in ipairs(says) do
						if not text:find(said, 1, true) then
							missing[#missing + 1] = ("%s: %q is missing in %q"):format(of.name, said, text)
						end
					end
				end
			end
			assert(drawn >= 20, drawn)
			return missing`, filepath.Join(repository, "agent", "view", "testdata", file))
		if len(missing) > 0 {
			t.Errorf("%s: %q", file, missing)
		}
	}
}

// The buffer says what the golden texts of the server say of hunks in each state: what each is
// about and what is to be known of it, as far as the window is wide enough, and what the keys do.
func TestTheBufferSaysWhatTheServerSaysOfHunks(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	missing := value[[]string](e, `
		local drawing, window, changes = require("emendo.review.drawing"), require("emendo.session.window"), require("emendo.review.changes")
		local buf, missing, drawn = vim.api.nvim_get_current_buf(), {}, 0
		require("emendo.server.buffers").paths[buf] = require("emendo.server.paths").of_buffer(buf)
		local verbs = {}
		for id, text in pairs({ accept = "Accept", reject = "Reject", keep = "Keep", undo = "Undo", dismiss = "Dismiss" }) do
			verbs[#verbs + 1] = { id = id, title = { text = text } }
		end
		for _, line in ipairs(vim.fn.readfile(...)) do
			local of = vim.json.decode((line:gsub("file:///w/a%.go", vim.uri_from_bufnr(buf))), { luanil = { object = true } })
			of.hunks[1].version = 0
			window.view:begin({ version = 1, items = of.items, hunks = of.hunks, verbs = verbs })
			require("emendo.events").emit("window", nil)
			drawing.buffer(buf)
			local h = changes.known[of.hunks[1].id]
			local says = drawing.hint(h, 1000)
			local function want(text)
				if not says:find(text, 1, true) then
					missing[#missing + 1] = ("%s: %q is missing in %q"):format(of.name, text, says)
				end
			end
			if h.label.code ~= "hunk.modify" then want(h.label.text) end
			for _, mark in ipairs(h.marks or {}) do want(mark.text.text) end
			for _, action in ipairs(window.view:actions(h)) do
				if action.id == drawing.actions[h.state].accept then want(action.title.short or action.title.text) end
			end
			local shown = {}
			for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buf, -1, 0, -1, { details = true })) do
				for _, row in ipairs(vim.list_extend({ mark[4].virt_text or {} }, mark[4].virt_lines or {})) do
					for _, chunk in ipairs(row) do shown[#shown + 1] = chunk[1] end
				end
			end
			shown, drawn = table.concat(shown), drawn + 1
			if not shown:find(drawing.hint(h, 20), 1, true) then
				missing[#missing + 1] = ("%s: %q is not drawn in %q"):format(of.name, drawing.hint(h, 20), shown)
			end
		end
		assert(drawn >= 20, drawn)
		return missing`, filepath.Join(repository, "agent", "view", "testdata", "hunks.jsonl"))
	if len(missing) > 0 {
		t.Errorf("%q", missing)
	}
}
