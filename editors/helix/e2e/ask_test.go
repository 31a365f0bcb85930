//go:build editors

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/editors/internal/plaintest"
)

const fee = "def fee(minutes):\n    hours = minutes // 60\n    return hours * 250\n"

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
	u.action("Ask emendo what is selected")
	u.Sees("Because of the tariff.")
	if told := u.w.Asked(); !strings.Contains(told, "# Why is this 250?") {
		t.Errorf("the model was told %s", told)
	}
}

// Each change is decided where it is shown, at the first, last and only line as
// well, and lands once.
func TestChangesAreAccepted(t *testing.T) {
	for _, c := range []struct{ name, text, line, old, new string }{
		{"the first line", fee, "1", "def fee(minutes):\n", "def fee(minutes: int) -> int:\n"},
		{"the last line", fee, "3", "return hours * 250\n", "return hours * 300\n"},
		{"the last line, without its end", strings.TrimSuffix(fee, "\n"), "3", "return hours * 250", "return hours * 300"},
		{"the only line", "fee = 250\n", "1", "fee = 250\n", "fee = 300\n"},
		{"lines before the first", fee, "1", "def fee(minutes):\n", "\"\"\"Fees.\"\"\"\n\n\ndef fee(minutes):\n"},
		{"lines behind the last", fee, "3", "    return hours * 250\n", "    return hours * 250\n\n\nassert fee(60) == 250\n"},
		{"a deleted last line", fee, "3", "    return hours * 250\n", ""},
		{"everything", fee, "1", "", "fee = 250\n"},
		{"an empty file", "", "1", "", "fee = 250\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			call, want := plaintest.Edit("fee.py", c.old, c.new), strings.Replace(c.text, c.old, c.new, 1)
			if c.old == "" {
				call, want = plaintest.Rewrite("fee.py", c.new), c.new
			}
			u := start(t, "fee.py", c.text, geminitest.Do(call), geminitest.Say("It is done."))
			u.at("1")
			u.action("Edit with emendo")
			u.Sees("●")
			u.at(c.line)
			u.action("Accept: ")
			u.Sees("It is done.")
			if told := u.w.Asked(); !strings.Contains(told, "applied") || strings.Contains(told, "not applied") {
				t.Errorf("the model was told %s", told)
			}
			u.saves("fee.py", want)
			u.normal()
			u.Keys("u")
			if !strings.HasSuffix(want, "\n") { // that was the line end which saving added
				u.Keys("u")
			}
			u.saves("fee.py", c.text)
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
	page := filepath.Join(repository, "docs", "helix.md")
	if err := configure(filepath.Join(repository, "README.md")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := configure(page); err != nil {
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
