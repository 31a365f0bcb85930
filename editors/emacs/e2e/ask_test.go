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
			u.hears(1)
			u.at(c.line)
			u.action("Accept: ")
			u.hears(2)
			u.Sees("It is done.")
			if told := u.w.Asked(); !strings.Contains(told, "applied") || strings.Contains(told, "not applied") {
				t.Errorf("the model was told %s", told)
			}
			u.saves("fee.py", want)
			if strings.HasSuffix(want, "\n") {
				u.undoes(1)
			} else { // the line end that saving added, too
				u.undoes(2)
			}
			u.saves("fee.py", c.text)
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
	page := filepath.Join(repository, "docs", "emacs.md")
	if err := configure(filepath.Join(repository, "README.md")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := configure(page); err != nil {
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
