//go:build editors

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/agent/model/servertest"
	"github.com/emendo-dev/emendo/editors/internal/picture"
)

// schemes are the colour schemes that the look is tried in: Neovim's own, a dark and
// two light ones.
var schemes = []struct{ name, background string }{
	{"default", "dark"}, {"default", "light"}, {"habamax", "dark"}, {"morning", "light"}, {"peachpuff", "light"},
}

// setScheme chooses a colour scheme and waits until it applies.
func (e *editor) setScheme(name, background string) {
	e.t.Helper()
	e.lua(`vim.o.background = select(2, ...); vim.cmd.colorscheme((...))`, name, background)
	e.waitUntil("the scheme is "+name, `vim.g.colors_name == ... and vim.o.background == select(2, ...)`, name, background)
}

// styleAt returns the look of the first cell of a text on the screen, with default
// colours filled in.
func (e *editor) styleAt(text string) picture.Style {
	e.t.Helper()
	e.waitFor(text)
	e.screen.mu.Lock()
	defer e.screen.mu.Unlock()
	for _, row := range e.screen.cells {
		var line strings.Builder
		at := map[int]int{} // byte to cell
		for i, c := range row {
			at[line.Len()] = i
			line.WriteString(c.text)
		}
		if i := strings.Index(line.String(), text); i >= 0 {
			return e.screen.look(row[at[i]])
		}
	}
	return picture.Style{}
}

// Text in the plugin's own groups is readable on their backgrounds in each scheme, in
// full colours and in 256.
func TestTextIsReadableInEveryScheme(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	e.lua(`require("emendo.highlights")`)
	// Each group of text, and the background that it is on when it has none.
	const measured = `(function()
		local colour, poor = require("emendo.colour"), {}
		local function hl(name) return vim.api.nvim_get_hl(0, { name = name, link = false }) end
		local normal = hl("Normal")
		local dark = vim.o.background == "dark"
		local fg, bg = normal.fg or (dark and 0xd0d0d0 or 0x202020), normal.bg or (dark and 0x141414 or 0xffffff)
		local function check(text, under, least)
			local t, u = hl(text), hl(under or text)
			local pairs_ = { { "rgb", t.fg or fg, u.bg or bg } }
			local function terminal(n, other) return n and n >= 16 and colour.of_terminal(n) or other end
			if (t.fg == nil or t.ctermfg) and (u.bg == nil or u.ctermbg) then
				table.insert(pairs_, { "256 colours", terminal(t.ctermfg, fg), terminal(u.ctermbg, bg) })
			end
			for _, p in ipairs(pairs_) do
				local c = colour.contrast(p[2], p[3])
				if c < (p[1] == "rgb" and least or least - 0.2) then table.insert(poor, ("%s on %s: %.2f in %s"):format(text, under or text, c, p[1])) end
			end
		end
		for _, on in ipairs({ "EmendoAdd", "EmendoDelete", "EmendoUser", "EmendoAsk", "EmendoCode" }) do check("Normal", on, 4.5) end
		for _, on in ipairs({ "EmendoAddText", "EmendoDeleteText" }) do check("Normal", on, 4.5) end
		for _, own in ipairs({ "EmendoLine", "EmendoLineTitle", "EmendoLineDim", "EmendoLineBusy", "EmendoLineHunks", "EmendoLineWarn", "EmendoChip", "EmendoChipOff", "EmendoCodeLabel", "EmendoCodeInline" }) do check(own, nil, 4.5) end
		check("EmendoHint", "EmendoAdd", 4.5)
		check("EmendoHint", "EmendoDelete", 4.5)
		check("EmendoUserHeading", "EmendoUser", 4.5)
		check("EmendoHeading", "Normal", 4.5)
		check("EmendoQuestion", "EmendoAsk", 4.5)
		check("EmendoOption", "EmendoAsk", 4.5)
		check("EmendoKey", "EmendoAsk", 4.5)
		check("EmendoHunk", "Normal", 4.5)
		check("EmendoThought", "Normal", 4.5)
		check("EmendoToolDetail", "Normal", 4.5)
		for _, said in ipairs({ "EmendoTool", "EmendoToolRunning", "EmendoToolWaiting", "EmendoToolDone", "EmendoToolFailed", "EmendoLink", "EmendoInfo", "EmendoWarning", "EmendoError", "EmendoConflict" }) do check(said, "Normal", 4.5) end
		for _, on in ipairs({ "EmendoUser", "EmendoAsk" }) do
			check("EmendoLink", on, 4.5)
			check("EmendoWarning", on, 4.5)
		end
		for _, own in ipairs({ "EmendoUserBar", "EmendoAskBar" }) do check(own, nil, 3) end
		return table.concat(poor, "\n")
	end)()`
	for _, s := range schemes {
		e.setScheme(s.name, s.background)
		if poor := value[string](e, "return "+measured); poor != "" {
			t.Errorf("%s, %s:\n%s", s.name, s.background, poor)
		}
	}
}

// The groups follow the scheme and the background as they change, and leave what the
// user has defined.
func TestColoursFollowTheScheme(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	e.lua(`require("emendo.highlights")`)
	const code = `return vim.api.nvim_get_hl(0, { name = "EmendoCode" }).bg`
	e.setScheme("default", "dark")
	dark := value[int](e, code)
	e.keys(":set background=light<CR>")
	e.waitUntil("the background of code is light", `require("emendo.colour").luminance(vim.api.nvim_get_hl(0, { name = "EmendoCode" }).bg) > 0.5`)
	e.keys(":set background=dark<CR>")
	e.waitUntil("it is dark again", `vim.api.nvim_get_hl(0, { name = "EmendoCode" }).bg == ...`, dark)
	e.keys(":highlight EmendoCode guibg=#123456<CR>")
	e.lua(`require("emendo.highlights").define()`)
	if got := value[int](e, code); got != 0x123456 {
		t.Errorf("the user's colour was replaced by %#x", got)
	}
}

// The line above the panel shows what runs and for how long, the hunks that wait, the
// mode, the model, tokens and the context's fill, as far as there is room. The spinner
// stops with the turn, and while the panel is closed nothing is drawn.
func TestTheLineAboveThePanel(t *testing.T) {
	more := make(chan struct{})
	asks := geminitest.Do(geminitest.Text("I look."), replace(hours))
	asks.Events[1].Hold = more
	w := newWorld(t, parking, asks, geminitest.Say("Fixed."))
	e := w.start("fee.go")
	e.keys(":Emendo<CR>")
	e.sendPrompt("Fix it.")
	e.waitFor("I look.")
	const bar = `require("emendo.panel.winbar")`
	e.waitUntil("it counts the seconds", `vim.api.nvim_win_call(require("emendo.panel").window(), `+bar+`.winbar):find("[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] %d+s")`)
	e.waitFor("s Fix it.")
	turns := `require("emendo.panel.winbar").is_spinning()`
	if !value[bool](e, "return "+turns) {
		t.Error("the spinner does not turn")
	}
	e.keys("<Esc>:Emendo close<CR>")
	e.waitUntil("it stops with the panel closed", "not "+turns)
	e.keys(":Emendo open<CR><Esc>")
	e.waitUntil("it turns again", turns)
	close(more)
	e.waitForPending(1)
	e.waitFor("1 to decide · Ask")
	e.keys(":Emendo accept_all<CR>")
	e.waitFor("Fixed.")
	e.waitUntil("the turn is over", idle)
	e.waitUntil("it stops with the turn", "not "+turns)
	for _, text := range []string{"Ask · Automatic · ↑", "%"} {
		e.waitFor(text)
	}
	e.resize(60, 30)
	e.waitUntil("only what is important is left", `(function()
		local win = require("emendo.panel").window()
		local line = vim.api.nvim_win_call(win, `+bar+`.winbar):gsub("%%#%w+#", ""):gsub("%%=", "")
		return vim.fn.strdisplaywidth(line) <= vim.api.nvim_win_get_width(win) and not line:find("↑")
	end)()`)
	e.waitFor("▎ ✓ Edit fee.go  ▸")
	e.waitUntil("a call is one line", `(function()
		for _, line in ipairs(vim.api.nvim_buf_get_lines(vim.fn.bufnr("emendo://panel"), 0, -1, false)) do
			if line:find("✓ Edit", 1, true) then return vim.fn.strdisplaywidth(line) <= vim.api.nvim_win_get_width(require("emendo.panel").window()) - 2 end
		end
	end)()`)
}

// Code in an answer has a background over the whole width, its language, and colours:
// of a parser for Lua, of Vim's syntax for Go.
func TestCodeInAnswers(t *testing.T) {
	lua := "```lua\nlocal x = 'lua text'\n```"
	golang := "```go\nfunc Round() string { return \"go text\" }\n```"
	w := newWorld(t, parking, geminitest.Say("In Lua:\n\n", lua[:12], lua[12:], "\n\nIn Go:\n\n", golang[:20], golang[20:], "\n\nThat is all."))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "How?" })`)
	e.waitFor("That is all.")
	e.waitUntil("the turn is over", idle)
	e.waitForScreen()
	ground := value[int](e, `return vim.api.nvim_get_hl(0, { name = "EmendoCode" }).bg`)
	colours := map[string]picture.Style{}
	for _, text := range []string{"'lua text'", `"go text"`, "Round()", "That is all."} {
		colours[text] = e.styleAt(text)
	}
	for _, text := range []string{"'lua text'", `"go text"`} {
		if colours[text].Background != ground {
			t.Errorf("%s has the background %#x, want %#x", text, colours[text].Background, ground)
		}
		if colours[text].Foreground == colours["That is all."].Foreground {
			t.Errorf("%s has the colour of plain text", text)
		}
	}
	e.screen.mu.Lock()
	for _, row := range e.screen.cells {
		var line strings.Builder
		for _, c := range row {
			line.WriteString(c.text)
		}
		if strings.Contains(line.String(), "go text") && e.screen.look(row[len(row)-1]).Background != ground {
			t.Error("the background does not reach the edge of the window")
		}
	}
	e.screen.mu.Unlock()
	if strings.Contains(e.screen.String(), "```") {
		t.Errorf("fences are shown:\n%s", e.screen)
	}
	e.waitFor("▎ lua")
	e.waitFor("▎ go")
}

// The user's text has a bar and a background, in each row of a line that wraps too; an
// answer has another bar.
func TestSpeakersAreToldApart(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("It is a tariff."))
	e := w.start("fee.go")
	question := "What is it? " + strings.Repeat("Say more of it. ", 6) + "Why?"
	e.lua(`require("emendo").ask({ prompt = ... })`, question)
	e.waitFor("It is a tariff.")
	e.waitUntil("the turn is over", idle)
	e.waitForScreen()
	ground := value[int](e, `return vim.api.nvim_get_hl(0, { name = "EmendoUser" }).bg`)
	rows := 0
	e.screen.mu.Lock()
	for _, row := range e.screen.cells {
		for i, c := range row {
			if c.text == "▎" && e.screen.look(c).Background == ground && e.screen.look(row[len(row)-1]).Background == ground && i > 0 {
				rows++
			}
		}
	}
	e.screen.mu.Unlock()
	if rows < 4 {
		t.Errorf("%d rows have the user's bar and background", rows)
	}
	if answer := e.styleAt("It is a tariff."); answer.Background == ground {
		t.Error("the answer has the background of the question")
	}
	e.waitFor("▎ It is a tariff.")
}

// An empty panel says what emendo sees, the user's keys, and what is missing; what it
// suggests can be chosen.
func TestTheWelcome(t *testing.T) {
	w := newWorld(t, parking)
	e := w.start("fee.go")
	e.lua(`vim.g.mapleader = " "; require("emendo").setup({ keys = { next = "gn", prompt = { send = "<C-g>" } } })`)
	e.keys("3G:5,7Emendo ask<CR>")
	for _, text := range []string{"File: fee.go", " fee.go:5-7 ", "<Space>ea", "gn [e", "<C-g> sends the question", "Restricted mode", "▸ Trust this folder"} {
		e.waitFor(text)
	}
	e.snapshot("welcome")
	e.inPanel()
	e.keys("gg/Write tests for<CR><CR>")
	e.waitForBuffer("emendo://prompt", "Write tests for fee.go.\n")
	e.waitUntil("the prompt has the focus", `vim.bo.filetype == "emendo-prompt"`)
	e.lua(`require("emendo.session").view():apply({ { item = { id = "m", kind = "user", title = { text = "" }, parts = { { kind = "text", text = "Why?" } } } } })`)
	e.waitFor("▎ Why?")
	e.waitUntil("it goes with the first question", `not table.concat(vim.fn.getbufline("emendo://panel", 1, "$")):find("emendo sees")`)
}

func TestTheWelcomeNamesWhatIsMissing(t *testing.T) {
	w := newWorld(t, parking)
	w.emendo("trust", "add")
	w.withoutKey()
	e := w.start("fee.go")
	e.keys(":Emendo<CR>")
	e.waitFor("Sign in to begin")
	e = w.start("fee.go")
	e.lua(`require("emendo").setup({ cmd = { "no-such-program" } })`)
	e.keys(":Emendo<CR>")
	e.waitFor(`! there is no program "no-such-program"`)
}

// Chips above the prompt show what goes with the question. What is not sent is struck
// through, and the user can leave something out.
func TestChips(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("So."))
	w.write(".env", "KEY=hunter2\n")
	w.write("AGENTS.md", "Speak plainly.\n")
	w.emendo("trust", "add")
	e := w.start("fee.go")
	e.keys(":13,15Emendo ask<CR>")
	struck := func(text string, want bool) {
		t.Helper()
		for limit := time.After(patience); ; {
			drawn := e.screen.next()
			if e.styleAt(text).Struck == want {
				return
			}
			select {
			case <-drawn:
			case <-limit:
				e.fail("%q is struck through: want %v", text, want)
			}
		}
	}
	e.waitFor(" fee.go:13-15 ")
	struck("fee.go:13-15 ", false)
	e.waitFor(" AGENTS.md ")
	struck(" AGENTS.md ", false)
	e.keys("<M-c>")
	e.choose("AGENTS.md")
	struck(" AGENTS.md ", true)
	e.snapshot("chips")
	e.sendPrompt("What is it?")
	e.waitFor("So.")
	e.waitUntil("the turn is over", idle)
	if sent := fmt.Sprint(w.model.Requests()); strings.Contains(sent, "Speak plainly") {
		t.Errorf("what was left out was sent:\n%s", sent)
	}
	e.goTo("fee.go")
	e.keys(":edit .env<CR>:Emendo<CR>")
	e.waitFor(" .env ")
	struck(".env ", true)
	w.checkAllDeclared()
}

// The words that a hunk changes are marked in both texts, and the hints show keys as
// they are pressed.
func TestChangedWordsAreMarked(t *testing.T) {
	rename := [2]string{"\thours := minutes / 60\n", "\tperiods := minutes / 60\n"}
	w := newWorld(t, parking, geminitest.Do(replace(rename)), geminitest.Say("Done."))
	e := w.start("fee.go")
	e.lua(`vim.g.mapleader = " "; require("emendo").setup({})`)
	e.lua(`require("emendo").ask({ prompt = "Rename it.", open = false })`)
	e.waitForPending(1)
	e.waitFor("<Space>ey Accept · <Space>en Reject")
	bg := func(group string) int {
		return value[int](e, `return vim.api.nvim_get_hl(0, { name = ... }).bg`, group)
	}
	for text, group := range map[string]string{
		"hours := minutes": "EmendoDeleteText", ":= minutes / 60 ": "EmendoDelete",
		"periods := minutes": "EmendoAddText",
	} {
		if got := e.styleAt(text).Background; got != bg(group) {
			t.Errorf("%q has the background %#x, want %s, %#x", text, got, group, bg(group))
		}
	}
	e.snapshot("words")
}

// <CR> on a tool call goes to the hunk that it proposes, or to the file that it read.
func TestToolRowsLeadSomewhere(t *testing.T) {
	w := newWorld(t, parking, geminitest.Do(geminitest.Join(geminitest.Call("read_file", `{"file_path":"fee_test.go"}`), replace(hours))), geminitest.Say("Done."))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "Fix it." })`)
	e.waitForPending(1)
	panel := `vim.api.nvim_set_current_win(require("emendo.panel").window())`
	e.lua(panel)
	e.waitFor("? Edit fee.go  waits for you")
	e.keys("gg/Edit fee.go<CR><CR>")
	e.waitUntil("the hunk is shown", `vim.endswith(vim.api.nvim_buf_get_name(0), "/fee.go") and vim.api.nvim_get_current_line():find("hours :=", 1, true)`)
	e.lua(panel)
	e.keys("gg/Read fee_test<CR><CR>")
	e.waitUntil("the file is shown", `vim.endswith(vim.api.nvim_buf_get_name(0), "/fee_test.go")`)
}

// In the panel, on a question, the number of an answer gives it; elsewhere a number is
// a count.
func TestNumbersAnswerOnTheQuestion(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	e.lua(`require("emendo.panel").show(); require("emendo.session").lobby:notice("info", "one\ntwo\nthree\nfour"); vim.api.nvim_set_current_win(require("emendo.panel").window())`)
	e.askOfCommand("make all && rm -r build")
	if got, want := e.lastQuestion(), "\n  1. Allow once\n  2. Deny\n  3. No, and say why…\n"; !strings.Contains(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	e.keys("gg2j")
	e.waitUntil("it counts elsewhere", `vim.fn.line(".") == 3 and _G.acted == nil`)
	e.goTo("fee.go")
	e.keys("gg2j")
	e.waitUntil("and in other windows", `vim.fn.line(".") == 3 and _G.acted == nil`)
	e.lua(`vim.api.nvim_set_current_win(require("emendo.panel").window())`)
	if plain, word := e.styleAt("Run this command").Foreground, e.styleAt("-r build").Foreground; plain == word {
		t.Error("the command has no colours")
	}
	e.keys("G2")
	e.waitUntil("it is refused", `_G.acted and _G.acted.actionId == "reject_once"`)
}

// A message that came while the user typed is shown again afterwards.
func TestMessagesSurviveInsertMode(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	e.keys("ggO// ")
	e.waitUntil("the user inserts", `vim.fn.mode() == "i"`)
	e.lua(`require("emendo.messages").hint("the server was busy", vim.log.levels.WARN); require("emendo.messages").hint("one hunk came")`)
	e.keys("typed on<CR>and on")
	e.lua(`vim.cmd.mode()`) // clears the line below, as a message of another's would
	e.waitForScreen()
	e.keys("<Esc>")
	e.waitFor("emendo: the server was busy (and 1 more: :messages)")
	e.waitForBuffer("fee.go", "// typed on\nand on\n"+parking["fee.go"])
}

// With the user's own status column, winbar, one status line for all windows and no
// command line, the panel looks as ever, and theirs stay.
func TestThePanelBesideTheUsersOptions(t *testing.T) {
	forever := geminitest.Reply{Events: []geminitest.Event{geminitest.Text("This takes forever")}, End: servertest.Stall}
	w := newWorld(t, parking, forever)
	e := w.start("fee.go")
	e.keys(":set statuscolumn=%l@ winbar=USERS laststatus=3 cmdheight=0 conceallevel=3 colorcolumn=10 cursorline number signcolumn=yes:2 foldcolumn=3 list nowrap<CR>")
	e.keys(":set statusline=GLOBAL%=%f<CR>:Emendo<CR>")
	e.sendPrompt("Why?")
	e.waitFor("▎ This takes forever")
	e.waitFor("GLOBAL")
	e.waitFor("USERS")
	e.snapshot("options")
	e.keys("<Esc>:set laststatus=2 cmdheight=1<CR>")
	e.waitFor("emendo ")
	e.waitForScreen()
	if n := strings.Count(e.screen.String(), "GLOBAL"); n != 1 {
		t.Errorf("the user's status line is shown %d times:\n%s", n, e.screen)
	}
	e.keys(":Emendo close<CR>")
	e.waitUntil("the user's windows are as they were", `vim.wo.winbar == "USERS" and vim.wo.statuscolumn == "%l@"`)
}
