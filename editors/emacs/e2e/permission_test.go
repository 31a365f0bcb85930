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
	for _, c := range []struct{ answer, made, told string }{
		{"Allow once", "made", "Output: (empty)"}, {"Deny", "", "The user did not allow this call"},
	} {
		t.Run(c.answer, func(t *testing.T) {
			u := start(t, "fee.py", fee, geminitest.Do(plaintest.Run("touch made; echo made > made")), geminitest.Say("That was it."))
			u.at("2")
			u.action("Explain with emendo")
			u.Sees("emendo asks at fee.py, line 2", "Flymake[0 1]")
			u.Keys("C-c", "d")
			u.Sees("emendo wants to run this command: touch made; echo made > made")
			u.action(c.answer)
			u.Sees("That was it.", "Flymake[0 0]")
			if got := strings.TrimSpace(u.w.Read("made")); got != c.made {
				t.Errorf("the command made %q, want %q", got, c.made)
			}
			if told := u.w.Asked(); !strings.Contains(told, c.told) {
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
	u.action("Show what emendo asks") // which the next Enter would choose
	u.Sees("The answers are: Allow once")
	u.action("Deny")
	u.Sees("That was it.")
}

// The model's own questions are asked in the same way.
func TestTheModelAsks(t *testing.T) {
	u := start(t, "fee.py", fee, geminitest.Do(geminitest.Call("ask_user",
		`{"questions":[{"header":"Unit","question":"In what should prices be?","type":"choice","options":[{"label":"Cents","description":"whole numbers"},{"label":"Euros","description":"with a point"}]}]}`)),
		geminitest.Say("Cents they are."))
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
