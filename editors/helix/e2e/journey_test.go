//go:build editors

package e2e

import (
	"regexp"
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
	u.selectLine("2")
	u.Press("A")
	u.Type(" # whole hours")
	u.WaitFor(" INS ", "# whole hours")
	u.normal()
	u.selectLine("2")
	u.chooseAction("Explain with emendo")
	u.waitForRequests(1)
	if sent := u.w.LastRequest(); !strings.Contains(sent, "# whole hours") {
		t.Errorf("the model does not see what is not saved: %s", sent)
	}
	// The whole answer, in the chat document.
	u.chat()
	u.WaitFor(j.Answer...)

	// Two changes: one is approved, and undone; the other is rejected.
	u.ask("Round up, please.")
	u.WaitFor("Two changes.")
	u.until(func(screen string) bool { return strings.Contains(screen, "def fee(minutes):") }, "Space", "m", "n")
	u.selectLine("1")
	u.chooseAction("Accept: ")
	u.WaitFor("def fee(minutes: int):")
	u.selectLine("3")
	u.chooseAction("Reject: ")
	u.waitForRequests(3)
	u.WaitFor("return hours * 250")
	u.normal()
	u.Press("u")
	u.WaitFor("def fee(minutes):")
	u.command("lsp-workspace-command emendo.rejectAll") // undone, it is pending again

	// A command, allowed on its line in the chat document.
	u.chat()
	u.ask("Run it.")
	u.WaitUntil("it is asked", func() bool {
		screen := u.Screen()
		return strings.Contains(screen, "**Allow?**") || strings.Contains(screen, "Decide later") // 25.07 shows a message too
	})
	u.find("Allow")
	u.chooseAnswer("Allow once")
	u.WaitFor("It ran.")
	if u.w.Read("made") != "made\n" {
		t.Error("the command did not run")
	}

	// A turn that is cancelled.
	u.ask("Never end.")
	u.waitForRequests(6)
	u.normal()
	u.Press("Space", "m", "c")
	u.WaitUntil("the turn has ended", func() bool { return strings.Contains(u.bottom(), "Cancelled.") })
	if got := u.w.Read("fee.py"); got != fee {
		t.Errorf("an open file was written on disk: %q", got)
	}

	// After a restart the conversation goes on.
	u.restart(u.w.Chat())
	u.ask("What did you say?")
	u.waitForRequests(7)
	u.WaitUntil("the answer is there", func() bool { return strings.Contains(u.bottom(), j.Last) })
	if sent := u.w.LastRequest(); !strings.Contains(sent, j.Answer[0]) || !strings.Contains(sent, "What did you say?") {
		t.Errorf("the model does not have the conversation: %s", sent)
	}
}

// chat opens the conversation.
func (u user) chat() {
	u.T.Helper()
	u.until(func(screen string) bool { return strings.Contains(screen, "## emendo") }, "Space", "m", "m")
}

// until presses keys in normal mode until the screen is as it should be. A menu or a
// message that comes or goes meanwhile takes keys.
func (u user) until(done func(screen string) bool, keys ...string) {
	u.T.Helper()
	for range 10 {
		u.normal()
		u.Press(keys...)
		if u.WaitBriefly(func() bool { return done(u.Screen()) }) {
			return
		}
	}
	u.Fail(strings.Join(keys, " ") + " does nothing")
}

// ask writes a question at the end of the chat document, and sends it.
func (u user) ask(question string) {
	u.T.Helper()
	u.until(func(screen string) bool { return strings.Contains(screen, " INS ") }, "g", "e", "A")
	u.Type(question)
	u.WaitFor(question)
	u.normal()
	u.Press("Space", "m", "s")
}

// find goes to the last line with a text. It retries, because a message that comes
// meanwhile takes keys.
func (u user) find(text string) {
	u.T.Helper()
	for range 5 {
		u.normal()
		u.Press("g", "e", "?")
		u.Type(text)
		u.Press("Enter")
		found := u.WaitBriefly(func() bool {
			screen := u.Screen()
			at := cursor.FindStringSubmatch(screen)
			return at != nil && regexp.MustCompile(`(?m)^[ ●]*`+at[1]+` .*`+text).MatchString(screen)
		})
		if found {
			return
		}
	}
	u.Fail("cannot go to " + text)
}

// bottom returns the screen with the end of the document.
func (u user) bottom() string {
	u.T.Helper()
	u.Press("g", "e")
	return u.Screen()
}

func (u user) waitForRequests(n int) {
	u.T.Helper()
	u.WaitUntil("the model is asked", func() bool { return len(u.w.Model.Requests()) >= n })
}
