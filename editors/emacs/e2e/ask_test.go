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
	u.Sees("The division drops what is left over.", "It ends here.")
	if told := u.w.Asked(); !strings.Contains(told, "fee.py, line 2") || !strings.Contains(told, "minutes // 60") {
		t.Errorf("the model was told %s", told)
	}
	u.Keys("C-c", "m")
	u.Sees("## emendo", "The division drops what is left over.", "It ends here.")
}

func TestAQuestionIsAsked(t *testing.T) {
	u := start(t, "fee.py", fee, geminitest.Say("Because of the tariff."))
	u.at("3")
	u.Keys("C-c", "e")
	u.Sees("Ask emendo:")
	u.Types("Why is it 250?")
	u.Keys("Enter")
	u.Sees("Because of the tariff.")
	told := u.w.Asked()
	for _, want := range []string{"Why is it 250?", "return hours * 250", `lines=\"3-3\"`} {
		if !strings.Contains(told, want) {
			t.Errorf("the model was not told %s: %s", want, told)
		}
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
			u.hears(1)
			u.at(c.Line)
			u.action("Accept: ")
			u.hears(2)
			u.Sees("It is done.")
			if told := u.w.Asked(); !strings.Contains(told, "applied") || strings.Contains(told, "not applied") {
				t.Errorf("the model was told %s", told)
			}
			u.saves("fee.py", c.Want)
			if strings.HasSuffix(c.Want, "\n") {
				u.undoes(1)
			} else { // the line end that saving added, too
				u.undoes(2)
			}
			u.saves("fee.py", c.Text)
		})
	}
}

func TestAllChangesAreAccepted(t *testing.T) {
	u := start(t, "fee.py", fee, geminitest.Do(
		plaintest.Edit("fee.py", "hours * 250", "hours * 300"), plaintest.Edit("other.py", "250", "300")),
		geminitest.Say("It is done."))
	u.w.Write("other.py", "fee = 250\n")
	u.at("3")
	u.action("Edit with emendo")
	u.Sees("Flymake[0 0 1]")
	u.Keys("C-c", "n")
	u.Sees("other.py  ", "fee = 250")
	u.command("emendo-accept-all")
	u.hears(2)
	u.saves("other.py", "fee = 300\n")
	u.Keys("C-x", "o")
	u.saves("fee.py", strings.Replace(fee, "250", "300", 1))
}

// The configuration that README.md prints works as it is.
func TestTheREADMEsConfigurationWorks(t *testing.T) {
	page := filepath.Join(machine.Repository, "docs", "emacs.md")
	if err := configure(machine.Home, filepath.Join(machine.Repository, "README.md")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := configure(machine.Home, page); err != nil {
			t.Error(err)
		}
	})
	u := start(t, "fee.txt", "The first hour costs 250.\n", geminitest.Say("It is the tariff."))
	u.at("1")
	u.command("eglot-code-actions")
	u.Sees("Pick an action")
	u.Types("Explain with emendo")
	u.Keys("Enter")
	u.Sees("It is the tariff.")
}
