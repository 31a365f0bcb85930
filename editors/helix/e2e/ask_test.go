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
	u.WaitFor("emendo.chat shows the whole answer")
	u.Press("Space", "m", "m")
	u.WaitFor("The division drops what is left over.", "So 90 minutes cost as much as 60.", "It ends here.")
	if sent := u.w.LastRequest(); !strings.Contains(sent, "fee.py, line 2") || !strings.Contains(sent, "minutes // 60") {
		t.Errorf("last request: %s", sent)
	}
	u.normal()
	u.Press("g", "a") // back to where the user was
	u.WaitFor("def fee(minutes):")
}

// Helix 25.01 passes no arguments to commands, so the user writes a question in the
// file.
func TestTheSelectedTextIsSent(t *testing.T) {
	u := start(t, "fee.py", fee+"# Why is this 250?\n", geminitest.Say("Because of the tariff."))
	u.selectLine("4")
	u.chooseAction("Send the selected text to emendo")
	u.WaitFor("Because of the tariff.")
	if sent := u.w.LastRequest(); !strings.Contains(sent, "# Why is this 250?") {
		t.Errorf("last request: %s", sent)
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
			u.WaitFor("●")
			u.selectLine(c.Line)
			u.chooseAction("Accept: ")
			u.WaitFor("It is done.")
			if sent := u.w.LastRequest(); !strings.Contains(sent, "applied") || strings.Contains(sent, "not applied") {
				t.Errorf("last request: %s", sent)
			}
			u.saveAndWait("fee.py", c.Want)
			u.normal()
			u.Press("u")
			if !strings.HasSuffix(c.Want, "\n") { // undoes the newline that saving added
				u.Press("u")
			}
			u.saveAndWait("fee.py", c.Text)
		})
	}
}

// One command accepts all changes, also in files that are not shown. The command that
// goes to the next change opens its file.
func TestAllChangesAreAccepted(t *testing.T) {
	u := start(t, "fee.py", fee, geminitest.Do(
		plaintest.Edit("fee.py", "hours * 250", "hours * 300"), plaintest.Edit("other.py", "250", "300")),
		geminitest.Say("It is done."))
	u.w.Write("other.py", "fee = 250\n")
	u.selectLine("3")
	u.chooseAction("Edit with emendo")
	u.WaitFor("●", "Waiting for you: Edit other.py")
	u.Press("Space", "m", "n")
	u.WaitFor("fee = 250", "other.py", "+ fee = 300")
	u.Press("Space", "m", "y")
	u.WaitUntil("both are accepted", func() bool { return len(u.w.Model.Requests()) == 2 })
	u.saveAndWait("other.py", "fee = 300\n")
	u.saveAndWait("fee.py", strings.Replace(fee, "250", "300", 1))
}

// What was changed without asking stays marked until it is kept or undone, on its line or all at
// once.
func TestChangesAreKeptAndUndone(t *testing.T) {
	w := plaintest.NewWorld(t, machine.Home, map[string]string{"fee.py": fee, "other.py": "fee = 250\n"}, geminitest.Do(
		plaintest.Edit("fee.py", "hours * 250", "hours * 300"), plaintest.Edit("fee.py", "minutes // 60", "minutes / 60"), plaintest.Edit("other.py", "250", "300")),
		geminitest.Say("It is done."))
	w.Write("../emendo/config/settings.json", `{"general": {"defaultApprovalMode": "auto_edit"}}`)
	u := open(w, "fee.py")
	u.selectLine("3")
	u.chooseAction("Edit with emendo")
	u.WaitFor("hours * 300", "●", "It is done.")
	u.selectLine("3")
	u.WaitFor("not reviewed yet")
	u.chooseAction("Undo: ")
	u.WaitFor("hours * 250")
	u.selectLine("2")
	u.WaitFor("not reviewed yet")
	u.chooseAction("Keep: ")
	u.WaitUntil("nothing is marked", func() bool { return !strings.Contains(u.Screen(), "●") })
	u.normal()
	u.Press("Space", "m", "n")
	u.WaitFor("fee = 300", "other.py")
	u.Press("Space", "m", "u")
	u.WaitFor("fee = 250")
	u.saveAndWait("other.py", "fee = 250\n")
	u.saveAndWait("fee.py", strings.Replace(fee, "minutes // 60", "minutes / 60", 1))
}

// Once the conversation is open after a restart, what is left to review is marked again.
func TestChangesAreMarkedAfterARestart(t *testing.T) {
	w := plaintest.NewWorld(t, machine.Home, map[string]string{"fee.py": fee}, geminitest.Do(plaintest.Edit("fee.py", "hours * 250", "hours * 300")), geminitest.Say("It is done."))
	w.Write("../emendo/config/settings.json", `{"general": {"defaultApprovalMode": "auto_edit"}}`)
	u := open(w, "fee.py")
	u.selectLine("3")
	u.chooseAction("Edit with emendo")
	u.WaitFor("hours * 300", "●", "It is done.")
	u.saveAndWait("fee.py", strings.Replace(fee, "250", "300", 1))
	u.restart("fee.py")
	u.chat()
	u.WaitFor("It is done.")
	u.normal()
	u.Press("g", "a") // back to where the user was
	u.WaitFor("def fee(minutes):", "●")
	u.selectLine("3")
	u.chooseAction("Undo: ")
	u.WaitFor("hours * 250")
	u.saveAndWait("fee.py", fee)
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
	u.selectLine("3")
	u.chooseAction("Explain with emendo")
	u.WaitFor("It is the tariff.")
	u.command("lsp-workspace-command emendo.chat")
	u.WaitFor("## emendo")
}
