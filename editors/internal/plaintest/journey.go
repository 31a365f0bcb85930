package plaintest

import (
	"path/filepath"
	"strings"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// A Journey is what the model says to a user who explains an unsaved line of fee.py, has
// two changes made, runs a command, cancels, and asks again after a restart.
type Journey struct {
	Replies []geminitest.Reply
	Answer  []string // paragraphs of the first answer
	Last    string   // the answer after the restart

	release chan struct{}
}

// NewJourney returns a journey. The second line of fee.py ends in "# whole hours" when the
// model changes it.
func NewJourney() Journey {
	j := Journey{
		Answer:  []string{"It drops part hours.", "So 90 minutes cost as much as 60.", "That is all."},
		Last:    "As I said, 90 minutes cost as much as 60.",
		release: make(chan struct{}),
	}
	never := geminitest.Say("This never ends.")
	never.Hold = j.release
	j.Replies = []geminitest.Reply{
		geminitest.Say(j.Answer[0]+"\n\n", j.Answer[1]+"\n\n", j.Answer[2]+"\n"),
		geminitest.Do(geminitest.Text("Two changes.\n\n"),
			Edit("fee.py", "def fee(minutes):", "def fee(minutes: int):"), Edit("fee.py", "hours * 250", "hours * 300")),
		geminitest.Say("Decided."),
		geminitest.Do(Run("touch made; echo made > made")), geminitest.Say("It ran."),
		never,
		geminitest.Say(j.Last),
	}
	return j
}

// Release ends the answer that a test has cancelled.
func (j Journey) Release() { close(j.release) }

// Chat returns the path of the only chat document, relative to the project.
func (w *World) Chat() string {
	w.T.Helper()
	found, err := filepath.Glob(w.Path(".emendo/chats/*.emendo.md"))
	if err != nil || len(found) != 1 {
		w.T.Fatalf("chat documents %q, %v", found, err)
	}
	return strings.TrimPrefix(found[0], w.Dir+string(filepath.Separator))
}
