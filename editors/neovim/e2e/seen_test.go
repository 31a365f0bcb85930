//go:build editors

package e2e

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// A question that arrives while the user types with the panel closed is shown, and
// stays visible until it is answered. No key is lost.
func TestAQuestionIsSeenWhileTheUserTypes(t *testing.T) {
	more := make(chan struct{})
	asks := geminitest.Do(geminitest.Call("ask_user", `{"questions":[{"header":"Tests","question":"With tests?","type":"yesno"}]}`))
	asks.Hold = more
	w := newWorld(t, parking, asks, geminitest.Say("So be it."))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "Do it.", open = false })`)
	e.keys("ggO// ")
	e.waitUntil("the user inserts", `vim.fn.mode() == "i"`)
	user := e.typist()
	user.waitForKeys(20)
	e.focusEvents()
	close(more)
	e.waitFor("With tests?")
	user.waitForKeys(40)
	e.waitFor("With tests?")
	e.waitFor(":Emendo permission answers")
	typed := user.stop()
	e.waitForBuffer("fee.go", "// "+typed+"\n"+parking["fee.go"])
	e.checkFocusKept()
	e.keys("<Esc>jjkk")
	e.waitForScreen()
	e.waitFor(":Emendo permission answers")
	e.snapshot("banner")
	e.keys(":Emendo permission<CR>")
	e.choose("Yes")
	e.waitUntil("the turn is over", idle)
	e.waitForScreen()
	if s := e.screen.String(); strings.Contains(s, ":Emendo permission answers") {
		t.Errorf("the question is still shown:\n%s", s)
	}
	w.checkAllDeclared()
}

// Two Neovims on one session: each shows what the other did, and nothing else.
func TestASecondNeovimOnTheSameSession(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("It is a tariff."), geminitest.Say("For cars."), geminitest.Say("Both know."))
	one := w.start("fee.go")
	one.lua(`require("emendo").ask({ prompt = "What is it?" })`)
	one.waitFor("It is a tariff.")
	one.waitUntil("the turn is over", idle)
	two := w.start("fee.go")
	two.keys(":Emendo resume<CR>")
	two.waitFor("It is a tariff.")
	two.lua(`require("emendo").ask({ prompt = "For what?" })`)
	two.waitFor("For cars.")
	two.waitUntil("the turn is over", idle)
	one.lua(`require("emendo").ask({ prompt = "Who knows?" })`)
	one.waitFor("Both know.")
	one.waitUntil("the turn is over", idle)
	panel := one.buffer("emendo://panel")
	for _, once := range []string{"What is it?", "It is a tariff.", "For what?", "For cars.", "Who knows?", "Both know."} {
		if n := strings.Count(panel, once); n != 1 {
			t.Errorf("%q is in the panel %d times", once, n)
		}
	}
	if sent := w.lastRequest(); !strings.Contains(sent, "For what?") {
		t.Errorf("the last request lacks the prompt of the other Neovim: %s", sent)
	}
	w.checkAllDeclared()
}

// While a turn runs in one Neovim, another shows that, and not that its server died.
func TestASecondNeovimWhileATurnRuns(t *testing.T) {
	more := make(chan struct{})
	first := geminitest.Do(geminitest.Text("It begins"), geminitest.Text(" and ends."))
	first.Events[1].Hold = more
	w := newWorld(t, parking, geminitest.Do(replace(hours)), geminitest.Say("Fixed."), first, geminitest.Say("Now."))
	one := w.start("fee.go")
	one.lua(`require("emendo").ask({ prompt = "Fix it." })`)
	one.waitForPending(1)
	one.keys(":Emendo accept_all<CR>")
	one.waitFor("Fixed.")
	one.waitUntil("the turn is over", idle)
	one.lua(`require("emendo").ask({ prompt = "Explain." })`)
	one.waitFor("It begins")
	two := w.start("fee.go")
	two.keys(":Emendo resume<CR>")
	two.waitFor("○ Another process works")
	two.waitFor("Explain.")
	two.keys(":Emendo<CR>")
	two.sendPrompt("And now?")
	two.waitFor("! This conversation is at work")
	two.waitForBuffer("emendo://prompt", "And now?\n") // is not lost
	if n := value[int](two, `return #vim.api.nvim_buf_get_extmarks(vim.fn.bufnr("fee.go"), vim.api.nvim_get_namespaces()["emendo.hunks"], 0, -1, {})`); n > 0 {
		t.Errorf("a change that is in no text here is drawn:\n%s", two.screen)
	}
	close(more)
	one.waitFor("It begins and ends.")
	one.waitUntil("the turn is over", idle)
	two.keys("<C-s>")
	two.waitFor("Now.")
	w.checkAllDeclared()
}

// A call that waits in one Neovim is not shown as interrupted in another.
func TestASecondNeovimWhileACallWaits(t *testing.T) {
	w := newWorld(t, parking, geminitest.Do(replace(hours)), geminitest.Say("Fixed."))
	one := w.start("fee.go")
	one.lua(`require("emendo").ask({ prompt = "Fix it." })`)
	one.waitForPending(1)
	two := w.start("fee.go")
	two.keys(":Emendo resume<CR>")
	two.waitFor("○ Another process works")
	two.waitFor("? Edit fee.go  ")
	two.keys(":Emendo rewind<CR>")
	two.choose("Fix it.")
	two.waitFor("emendo: This conversation is at work")
	one.keys(":Emendo accept_all<CR>")
	one.waitFor("Fixed.")
	one.waitUntil("the turn is over", idle)
	two.keys(":Emendo resume<CR>")
	two.waitFor("Fixed.")
	if panel := two.buffer("emendo://panel"); strings.Contains(panel, "interrupted") || strings.Contains(two.screen.String(), "Another process") {
		t.Errorf("it shows a wrong state:\n%s", panel)
	}
	w.checkAllDeclared()
}

// Thoughts of one response are shown separately.
func TestThoughtsAreSeparate(t *testing.T) {
	w := newWorld(t, parking, geminitest.Do(
		geminitest.Think("**Reading**\n\nThe hours are a slice."), geminitest.Think("**Planning**\n\nRound them up."), geminitest.Text("Done.")))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "Think." })`)
	e.waitFor("Done.")
	e.waitUntil("the turn is over", idle)
	e.lua(`vim.api.nvim_set_current_win(require("emendo.panel").window())`)
	e.keys("zR")
	e.waitFor("Round them up.")
	if panel := e.buffer("emendo://panel"); strings.Contains(panel, "slice.**") || strings.Contains(panel, "slice.Planning") {
		t.Errorf("they are joined:\n%s", panel)
	}
	e.waitFor("▾ Reading")
	e.waitFor("▾ Planning")
}

// Without a key one line says so, in the panel and in the health report.
func TestWithoutAKey(t *testing.T) {
	w := newWorld(t, parking)
	w.withoutKey()
	e := w.start("fee.go")
	e.keys(":Emendo<CR>")
	e.sendPrompt("Why?")
	e.waitFor("! Sign in to go on")
	e.waitForBuffer("emendo://prompt", "Why?\n")
	panel := e.buffer("emendo://panel")
	if strings.Contains(panel, "VERTEX") || strings.Count(panel, "! Sign in to go on") != 1 {
		t.Errorf("the panel does not say it in one line:\n%s", panel)
	}
	e.keys("<Esc>:checkhealth emendo<CR>")
	e.waitUntil("the report is there", `vim.bo.filetype == "checkhealth" and vim.fn.search("emendo", "nw") > 0`)
	report := strings.Join(value[[]string](e, `return vim.api.nvim_buf_get_lines(0, 0, -1, false)`), "\n")
	if n := strings.Count(report, "ERROR"); n != 1 || strings.Contains(report, "did not take") || !strings.Contains(report, "ERROR credentials: no credentials") {
		t.Errorf("the report does not say that there is no key, once:\n%s", report)
	}
}
