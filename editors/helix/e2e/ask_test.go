//go:build editors

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/editors/internal/plaintest"
)

const fee = plaintest.Fee

func TestASelectionIsExplained(t *testing.T) {
	answer := []string{"The division drops what is left over.\n\n", "So 90 minutes cost as much as 60.\n\n", "It ends here.\n"}
	u := start(t, "fee.py", fee, geminitest.Say(answer...))
	u.at("2")
	u.action("Explain with emendo")
	u.Sees("The division drops what is left over.")
	u.Keys("Space", "m", "m")
	u.Sees("The division drops what is left over.", "So 90 minutes cost as much as 60.", "It ends here.")
	if told := u.w.Asked(); !strings.Contains(told, "fee.py, line 2") || !strings.Contains(told, "minutes // 60") {
		t.Errorf("the model was told %s", told)
	}
	u.normal()
	u.Keys("g", "a") // back to where the user was
	u.Sees("def fee(minutes):")
}

// Helix 25.01 gives commands no arguments, so that a question of the user's own
// is one that is written down.
func TestWhatIsSelectedIsAsked(t *testing.T) {
	u := start(t, "fee.py", fee+"# Why is this 250?\n", geminitest.Say("Because of the tariff."))
	u.at("4")
	u.action("Send the selected text to emendo")
	u.Sees("Because of the tariff.")
	if told := u.w.Asked(); !strings.Contains(told, "# Why is this 250?") {
		t.Errorf("the model was told %s", told)
	}
}

// Each change is decided where it is shown, at the first, last and only line as
// well, and lands once.
func TestChangesAreAccepted(t *testing.T) {
	for _, c := range plaintest.Changes() {
		t.Run(c.Name, func(t *testing.T) {
			u := start(t, "fee.py", c.Text, c.Call, geminitest.Say("It is done."))
			u.at("1")
			u.action("Edit with emendo")
			u.Sees("●")
			u.at(c.Line)
			u.action("Accept: ")
			u.Sees("It is done.")
			if told := u.w.Asked(); !strings.Contains(told, "applied") || strings.Contains(told, "not applied") {
				t.Errorf("the model was told %s", told)
			}
			u.saves("fee.py", c.Want)
			u.normal()
			u.Keys("u")
			if !strings.HasSuffix(c.Want, "\n") { // that was the line end which saving added
				u.Keys("u")
			}
			u.saves("fee.py", c.Text)
		})
	}
}

// All changes are accepted with one command, in other files than the one that is
// shown too, and the command that goes to them opens those.
func TestAllChangesAreAccepted(t *testing.T) {
	u := start(t, "fee.py", fee, geminitest.Do(
		plaintest.Edit("fee.py", "hours * 250", "hours * 300"), plaintest.Edit("other.py", "250", "300")),
		geminitest.Say("It is done."))
	u.w.Write("other.py", "fee = 250\n")
	u.at("3")
	u.action("Edit with emendo")
	u.Sees("●", "Waiting for you: Edit other.py")
	u.Keys("Space", "m", "n")
	u.Sees("fee = 250", "other.py", "+ fee = 300")
	u.Keys("Space", "m", "y")
	u.Until("both are accepted", func() bool { return len(u.w.Model.Requests()) == 2 })
	u.saves("other.py", "fee = 300\n")
	u.saves("fee.py", strings.Replace(fee, "250", "300", 1))
}

// The configuration that README.md prints works as it is.
func TestTheREADMEsConfigurationWorks(t *testing.T) {
	page := filepath.Join(machine.Repository, "docs", "helix.md")
	if err := configure(machine.Home, filepath.Join(machine.Repository, "README.md")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := configure(machine.Home, page); err != nil {
			t.Error(err)
		}
	})
	u := start(t, "fee.go", "package fee\n\nconst perHour = 250\n", geminitest.Say("It is the tariff."))
	u.at("3")
	u.action("Explain with emendo")
	u.Sees("It is the tariff.")
	u.command("lsp-workspace-command emendo.chat")
	u.Sees("## emendo")
}
