//go:build kate && linux

package e2e

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/editors/internal/plaintest"
)

// A change is asked for by a code action, and accepted by another. It is in the buffer
// alone until the user saves.
func TestAChangeIsAccepted(t *testing.T) {
	u := start(t, "fee.py", map[string]string{"fee.py": plaintest.Fee},
		geminitest.Do(plaintest.Edit("fee.py", "hours * 250", "hours * 300")), geminitest.Say("It is done."))
	u.press("ctrl+Home", "Down", "Down")
	u.choose("Edit with emendo")
	u.until("the model is asked", func() bool { return len(u.w.Model.Requests()) == 1 })
	u.choose("Accept: ")
	u.until("the change is in the buffer", func() bool { return strings.Contains(u.text("fee.py"), "hours * 300") })
	u.until("the model has read so", func() bool { return len(u.w.Model.Requests()) == 2 })
	if got := u.w.Read("fee.py"); got != plaintest.Fee {
		t.Errorf("the open file was written on disk: %q", got)
	}
	u.press("ctrl+s")
	u.until("the file is saved", func() bool {
		return strings.TrimSpace(u.w.Read("fee.py")) == strings.TrimSpace(strings.Replace(plaintest.Fee, "250", "300", 1))
	})
}

// A question is written into an empty chat document. The answer appears while it streams;
// what comes when Kate takes no edits any more comes with the next code action.
func TestAnAnswerStreams(t *testing.T) {
	const file = "question.emendo.md"
	rest := make(chan struct{})
	later := geminitest.Text("o.\n\nThree.\n")
	later.Hold = rest
	u := start(t, file, map[string]string{file: ""}, geminitest.Do(geminitest.Text("One.\n\nTw"), later))
	u.write("Why?")
	u.until("the server has the question", func() bool { return strings.Contains(u.text(file), "Why?") })
	u.choose("Send to emendo")
	u.until("the beginning is there", func() bool { return strings.Contains(u.text(file), "\n\nOne.\n") })
	close(rest)
	u.choose("Show more of the answer")
	u.until("the answer is there", func() bool { return strings.Contains(u.text(file), "One.\n\nTwo.\n\nThree.\n\n## You\n") })
}
