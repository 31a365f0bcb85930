//go:build editors

package e2e

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/editors/internal/plaintest"
)

// A user who has only read the page asks about a selection that is not saved, converses in
// the chat document, decides about changes, allows a command, cancels, and resumes after a
// restart. The file in the editor is never written on disk.
func TestJourney(t *testing.T) {
	j := plaintest.NewJourney()
	u := start(t, "fee.py", fee, j.Replies...)
	defer j.Release()
	// A selection that is not saved.
	u.line("2")
	u.Press("C-e")
	u.Type(" # whole hours")
	u.WaitFor("# whole hours")
	u.selectLine("2")
	u.chooseAction("Explain with emendo")
	u.waitForRequests(1)
	if sent := u.w.LastRequest(); !strings.Contains(sent, "# whole hours") {
		t.Errorf("the model does not see what is not saved: %s", sent)
	}
	// The whole answer, in the chat document.
	u.Press("C-e", "C-c", "e", "m")
	u.WaitFor("Tools Text")
	u.WaitFor(j.Answer...)

	// Two changes: one is approved, and undone; the other is rejected.
	u.ask("Round up, please.")
	u.waitForEnd("Two changes.")
	u.Press("C-c", "e", "n")
	u.WaitFor("Tools Python", "def fee(minutes):", "def fee(minutes: int):", "return hours * 300") // drawn
	u.line("1")
	u.Press("C-c", "e", "y")
	u.WaitUntil("the first is accepted", func() bool { return !strings.Contains(u.Screen(), "def fee(minutes):") })
	u.line("3")
	u.Press("C-c", "e", "x")
	u.waitForRequests(3)
	u.WaitUntil("the second is gone", func() bool { return !strings.Contains(u.Screen(), "return hours * 300") })
	u.undo(1)
	u.WaitFor("def fee(minutes):")
	u.Press("C-c", "e", "X") // undone, it is pending again

	// A command, allowed on its line in the chat document.
	u.Press("C-c", "e", "m")
	u.WaitFor("Tools Text")
	u.ask("Run it.")
	u.waitForEnd("**Allow?**")
	u.Press("M->", "C-r")
	u.Type("Allow?")
	u.Press("Enter", "C-c", "C-a")
	if !u.pick("Allow once") {
		u.Fail("it cannot be answered here")
	}
	u.waitForEnd("It ran.")
	if u.w.Read("made") != "made\n" {
		t.Error("the command did not run")
	}

	// A turn that is cancelled.
	u.ask("Never end.")
	u.waitForRequests(6)
	u.Press("C-c", "C-k")
	u.waitForEnd("Cancelled.")
	if got := u.w.Read("fee.py"); got != fee {
		t.Errorf("an open file was written on disk: %q", got)
	}

	// After a restart the conversation goes on.
	u.Press("C-x", "C-s") // the chat document
	u.WaitFor("Wrote ")
	chat := u.w.Chat()
	u.Terminal = plaintest.Start(t, machine.Tmux, u.w.Dir, u.w.Env, machine.Editor, "-nw", chat)
	u.WaitFor("Connected! Server")
	u.waitForEnd("Cancelled.")
	u.ask("What did you say?")
	u.waitForRequests(7)
	u.waitForEnd(j.Last)
	if sent := u.w.LastRequest(); !strings.Contains(sent, j.Answer[0]) || !strings.Contains(sent, "What did you say?") {
		t.Errorf("the model does not have the conversation: %s", sent)
	}
}

// line goes to a line, counted from 1.
func (u user) line(line string) {
	u.T.Helper()
	u.Press("M-g", "g")
	u.Type(line)
	u.Press("Enter")
	u.WaitUntil("the cursor is in line "+line, func() bool { return strings.Contains(u.Screen(), " L"+line+" ") })
}

// ask writes a question at the end of the chat document, and sends it.
func (u user) ask(question string) {
	u.T.Helper()
	u.Press("M->")
	u.Type(question)
	u.WaitFor(question)
	u.Press("C-c", "C-c")
}

// waitForEnd waits for a text near the end of the chat document. It leaves Emacs alone in
// between: eglot reports changes only when the user pauses.
func (u user) waitForEnd(text string) {
	u.T.Helper()
	for range 10 {
		u.Press("M->")
		if u.WaitBriefly(func() bool { return strings.Contains(u.Screen(), text) }) {
			return
		}
	}
	u.Fail("the document does not end with " + text)
}
