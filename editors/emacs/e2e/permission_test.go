//go:build editors

package e2e

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/editors/internal/plaintest"
)

// eglot declares no messages with buttons, so a diagnostic has the question, and code
// actions on its line are the answers.
func TestACommandAsksForPermission(t *testing.T) {
	asks, answers := plaintest.Command()
	for _, c := range answers {
		t.Run(c.Label, func(t *testing.T) {
			u := start(t, "fee.py", fee, asks, geminitest.Say("That was it."))
			u.selectLine("2")
			u.chooseAction("Explain with emendo")
			u.WaitFor("emendo asks at fee.py, line 2", "Flymake[0 1]")
			u.Press("C-c", "e", "d")
			u.WaitFor("Run this command? touch made; echo made > made")
			u.chooseAction(c.Label)
			u.WaitFor("That was it.", "Flymake[0 0]")
			if got := strings.TrimSpace(u.w.Read("made")); got != c.Made {
				t.Errorf("the command made %q, want %q", got, c.Made)
			}
			if sent := u.w.LastRequest(); !strings.Contains(sent, c.Result) {
				t.Errorf("last request: %s", sent)
			}
		})
	}
}

// Text that the user types when a question arrives is not taken for an answer.
func TestEnterAllowsNothing(t *testing.T) {
	asks := geminitest.Do(plaintest.Run("touch made"))
	typing := make(chan struct{})
	asks.Hold = typing
	u := start(t, "fee.py", fee, asks, geminitest.Say("That was it."))
	u.selectLine("2")
	u.chooseAction("Explain with emendo")
	u.selectLine("3")
	u.Type(" # in cents")
	u.WaitFor("# in cents")
	close(typing)
	u.WaitFor("Flymake[0 1]")
	u.Press("Enter")
	u.Press("Enter")
	u.Type("# more")
	u.WaitFor("# more")
	if u.w.Read("made") != "" || len(u.w.Model.Requests()) != 1 {
		t.Fatal("typing answered the question")
	}
	u.Press("C-c", "e", "d")
	u.chooseAction("Show the question") // which the next Enter would choose
	u.WaitFor("The answers are: Allow once")
	u.chooseAction("Deny")
	u.WaitFor("That was it.")
}

// The model's own questions are asked in the same way.
func TestTheModelAsks(t *testing.T) {
	u := start(t, "fee.py", fee, plaintest.Question(), geminitest.Say("Cents they are."))
	u.selectLine("2")
	u.chooseAction("Explain with emendo")
	u.WaitFor("Flymake[0 1]")
	u.Press("C-c", "e", "d")
	u.WaitFor("Which unit should prices use?")
	u.chooseAction("Cents")
	u.WaitFor("Cents they are.")
	if sent := u.w.LastRequest(); !strings.Contains(sent, "Cents") {
		t.Errorf("last request: %s", sent)
	}
}
