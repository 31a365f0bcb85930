//go:build editors

package e2e

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/editors/internal/plaintest"
)

// eglot declares no messages with buttons: a diagnostic asks, and the answers are
// code actions on its line.
func TestACommandAsksForPermission(t *testing.T) {
	asks, answers := plaintest.Command()
	for _, c := range answers {
		t.Run(c.Label, func(t *testing.T) {
			u := start(t, "fee.py", fee, asks, geminitest.Say("That was it."))
			u.at("2")
			u.action("Explain with emendo")
			u.Sees("emendo asks at fee.py, line 2", "Flymake[0 1]")
			u.Keys("C-c", "d")
			u.Sees("emendo wants to run this command: touch made; echo made > made")
			u.action(c.Label)
			u.Sees("That was it.", "Flymake[0 0]")
			if got := strings.TrimSpace(u.w.Read("made")); got != c.Made {
				t.Errorf("the command made %q, want %q", got, c.Made)
			}
			if told := u.w.Asked(); !strings.Contains(told, c.Told) {
				t.Errorf("the model was told %s", told)
			}
		})
	}
}

// What the user types while a question comes is not taken for an answer.
func TestEnterAllowsNothing(t *testing.T) {
	asks := geminitest.Do(plaintest.Run("touch made"))
	typing := make(chan struct{})
	asks.Hold = typing
	u := start(t, "fee.py", fee, asks, geminitest.Say("That was it."))
	u.at("2")
	u.action("Explain with emendo")
	u.at("3")
	u.Types(" # in cents")
	u.Sees("# in cents")
	close(typing)
	u.Sees("Flymake[0 1]")
	u.Keys("Enter")
	u.Keys("Enter")
	u.Types("# more")
	u.Sees("# more")
	if u.w.Read("made") != "" || len(u.w.Model.Requests()) != 1 {
		t.Fatal("what was typed answered the question")
	}
	u.Keys("C-c", "d")
	u.action("Show the question") // which the next Enter would choose
	u.Sees("The answers are: Allow once")
	u.action("Deny")
	u.Sees("That was it.")
}

// The model's own questions are asked in the same way.
func TestTheModelAsks(t *testing.T) {
	u := start(t, "fee.py", fee, plaintest.Question(), geminitest.Say("Cents they are."))
	u.at("2")
	u.action("Explain with emendo")
	u.Sees("Flymake[0 1]")
	u.Keys("C-c", "d")
	u.Sees("In what should prices be?")
	u.action("Cents")
	u.Sees("Cents they are.")
	if told := u.w.Asked(); !strings.Contains(told, "Cents") {
		t.Errorf("the model was told %s", told)
	}
}
