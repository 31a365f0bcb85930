//go:build editors

package e2e

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/editors/internal/plaintest"
)

// Helix 25.01 shows no messages with buttons: a diagnostic asks, and the answers
// are code actions on its line.
func TestACommandAsksForPermission(t *testing.T) {
	asks, answers := plaintest.Command()
	for _, c := range answers {
		t.Run(c.Label, func(t *testing.T) {
			u := start(t, "fee.py", fee, asks, geminitest.Say("That was it."))
			u.at("2")
			u.action("Explain with emendo")
			u.Sees("●")
			u.at("3")
			u.normal()
			u.Keys("Space", "m", "p")
			u.Until("the question is shown", func() bool {
				at := cursor.FindStringSubmatch(u.Screen())
				return at != nil && at[1] == "2"
			})
			u.Sees("touch made; echo made > made") // what it asks, in full
			u.action(c.Label)
			u.Sees("That was it.")
			if got := strings.TrimSpace(u.w.Read("made")); got != c.Made {
				t.Errorf("the command made %q, want %q", got, c.Made)
			}
			if told := u.w.Asked(); !strings.Contains(told, c.Told) {
				t.Errorf("the model was told %s", told)
			}
			u.Until("the question is gone", func() bool { return !strings.Contains(u.Screen(), "●") })
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
	u.Keys("A")
	u.Types(" # in cents")
	u.Sees(" INS ", "# in cents")
	close(typing)
	u.Sees("●")
	u.Keys("Enter")
	u.Keys("Enter")
	u.Types("# more")
	u.Sees("# more")
	if u.w.Read("made") != "" || len(u.w.Model.Requests()) != 1 {
		t.Fatal("what was typed answered the question")
	}
	u.command("goto 3")
	u.action("Deny")
	u.Sees("That was it.")
}

// The model's own questions are asked in the same way.
func TestTheModelAsks(t *testing.T) {
	u := start(t, "fee.py", fee, plaintest.Question(), geminitest.Say("Cents they are."))
	u.at("2")
	u.action("Explain with emendo")
	u.Sees("●")
	u.at("2")
	u.Sees("In what should prices be?")
	u.action("Cents")
	u.Sees("Cents they are.")
	if told := u.w.Asked(); !strings.Contains(told, "Cents") {
		t.Errorf("the model was told %s", told)
	}
}
