//go:build editors

package e2e

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// The whole job, as a person does it who has followed docs/neovim.md and typed
// nothing else into a configuration.
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
	w.allDeclared()

	j.editor = w.start("fee.go")
	j.resumes(t)
	w.allDeclared()
}

// job is a person at work.
type job struct {
	*editor
	w    *world
	disk string // what fee.go has on the disk
	text string // what its buffer has
}

func (j *job) asksAboutAnUnsavedSelection(t *testing.T, more chan struct{}) {
	j.keys("/200<CR>cw250<Esc>")
	j.text = strings.Replace(parking["fee.go"], "200", "250", 1)
	j.wants("fee.go", j.text)
	j.keys("gg/^const<CR>V4j")
	j.keys("\\ea")
	j.prompts("Why do 90 minutes cost 2.50?")

	j.sees("The division drops")
	if s := j.screen.String(); strings.Contains(s, "that has begun") {
		j.fail("the answer did not stream")
	}
	j.keys("<C-\\><C-n>")
	j.visits("fee.go")
	j.took()
	close(more)
	j.sees("The division drops the hour that has begun.")
	j.until("the turn is over", idle)
	j.noFocus()
	for _, want := range []string{"perHour     = 250", "Why do 90 minutes cost 2.50?"} {
		if asked := j.w.asked(); !strings.Contains(asked, want) {
			t.Errorf("the model was not told %q: %s", want, asked)
		}
	}
	j.unwritten(t)
}

// The three hunks of the proposal: as they stand, and as they are proposed.
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
	j.pending(3)
	j.visits("fee.go")
	j.took()

	// What is typed elsewhere moves the hunks.
	j.keys("gg/^import<CR>O// Prices are in cents.<Esc>")
	j.text = strings.Replace(j.text, "import", "// Prices are in cents.\nimport", 1)
	j.wants("fee.go", j.text)
	j.pending(3)

	j.keys("gg/hours := minutes<CR>\\ey")
	j.replaced(hours[0], hours[1])
	j.pending(2)
	j.keys("/Receipt is<CR>\\en")
	j.pending(1)
	j.wants("fee.go", j.text)
	j.noFocus("ModeChanged", "CmdlineEnter")

	// The last one is accepted as the user writes it.
	j.keys("]e:Emendo edit<CR>")
	j.until("the new text can be edited", `vim.startswith(vim.api.nvim_buf_get_name(0), "emendo://edit/")`)
	j.keys("$i of the car park<Esc>:w<CR>")
	j.replaced(about[0], aboutEdited)
	j.sees("One of them was not wanted.")
	j.until("the turn is over", idle)

	told := j.w.asked()
	for _, want := range []string{"applied", "rejected", "of the car park"} {
		if !strings.Contains(told, want) {
			t.Errorf("the model was not told %q: %s", want, told)
		}
	}
	j.unwritten(t)
}

func (j *job) undoesAndRedoes(t *testing.T) {
	j.visits("fee.go")
	j.took()
	j.keys("u")
	edited := j.text
	j.replaced(aboutEdited, about[0])
	j.pending(1)
	j.keys("<C-r>")
	j.text = edited
	j.wants("fee.go", j.text)
	j.pending(0)
	j.noFocus()
	j.unwritten(t)
}

func (j *job) runsACommand(t *testing.T) {
	j.w.model.Add(geminitest.Do(geminitest.Call("run_shell_command", `{"command":"sort -c fee.go; wc -l fee.go"}`)), geminitest.Say("It has been counted."))
	j.keys(":Emendo trust<CR>")
	j.chooses("rust")
	j.until("the folder is trusted", `require("emendo").state().status.kind == "ready"`)
	j.keys(":Emendo ask Count its lines.<CR>")
	j.sees("wc -l fee.go")
	j.until("there is a question", asking)
	j.visits("fee.go")
	j.took()
	j.keys("ggjj0yk") // stray keys answer nothing
	j.until("there still is a question", asking)
	j.noFocus("ModeChanged")
	j.keys(":Emendo permission<CR>")
	j.chooses("nce")
	j.sees("It has been counted.")
	j.until("the turn is over", idle)
	if told := j.w.asked(); !strings.Contains(told, "fee.go") || !strings.Contains(told, "functionResponse") {
		t.Errorf("the model was not told what came of the command: %s", told)
	}
}

func (j *job) cancels(t *testing.T) {
	j.w.model.Add(geminitest.Reply{Events: []geminitest.Event{geminitest.Text("This takes forever")}, End: geminitest.Stall})
	j.keys(":Emendo ask Go on.<CR>")
	j.sees("This takes forever")
	j.keys(":Emendo cancel<CR>")
	j.until("the turn is over", idle)
	j.sees("Cancelled")
	ends := of(j.w.wire(), "emendo/session/prompt")
	if len(ends) != 4 {
		t.Errorf("%d prompts were sent", len(ends))
	}
}

func (j *job) resumes(t *testing.T) {
	j.w.model.Add(geminitest.Say("You asked why 90 minutes cost 2.50."))
	j.keys(":Emendo resume<CR>")
	j.sees("Cancelled")
	panel := j.buffer("emendo://panel")
	for _, once := range []string{"Why do 90 minutes cost 2.50?", "The division drops the hour that has begun.", "I propose three edits.", "It has been counted."} {
		if n := strings.Count(panel, once); n != 1 {
			t.Errorf("%q stands %d times in the panel", once, n)
		}
	}
	j.keys(":Emendo ask What did I ask first?<CR>")
	j.sees("You asked why 90 minutes cost 2.50.")
	j.until("the turn is over", idle)
	if told := j.w.asked(); !strings.Contains(told, "Why do 90 minutes cost 2.50?") {
		t.Errorf("the model was not told what was said before: %s", told)
	}
}

// replaced waits for a passage of the buffer to become another one.
func (j *job) replaced(old, new string) {
	j.t.Helper()
	j.text = strings.Replace(j.text, old, new, 1)
	j.wants("fee.go", j.text)
}

// unwritten holds the disk against what it was.
func (j *job) unwritten(t *testing.T) {
	t.Helper()
	if got := j.w.read("fee.go"); got != j.disk {
		t.Errorf("an open file was written on disk:\n%s", got)
	}
	if w := value[[]string](j.editor, "return _G.written"); len(w) > 0 {
		t.Errorf("Neovim wrote %s", w)
	}
}
