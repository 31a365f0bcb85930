//go:build editors

package e2e

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// Reverting the chat document in the middle of an answer discards what was not saved,
// which comes back. The file is not written meanwhile.
func TestTheDocumentIsReverted(t *testing.T) {
	saved, end := make(chan struct{}), make(chan struct{})
	later := func(text string, hold <-chan struct{}) geminitest.Event {
		e := geminitest.Text(text)
		e.Hold = hold
		return e
	}
	u := start(t, "fee.py", fee, geminitest.Do(geminitest.Text("One.\n\nTwo.\n\nTh"), later("ree.\n\nFour.\n\nF", saved), later("ive.", end)))
	u.Press("C-c", "e", "m")
	u.WaitFor("Tools Text")
	u.Press("C-x", "1") // the whole document is on the screen
	file := u.w.Chat()
	u.ask("Why?")
	u.WaitFor("One.", "Two.")
	u.Press("C-x", "C-s")
	u.WaitFor("Wrote ")
	close(saved)
	u.WaitFor("Three.", "Four.")
	before := u.w.Read(file)
	u.command("revert-buffer")
	u.WaitFor("Discard edits")
	u.Type("yes")
	u.Press("Enter")
	u.WaitUntil("it is reverted", func() bool { return !strings.Contains(u.Screen(), "Discard edits") })
	u.WaitFor("Three.", "Four.")
	if got := u.w.Read(file); got != before {
		t.Errorf("the file was written:\n%s", got)
	}
	close(end)
	u.WaitFor("Five.")
	u.Press("C-x", "C-s")
	u.WaitUntil("it is saved", func() bool { return strings.Contains(u.w.Read(file), "\n\nThree.\n\nFour.\n\nFive.\n\n## You\n") })
}
