//go:build editors

package e2e

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/agent/model/servertest"
)

// The whole workflow of a user with only the configuration of docs/neovim.md.
func TestTheWholeJob(t *testing.T) {
	more := make(chan struct{})
	answer := geminitest.Do(
		geminitest.Think("**Reading the tariff**\n\nInteger division drops what is left over."),
		geminitest.Text("The division drops "), geminitest.Text("the hour that has begun."))
	answer.Events[2].Hold = more
	w := newWorld(t, parking, answer)
	j := &job{w: w, editor: w.start("fee.go"), disk: w.read("fee.go")}

	j.asksAboutAnUnsavedSelection(t, more)
	j.reviews(t)
	j.undoesAndRedoes(t)
	j.runsACommand(t)
	j.cancels(t)
	j.quit()
	w.checkAllDeclared()

	j.editor = w.start("fee.go")
	j.resumes(t)
	w.checkAllDeclared()
}

// job is a user at work.
type job struct {
	*editor
	w    *world
	disk string // text of fee.go on disk
	text string // text of its buffer
}

func (j *job) asksAboutAnUnsavedSelection(t *testing.T, more chan struct{}) {
	j.keys("/200<CR>cw250<Esc>")
	j.text = strings.Replace(parking["fee.go"], "200", "250", 1)
	j.waitForBuffer("fee.go", j.text)
	j.keys("gg/^const<CR>V4j")
	j.keys("\\ea")
	j.sendPrompt("Why do 90 minutes cost 2.50?")

	j.waitFor("The division drops")
	if s := j.screen.String(); strings.Contains(s, "that has begun") {
		j.fail("the answer did not stream")
	}
	j.keys("<C-\\><C-n>")
	j.goTo("fee.go")
	j.focusEvents()
	close(more)
	j.waitFor("The division drops the hour that has begun.")
	j.waitUntil("the turn is over", idle)
	j.checkFocusKept()
	for _, want := range []string{"perHour     = 250", "Why do 90 minutes cost 2.50?"} {
		if asked := j.w.lastRequest(); !strings.Contains(asked, want) {
			t.Errorf("the last request lacks %q: %s", want, asked)
		}
	}
	j.unwritten(t)
}

// The three hunks of the proposal: the current and the proposed text.
var (
	hours   = [2]string{"\thours := minutes / 60\n", "\thours := (minutes + 59) / 60\n"}
	receipt = [2]string{"// Receipt is what the machine prints.\n", "// Receipt renders the ticket.\n"}
	about   = [2]string{"// Package parking computes what drivers pay.\n", "// Package parking is the tariff.\n"}
)

const aboutEdited = "// Package parking is the tariff of the car park.\n"

func (j *job) reviews(t *testing.T) {
	j.w.model.Add(
		geminitest.Do(geminitest.Text("I propose three edits."), geminitest.Join(replace(about), replace(hours), replace(receipt))),
		geminitest.Say("One of them was not wanted."))
	j.keys(":Emendo ask Fix it.<CR>")
	j.waitForPending(3)
	j.goTo("fee.go")
	j.focusEvents()

	// Typing elsewhere moves the hunks.
	j.keys("gg/^import<CR>O// Prices are in cents.<Esc>")
	j.text = strings.Replace(j.text, "import", "// Prices are in cents.\nimport", 1)
	j.waitForBuffer("fee.go", j.text)
	j.waitForPending(3)

	j.keys("gg/hours := minutes<CR>\\ey")
	j.replaced(hours[0], hours[1])
	j.waitForPending(2)
	j.keys("/Receipt is<CR>\\en")
	j.waitForPending(1)
	j.waitForBuffer("fee.go", j.text)
	j.checkFocusKept("ModeChanged", "CmdlineEnter")

	// The last one is edited before it is accepted.
	j.keys("]e:Emendo edit<CR>")
	j.waitUntil("the new text can be edited", `vim.startswith(vim.api.nvim_buf_get_name(0), "emendo://edit/")`)
	j.keys("$i of the car park<Esc><C-w>k:Emendo edit<CR>") // a second time: what was typed stays
	j.waitUntil("the text as edited is shown again", `vim.startswith(vim.api.nvim_buf_get_name(0), "emendo://edit/") and vim.fn.search("car park", "nw") > 0`)
	j.keys(":w<CR>")
	j.replaced(about[0], aboutEdited)
	j.waitFor("One of them was not wanted.")
	j.waitUntil("the turn is over", idle)

	sent := j.w.lastRequest()
	for _, want := range []string{"applied", "rejected", "of the car park"} {
		if !strings.Contains(sent, want) {
			t.Errorf("the last request lacks %q: %s", want, sent)
		}
	}
	j.unwritten(t)
}

func (j *job) undoesAndRedoes(t *testing.T) {
	j.goTo("fee.go")
	j.focusEvents()
	j.keys("u")
	edited := j.text
	j.replaced(aboutEdited, about[0])
	j.waitForPending(1)
	j.keys("<C-r>")
	j.text = edited
	j.waitForBuffer("fee.go", j.text)
	j.waitForPending(0)
	j.checkFocusKept()
	j.unwritten(t)
}

func (j *job) runsACommand(t *testing.T) {
	j.w.model.Add(geminitest.Do(geminitest.Call("run_shell_command", `{"command":"sort -c fee.go; wc -l fee.go"}`)), geminitest.Say("It has been counted."))
	j.keys(":Emendo trust<CR>")
	j.choose("rust")
	j.waitUntil("the folder is trusted", `not `+restricted)
	j.keys(":Emendo ask Count its lines.<CR>")
	j.waitFor("wc -l fee.go")
	j.waitUntil("there is a question", asking)
	j.goTo("fee.go")
	j.focusEvents()
	j.keys("ggjj0yk") // stray keys answer nothing
	j.waitUntil("there still is a question", asking)
	j.checkFocusKept("ModeChanged")
	j.keys(":Emendo permission<CR>")
	j.choose("nce")
	j.waitFor("It has been counted.")
	j.waitUntil("the turn is over", idle)
	if sent := j.w.lastRequest(); !strings.Contains(sent, "fee.go") || !strings.Contains(sent, "functionResponse") {
		t.Errorf("the last request lacks the result of the command: %s", sent)
	}
}

func (j *job) cancels(t *testing.T) {
	j.w.model.Add(geminitest.Reply{Events: []geminitest.Event{geminitest.Text("This takes forever")}, End: servertest.Stall})
	j.keys(":Emendo ask Go on.<CR>")
	j.waitFor("This takes forever")
	j.keys(":Emendo cancel<CR>")
	j.waitUntil("the turn is over", idle)
	j.waitFor("Cancelled")
	ends := of(j.w.wire(), "emendo/session/prompt")
	if len(ends) != 4 {
		t.Errorf("%d prompts were sent", len(ends))
	}
}

func (j *job) resumes(t *testing.T) {
	j.w.model.Add(geminitest.Say("You asked why 90 minutes cost 2.50."))
	j.keys(":Emendo resume<CR>")
	j.waitFor("Cancelled")
	panel := j.buffer("emendo://panel")
	for _, once := range []string{"Why do 90 minutes cost 2.50?", "The division drops the hour that has begun.", "I propose three edits.", "It has been counted."} {
		if n := strings.Count(panel, once); n != 1 {
			t.Errorf("%q is in the panel %d times", once, n)
		}
	}
	j.keys(":Emendo ask What did I ask first?<CR>")
	j.waitFor("You asked why 90 minutes cost 2.50.")
	j.waitUntil("the turn is over", idle)
	if sent := j.w.lastRequest(); !strings.Contains(sent, "Why do 90 minutes cost 2.50?") {
		t.Errorf("the last request lacks the earlier conversation: %s", sent)
	}
}

// replaced waits until a passage of the buffer is replaced by another.
func (j *job) replaced(old, new string) {
	j.t.Helper()
	j.text = strings.Replace(j.text, old, new, 1)
	j.waitForBuffer("fee.go", j.text)
}

// unwritten checks that nothing was written to disk.
func (j *job) unwritten(t *testing.T) {
	t.Helper()
	if got := j.w.read("fee.go"); got != j.disk {
		t.Errorf("an open file was written on disk:\n%s", got)
	}
	if w := value[[]string](j.editor, "return _G.written"); len(w) > 0 {
		t.Errorf("Neovim wrote %s", w)
	}
}
