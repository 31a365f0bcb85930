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
	u.selectLine("2")
	u.chooseAction("Explain with emendo")
	u.waitForRequests(1)
	if sent := u.w.LastRequest(); !strings.Contains(sent, "fee.py, line 2") || !strings.Contains(sent, "minutes // 60") {
		t.Errorf("last request: %s", sent)
	}
	u.Press("C-c", "e", "m")
	u.WaitFor("Tools Text")
	u.Press("C-x", "1") // the whole document is on the screen
	u.WaitFor("## emendo", "The division drops what is left over.", "It ends here.")
}

func TestAQuestionIsAsked(t *testing.T) {
	u := start(t, "fee.py", fee, geminitest.Say("Because of the tariff."))
	u.selectLine("3")
	u.Press("C-c", "e", "e")
	u.WaitFor("Ask emendo:")
	u.Type("Why is it 250?")
	u.Press("Enter")
	u.WaitFor("Because of the tariff.")
	sent := u.w.LastRequest()
	for _, want := range []string{"Why is it 250?", "return hours * 250", `lines=\"3-3\"`} {
		if !strings.Contains(sent, want) {
			t.Errorf("the last request lacks %s: %s", want, sent)
		}
	}
}

// Each change is accepted on its line, including the first, last and only line, and is
// applied once.
func TestChangesAreAccepted(t *testing.T) {
	for _, c := range plaintest.Changes() {
		t.Run(c.Name, func(t *testing.T) {
			u := start(t, "fee.py", c.Text, c.Call, geminitest.Say("It is done."))
			u.selectLine("1")
			u.chooseAction("Edit with emendo")
			u.waitForRequests(1)
			u.selectLine(c.Line)
			u.chooseAction("Accept: ")
			u.waitForRequests(2)
			u.WaitFor("It is done.")
			if sent := u.w.LastRequest(); !strings.Contains(sent, "applied") || strings.Contains(sent, "not applied") {
				t.Errorf("last request: %s", sent)
			}
			u.saveAndWait("fee.py", c.Want)
			if strings.HasSuffix(c.Want, "\n") {
				u.undo(1)
			} else { // undo the newline that saving added too
				u.undo(2)
			}
			u.saveAndWait("fee.py", c.Text)
		})
	}
}

func TestAllChangesAreAccepted(t *testing.T) {
	u := start(t, "fee.py", fee, geminitest.Do(
		plaintest.Edit("fee.py", "hours * 250", "hours * 300"), plaintest.Edit("other.py", "250", "300")),
		geminitest.Say("It is done."))
	u.w.Write("other.py", "fee = 250\n")
	u.selectLine("3")
	u.chooseAction("Edit with emendo")
	u.WaitFor("Flymake[0 0 1]")
	u.Press("C-c", "e", "n")
	u.WaitFor("other.py  ", "fee = 250")
	u.Press("C-c", "e", "Y")
	u.waitForRequests(2)
	u.saveAndWait("other.py", "fee = 300\n")
	u.Press("C-x", "o")
	u.saveAndWait("fee.py", strings.Replace(fee, "250", "300", 1))
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
	u.selectLine("1")
	u.command("eglot-code-actions")
	u.pick("Explain with emendo")
	u.WaitFor("It is the tariff.")
}
