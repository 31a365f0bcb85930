//go:build editors

package e2e

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/editors/internal/plaintest"
)

// Lines are commented on in the chat document, and after the answer once more; the second round
// goes on after the server was killed and Helix was started again.
func TestLinesAreCommentedOnInTwoRounds(t *testing.T) {
	u := start(t, "fee.py", fee, geminitest.Do(plaintest.Edit("fee.py", "hours * 250", "hours * 300")), geminitest.Say("Raised."), geminitest.Say("By the hour."))
	u.selectLine("3")
	u.chooseAction("Comment on the selected lines")
	u.WaitFor("> [fee.py:3]", ">     return hours * 250")
	u.ask("Raise the price.")
	u.waitForRequests(1)
	if sent := u.w.LastRequest(); !strings.Contains(sent, "on fee.py, line 3:") || !strings.Contains(sent, "Raise the price.") {
		t.Errorf("the model got %s", sent)
	}
	u.command("open fee.py")
	u.selectLine("3")
	u.chooseAction("Accept: ")
	u.WaitFor("hours * 300")
	u.waitForRequests(2)
	u.saveAndWait("fee.py", strings.Replace(fee, "250", "300", 1))

	u.w.Kill()
	u.restart("fee.py")
	u.chat()
	u.WaitFor("Raised.")
	u.command("open fee.py")
	u.selectLine("2")
	u.chooseAction("Comment on the selected lines")
	u.WaitFor("> [fee.py:2]")
	u.ask("Which hours?")
	u.waitForRequests(3)
	sent := u.w.LastRequest()
	if _, last, _ := strings.Cut(sent, "Raised."); !strings.Contains(last, "on fee.py, line 2:") || strings.Contains(last, "Raise the price.") {
		t.Errorf("in the second round the model got %s", sent)
	}
	u.WaitUntil("the answer is there", func() bool { return strings.Contains(u.bottom(), "By the hour.") })
}

// What a command changed is undone, after the server was killed and Helix was started again.
func TestWhatACommandChangedIsUndoneAfterAKill(t *testing.T) {
	w := plaintest.NewWorld(t, machine.Home, map[string]string{"fee.py": fee, "other.py": "fee = 250\n"}, geminitest.Do(plaintest.Run("printf 'fee = 300\\n' > other.py")), geminitest.Say("It is done."))
	w.Write("../emendo/config/settings.json", `{"general": {"defaultApprovalMode": "auto_edit"}}`)
	u := open(w, "fee.py")
	u.selectLine("3")
	u.chooseAction("Explain with emendo")
	u.WaitFor("It is done.")
	u.w.Kill()
	u.restart("fee.py")
	u.chat()
	u.WaitFor("It is done.")
	u.command("open other.py")
	u.WaitFor("fee = 300", "●")
	u.selectLine("1")
	u.WaitFor("not reviewed yet")
	u.chooseAction("Undo: ")
	u.WaitFor("fee = 250")
	u.WaitUntil("nothing is marked", func() bool { return !strings.Contains(u.Screen(), "●") })
	u.saveAndWait("other.py", "fee = 250\n")
}
