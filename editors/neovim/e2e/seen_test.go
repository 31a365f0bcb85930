//go:build editors

package e2e

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// A question that comes while the user types with the panel closed is seen, and
// stays in sight until it is answered; no key goes astray.
func TestAQuestionIsSeenWhileTheUserTypes(t *testing.T) {
	more := make(chan struct{})
	asks := geminitest.Do(geminitest.Call("ask_user", `{"questions":[{"header":"Tests","question":"With tests?","type":"yesno"}]}`))
	asks.Hold = more
	w := newWorld(t, parking, asks, geminitest.Say("So be it."))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "Do it.", open = false })`)
	e.keys("ggO// ")
	e.until("the user inserts", `vim.fn.mode() == "i"`)
	user := e.typist()
	user.types(20)
	e.took()
	close(more)
	e.sees("With tests?")
	user.types(40)
	e.sees("With tests?")
	e.sees(":Emendo permission answers")
	typed := user.stop()
	e.wants("fee.go", "// "+typed+"\n"+parking["fee.go"])
	e.noFocus()
	e.keys("<Esc>jjkk")
	e.drawn()
	e.sees(":Emendo permission answers")
	e.snapshot("banner")
	e.keys(":Emendo permission<CR>")
	e.chooses("Yes")
	e.until("the turn is over", idle)
	e.drawn()
	if s := e.screen.String(); strings.Contains(s, ":Emendo permission answers") {
		t.Errorf("what was asked is still shown:\n%s", s)
	}
	w.allDeclared()
}

// Two Neovims on one session: each is told what the other did, and nothing else.
func TestASecondNeovimOnTheSameSession(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("It is a tariff."), geminitest.Say("For cars."), geminitest.Say("Both know."))
	one := w.start("fee.go")
	one.lua(`require("emendo").ask({ prompt = "What is it?" })`)
	one.sees("It is a tariff.")
	one.until("the turn is over", idle)
	two := w.start("fee.go")
	two.keys(":Emendo resume<CR>")
	two.sees("It is a tariff.")
	two.lua(`require("emendo").ask({ prompt = "For what?" })`)
	two.sees("For cars.")
	two.until("the turn is over", idle)
	one.lua(`require("emendo").ask({ prompt = "Who knows?" })`)
	one.sees("Both know.")
	one.until("the turn is over", idle)
	panel := one.buffer("emendo://panel")
	for _, once := range []string{"What is it?", "It is a tariff.", "For what?", "For cars.", "Who knows?", "Both know."} {
		if n := strings.Count(panel, once); n != 1 {
			t.Errorf("%q stands %d times in the panel", once, n)
		}
	}
	if told := w.asked(); !strings.Contains(told, "For what?") {
		t.Errorf("the model was not told what was said elsewhere: %s", told)
	}
	w.allDeclared()
}

// While a turn runs in one Neovim, another is told so, not that its server died.
func TestASecondNeovimWhileATurnRuns(t *testing.T) {
	more := make(chan struct{})
	first := geminitest.Do(geminitest.Text("It begins"), geminitest.Text(" and ends."))
	first.Events[1].Hold = more
	w := newWorld(t, parking, geminitest.Do(replace(hours)), geminitest.Say("Fixed."), first, geminitest.Say("Now."))
	one := w.start("fee.go")
	one.lua(`require("emendo").ask({ prompt = "Fix it." })`)
	one.pending(1)
	one.keys(":Emendo accept_all<CR>")
	one.sees("Fixed.")
	one.until("the turn is over", idle)
	one.lua(`require("emendo").ask({ prompt = "Explain." })`)
	one.sees("It begins")
	two := w.start("fee.go")
	two.keys(":Emendo resume<CR>")
	two.sees("! This session is at work in another editor")
	two.sees("Explain.")
	two.keys(":Emendo<CR>")
	two.prompts("And now?")
	two.sees("! this session is at work in another editor")
	two.wants("emendo://prompt", "And now?\n") // is not lost
	if n := value[int](two, `return #vim.api.nvim_buf_get_extmarks(vim.fn.bufnr("fee.go"), vim.api.nvim_get_namespaces()["emendo.hunks"], 0, -1, {})`); n > 0 {
		t.Errorf("a change that is in no text here is drawn:\n%s", two.screen)
	}
	close(more)
	one.sees("It begins and ends.")
	one.until("the turn is over", idle)
	two.keys("<C-s>")
	two.sees("Now.")
	w.allDeclared()
}

// A call that waits in one Neovim is not said to be interrupted in another.
func TestASecondNeovimWhileACallWaits(t *testing.T) {
	w := newWorld(t, parking, geminitest.Do(replace(hours)), geminitest.Say("Fixed."))
	one := w.start("fee.go")
	one.lua(`require("emendo").ask({ prompt = "Fix it." })`)
	one.pending(1)
	two := w.start("fee.go")
	two.keys(":Emendo resume<CR>")
	two.sees("! This session is at work in another editor")
	two.sees("? Edit fee.go  waits for you")
	two.keys(":Emendo rewind<CR>")
	two.chooses("Fix it.")
	two.sees("emendo: this session is at work in another editor")
	one.keys(":Emendo accept_all<CR>")
	one.sees("Fixed.")
	one.until("the turn is over", idle)
	two.keys(":Emendo resume<CR>")
	two.sees("Fixed.")
	if panel := two.buffer("emendo://panel"); strings.Contains(panel, "interrupted") || strings.Contains(panel, "at work in another") {
		t.Errorf("it is told what is not so:\n%s", panel)
	}
	w.allDeclared()
}

// Thoughts of one response are parted.
func TestThoughtsAreParted(t *testing.T) {
	w := newWorld(t, parking, geminitest.Do(
		geminitest.Think("**Reading**\n\nThe hours are a slice."), geminitest.Think("**Planning**\n\nRound them up."), geminitest.Text("Done.")))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "Think." })`)
	e.sees("Done.")
	e.until("the turn is over", idle)
	e.lua(`vim.api.nvim_set_current_win(require("emendo.panel").window())`)
	e.keys("zR")
	e.sees("Round them up.")
	if panel := e.buffer("emendo://panel"); strings.Contains(panel, "slice.**") || strings.Contains(panel, "slice.Planning") {
		t.Errorf("they are glued together:\n%s", panel)
	}
	e.sees("▾ Thought: Reading")
	e.sees("▾ Thought: Planning")
}

// Without a key one line says so, in the panel and in the health report.
func TestWithoutAKey(t *testing.T) {
	w := newWorld(t, parking)
	w.set("GEMINI_API_KEY=")
	w.set("GOOGLE_GEMINI_BASE_URL=")
	e := w.start("fee.go")
	e.keys(":Emendo<CR>")
	e.prompts("Why?")
	e.sees("GEMINI_API_KEY")
	e.sees("! no credentials for a model; set")
	e.wants("emendo://prompt", "Why?\n")
	panel := e.buffer("emendo://panel")
	if strings.Contains(panel, "VERTEX") || strings.Count(panel, "GEMINI_API_KEY") != 1 {
		t.Errorf("the panel does not say it in one line:\n%s", panel)
	}
	e.keys("<Esc>:checkhealth emendo<CR>")
	e.until("the report is there", `vim.bo.filetype == "checkhealth" and vim.fn.search("emendo", "nw") > 0`)
	report := strings.Join(value[[]string](e, `return vim.api.nvim_buf_get_lines(0, 0, -1, false)`), "\n")
	if n := strings.Count(report, "ERROR"); n != 1 || strings.Contains(report, "did not take") || !strings.Contains(report, "ERROR credentials: no credentials") {
		t.Errorf("the report does not say that there is no key, once:\n%s", report)
	}
}
