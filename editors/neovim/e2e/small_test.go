//go:build editors

package e2e

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// small are the screens of small terminals.
var small = [][2]int{{80, 24}, {60, 20}}

// take sets the size of the screen and waits until Neovim has drawn it.
func (e *editor) take(size [2]int) {
	e.t.Helper()
	e.resize(size[0], size[1])
	e.waitUntil("the screen has its size", `vim.o.columns == ... and vim.o.lines == select(2, ...)`, size[0], size[1])
	e.waitForScreen()
}

// In a small window the welcome says first what is missing, and the rest below. That the
// folder is restricted is said once, and in the conversation as soon as there is one.
func TestTheWelcomeInSmallWindows(t *testing.T) {
	w := newWorld(t, parking)
	w.withoutKey()
	e := w.start("fee.go")
	e.keys(":13,15Emendo ask<CR>")
	e.waitFor("Sign in to begin")
	e.waitFor("Restricted mode")
	e.waitUntil("there is a session", idle)
	for _, size := range small {
		e.take(size)
		e.snapshot("welcome-" + strings.Repeat("i", size[0]/40))
		panel := e.panelText()
		for i, shown := range []string{"Sign in to begin", "▸ Sign in", "Restricted mode", "▸ Trust this folder"} {
			if n := strings.Count(panel, shown); n != 1 && (i == 0 || size == small[0]) {
				t.Errorf("in %d columns %q is shown %d times:\n%s", size[0], shown, n, e.screen)
			}
		}
	}

	e.lua(`
		local session = require("emendo.session")
		for i, said in ipairs({ "Why?", "And why?" }) do
			require("emendo.events").emit("turn_begins")
			session.view():apply({
				{ item = { id = "t" .. i, kind = "turn", state = "running", title = { text = "" } } },
				{ item = { id = "m" .. i, parent = "t" .. i, kind = "user", title = { text = "" }, parts = { { kind = "text", text = said } } } } })
		end`)
	e.waitFor("And why?")
	conversation := e.buffer("emendo://panel")
	before, after, _ := strings.Cut(conversation, "Why?")
	if !strings.Contains(before, "! Restricted mode") || strings.Contains(after, "Restricted") {
		t.Errorf("the conversation does not say once that the folder is restricted:\n%s", conversation)
	}
}

// The lines above the panel and the prompt fit windows of every width: Neovim would cut
// off their beginning.
func TestLinesAboveFitEveryWidth(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	e.lua(`require("emendo").open()`)
	e.waitUntil("there is a session", idle)
	e.lua(`
		local long = ("name "):rep(30)
		local function chips(...)
			local list = {}
			for i, text in ipairs({ ... }) do list[i] = { label = { text = text }, kind = "image" } end
			return list
		end
		_G.chips = {
			{}, chips("fee.go"), chips("fee.go:13-15", "fee.go", "2 problems", "AGENTS.md"), chips(long), chips(long, "AGENTS.md", "memory"),
			chips("価格.go:13-15", "価格.go"), chips(unpack(vim.fn["repeat"]({ "a.md" }, 120))), chips("100%.go", "%f"),
		}
		_G.queued = { "", "2 queued: Why?", "queue paused: " .. long, "12 queued: 100% 価格" .. long }
		_G.titles = { "Why?", long, "価格" .. long }
		_G.poor = function(columns)
			local session, c, q, bar, poor = require("emendo.session"), require("emendo.panel.chips"), require("emendo.session.view"), require("emendo.panel.winbar"), {}
			local pair = require("emendo.windows.layout").pair()
			vim.api.nvim_win_set_width(pair.panel, columns)
			local width = vim.api.nvim_win_get_width(pair.panel)
			local function check(what, win, line)
				local text = vim.api.nvim_win_call(win, line):gsub("%%#%w+#", ""):gsub("%%[=<]", ""):gsub("%%%%", "%%")
				if vim.fn.strdisplaywidth(text) > width then table.insert(poor, ("%d: %s: %q"):format(width, what, text)) end
				if what:find("chips [2345678],.*queued 1,") and not text:find("^ +[^ +]") then table.insert(poor, ("%d: %s: %q has no name"):format(width, what, text)) end
			end
			local list, brief = c.list, q.queue_brief
			for _, running in ipairs({ false, true }) do
				session.current.running = running
				for i, chips in ipairs(_G.chips) do
					for j, queued in ipairs(_G.queued) do
						c.list, q.queue_brief = function() return chips end, function() return queued end
						check(("chips %d, queued %d, running %s"):format(i, j, running), pair.prompt, c.winbar)
					end
				end
				for i, title in ipairs(_G.titles) do
					session.current.title = title
					session.current.view.status = { title = { text = "Working…" }, at = "2026-01-01T00:00:00.000Z", lines = {
						{ id = "pending", look = "edit", text = { text = "3 changes wait for your decision", short = "3 to decide" } }, { id = "mode", text = { text = "Edit freely" } },
						{ id = "model", text = { text = "openai/gpt-5.1-codex", short = "gpt-5.1-codex" } }, { id = "context", share = 0.85, look = "warning", text = { text = "85 of 100 tokens", short = "85 %" } },
						{ id = "input", text = { text = "123456 tokens", short = "↑123k" } }, { id = "output", text = { text = "999 tokens", short = "↓999" } } } }
					check("title " .. i, pair.panel, bar.winbar)
					check("status line " .. i, pair.panel, bar.statusline)
				end
			end
			c.list, q.queue_brief, session.current.running = list, brief, false
			return table.concat(poor, "\n")
		end`)
	for columns := 20; columns <= 90; columns += 7 {
		if poor := value[string](e, `return _G.poor(...)`, columns); poor != "" {
			t.Errorf("lines are too long:\n%s", poor)
		}
	}
}

// The message that names a question goes with it, however it was answered, and is not
// shown again after typing. Other messages stay.
func TestTheMessageGoesWithItsQuestion(t *testing.T) {
	const message = "emendo: Run this command? make all"
	e := newWorld(t, parking).start("fee.go")
	e.lua(`vim.keymap.set({ "n", "i" }, "<F5>", function() require("emendo").permission("allow_once") end)`)
	for _, size := range append(small, [2]int{columns, rows}) {
		e.take(size)
		for _, how := range []struct{ name, before, answer, after string }{
			{"by a key", "", "<F5>", ""},
			{"in Insert mode", "A", "<F5>", "<Esc>"},
			{"in the panel", ":lua require('emendo.panel').show(); vim.api.nvim_set_current_win(require('emendo.panel').window())<CR>", "G1", ":Emendo close<CR>"},
			{"elsewhere", "", "", ""},
		} {
			e.keys(how.before)
			e.waitUntil("the keys are taken", `(vim.fn.mode() == "i") == ...`, how.before == "A")
			e.askOfCommand("make all")
			e.waitUntil("it asks "+how.name, asking)
			if how.answer == "G1" {
				e.lastQuestion()
			}
			e.waitForScreen()
			if last := e.lastRow(); how.before != "A" && !strings.HasPrefix(last, message[:20]) { // drawing again shows the mode
				t.Errorf("%s, %v: the message is %q", how.name, size, last)
			}
			if e.keys(how.answer); how.answer == "" {
				e.lua(`_G.withdraw()`)
			}
			e.waitUntil("it is answered "+how.name, `not (`+asking+`)`)
			e.keys(how.after)
			e.waitUntil("Insert mode is over", `vim.fn.mode() == "n"`)
			e.waitForScreen()
			if last := e.lastRow(); strings.Contains(last, "Run this") {
				t.Errorf("%s, %v: the message is still %q", how.name, size, last)
			}
		}
	}
	e.askOfCommand("make all")
	e.waitFor(message)
	e.keys(":echo 'the text of another'<CR><F5>")
	e.waitUntil("it is answered", `not (`+asking+`)`)
	e.waitForScreen()
	if last := e.lastRow(); !strings.HasPrefix(last, "the text of another") {
		t.Errorf("the message of another is gone: %q", last)
	}
}

// lastRow returns the text of the last row of the screen.
func (e *editor) lastRow() string {
	lines := strings.Split(strings.TrimSuffix(e.screen.String(), "\n"), "\n")
	return lines[len(lines)-1]
}

// No message waits for Enter, in small windows, without a status line, without a command
// line, and while the user types a command; what comes then is shown afterwards.
func TestNoMessageWaitsForEnter(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	said := strings.Repeat("said much of it ", 20)
	tell := func(what string) {
		t.Helper()
		if m, err := e.nvim.Mode(); err != nil || m.Mode == "r" || m.Mode == "rm" {
			e.fail("%s: Neovim waits for Enter (%v, %v)", what, m, err)
		}
	}
	for _, size := range small {
		e.take(size)
		for _, options := range []string{"", "laststatus=0 ruler showcmd", "cmdheight=0", "cmdheight=2"} {
			e.lua(`vim.cmd("set all& shortmess&"); vim.cmd("set nomore noswapfile hidden " .. ...)`, options)
			e.waitForScreen()
			for _, kind := range []string{"info", "warn", "error", "hint"} {
				e.lua(`require("emendo.messages")[select(2, ...)](...)`, said, kind)
				tell(kind + " with " + options)
				e.lua(`require("emendo.messages")[select(2, ...)](...); require("emendo.messages").hint("second\nof\nthree lines")`, said, kind)
				tell(kind + " and a hint with " + options)
				e.waitForScreen()
				tell("a screen with " + options)
			}
			e.lua(`require("emendo.messages").info("short")`)
			e.keys(":let g:typed = 1")
			e.waitUntil("the user types a command", `vim.fn.getcmdline() == "let g:typed = 1"`)
			e.lua(`require("emendo.messages").error("it failed: " .. ...); require("emendo.messages").hint("second")`, said)
			if options != "cmdheight=0" {
				e.waitFor(":let g:typed = 1")
			}
			e.keys("<CR>")
			e.waitUntil("the command has run, and the messages are shown", `vim.g.typed == 1 and vim.fn.mode() == "n" and vim.fn.execute("messages"):find("it failed")`)
			tell("a command with " + options)
			if options != "cmdheight=0" {
				e.waitFor("emendo: it failed")
			}
			e.lua(`vim.g.typed = nil; vim.cmd("messages clear")`)
		}
	}
}

// A panel that has no room for a whole question shows its beginning, with the command,
// and follows the conversation again when it is answered.
func TestASmallPanelShowsWhatIsAsked(t *testing.T) {
	w := newWorld(t, parking, geminitest.Do(geminitest.Call("run_shell_command", `{"command":"touch made && touch other","description":"make files"}`)), geminitest.Say("They are made."))
	w.emendo("trust", "add")
	e := w.start("fee.go")
	e.take(small[1])
	e.keys(":Emendo ask Make them.<CR>")
	e.waitFor("? Run this command?")
	e.waitFor("touch made")
	e.snapshot("small-question")
	e.keys(":Emendo permission allow_once<CR>")
	e.waitFor("They are made.")
	e.waitUntil("the turn is over", idle)
	e.waitUntil("the panel is at its end", `(function()
		local win = require("emendo.panel").window()
		return vim.fn.line("w$", win) == vim.api.nvim_buf_line_count(vim.api.nvim_win_get_buf(win))
	end)()`)
}

// The keys that decide a hunk are shown in full, beside it or below; above the preview
// of a new file too, whose name is in the status line.
func TestHintsFitSmallWindows(t *testing.T) {
	write := call("write_file", map[string]string{"file_path": "rates.go", "content": "package parking\n"})
	w := newWorld(t, parking, geminitest.Do(geminitest.Join(replace(hours), write)), geminitest.Say("Done."))
	w.emendo("trust", "add")
	e := w.start("fee.go")
	e.keys(":Emendo ask Fix it.<CR>")
	e.waitForPending(2)
	for _, size := range small {
		e.take(size)
		for _, file := range []string{"fee.go", "rates.go"} {
			if file == "rates.go" && size[0] < 80 {
				continue // there is no room beside the title
			}
			e.keys(":Emendo next<CR>")
			e.waitUntil(file+" is shown", `vim.endswith(vim.api.nvim_buf_get_name(0), "/" .. ...)`, file)
			e.waitFor("\\ey Accept · \\en Reject")
			e.waitFor(file + " ")
		}
	}
}

// Text that wraps is shown whole, in windows of every width: the background of a
// question or of code covers none of it.
func TestWrappedTextIsNotCovered(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	e.lua(`require("emendo.panel").show(); vim.o.lines = 60`)
	e.take([2]int{columns, 60})
	e.askOfCommand("one && two && three && four\n      five && six\n              seven && eight")
	e.lastQuestion()
	e.lua("require('emendo.session').lobby:apply({ { item = { id = 'm', kind = 'answer', title = { text = '' }, parts = { { kind = 'markdown', text = '```\\n    aa bb cc dd ee ff gg hh ii jj kk\\n            ll mm nn oo pp qq\\n```\\n' } } } } })")
	e.waitUntil("the code is drawn", `table.concat(vim.fn.getbufline("emendo://panel", 1, "$")):find("qq")`)
	const words = "one two three four five six seven eight Allow once Deny aa bb cc dd ee ff gg hh ii jj kk ll mm nn oo pp qq"
	for _, width := range []int{50, 30, 24, 20, 16, 40} {
		e.lua(`vim.api.nvim_win_set_width(require("emendo.panel").window(), ...)`, width)
		e.waitForScreen()
		var covered []string
		for range 50 { // it is drawn again in a moment
			covered = nil
			shown := strings.NewReplacer(" ", "", "▎", "").Replace(e.panelText()) // words may be broken
			for _, word := range strings.Fields(words) {
				if !strings.Contains(shown, word) {
					covered = append(covered, word)
				}
			}
			if covered == nil {
				break
			}
			e.waitForScreen()
		}
		if covered != nil {
			t.Errorf("in %d columns %q are covered:\n%s", width, covered, e.screen)
		}
	}
}

// panelText returns what the screen shows of the panel.
func (e *editor) panelText() string {
	e.t.Helper()
	return value[string](e, `
		local win, rows = require("emendo.panel").window(), {}
		local top, left = unpack(vim.api.nvim_win_get_position(win))
		for row = 1, vim.api.nvim_win_get_height(win) do
			local line = ""
			for column = 1, vim.api.nvim_win_get_width(win) do line = line .. vim.fn.screenstring(top + row, left + column) end
			rows[row] = vim.trim(line)
		end
		return (table.concat(rows, " "):gsub(" +", " "))`)
}

// A message that came while the user typed does not cover what a command says after it.
func TestAnOlderMessageDoesNotHideANewerOne(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	e.keys("A")
	e.waitUntil("the user inserts", `vim.fn.mode() == "i"`)
	e.lua(`require("emendo.messages").error("an old error")`)
	e.keys("<Esc>:lua require('emendo.messages').info('a new message')<CR>")
	e.waitUntil("it is shown", `vim.fn.execute("messages"):find("a new message")`)
	e.waitForScreen()
	e.waitForScreen()
	if last := e.lastRow(); last != "emendo: a new message" {
		t.Errorf("the message is %q", last)
	}
}

// In a list each question has one row, however long it is.
func TestListsHaveOneRowForEachQuestion(t *testing.T) {
	more := make(chan struct{})
	slow := geminitest.Do(geminitest.Text("I look."), geminitest.Text(" Done."))
	slow.Events[1].Hold = more
	w := newWorld(t, parking, slow, geminitest.Say("Second."))
	e := w.start("fee.go")
	e.take(small[1])
	long := strings.Repeat("and so on ", 40)
	e.lua(`require("emendo").ask({ prompt = "First " .. ... })`, long)
	e.waitFor("I look.")
	e.waitFor("emendo restricted")
	e.lua(`require("emendo").ask({ prompt = "Second " .. ... })`, long)
	e.waitUntil("it is queued", `#require("emendo.session").view():queued() == 1`)
	one := func(command, item string) {
		t.Helper()
		e.keys(":Emendo " + command + "<CR>")
		e.waitFor("Type number")
		_, list, _ := strings.Cut(e.screen.String(), "emendo: ")
		_, rest, _ := strings.Cut(list, item)
		if row, after, _ := strings.Cut(rest, "\n"); !strings.Contains(row, "…") || !strings.HasPrefix(after, "2: ") && !strings.HasPrefix(after, "Type number") {
			t.Errorf("the item of %s has not one row:\n%s", command, e.screen)
		}
		e.keys("<CR>")
		e.waitForScreen()
	}
	one("queue", "1: Second and so on")
	close(more)
	e.waitFor("Second.")
	e.waitUntil("the turn is over", idle)
	one("rewind", "1: Second and so on")
	one("sessions", "1: First and so on")
}
