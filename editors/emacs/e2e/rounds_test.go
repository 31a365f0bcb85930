//go:build editors

package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/editors/internal/plaintest"
	"github.com/emendo-dev/emendo/lsp/wiretest"
)

// visit shows a file.
func (u user) visit(file string) {
	u.T.Helper()
	u.command("find-file")
	u.WaitFor("Find file:")
	u.Press("C-a", "C-k")
	u.Type(u.w.Path(file))
	u.Press("Enter")
	u.WaitFor(file + "  ")
}

// revive starts a server in place of one that was killed.
func (u user) revive() {
	u.T.Helper()
	u.w.Kill()
	u.WaitUntil("eglot knows that it is gone", func() bool { return !strings.Contains(u.Screen(), "[eglot:parking") })
	u.command("eglot")
	u.WaitFor("[eglot:parking")
}

// What was changed unasked is kept and undone, an edit as well as what a command changed, also
// after the server was killed.
func TestChangesAreKeptAndUndone(t *testing.T) {
	w := plaintest.NewWorld(t, machine.Home, map[string]string{"fee.py": fee, "other.py": "fee = 250\n"}, geminitest.Do(
		plaintest.Edit("fee.py", "hours * 250", "hours * 300"), plaintest.Run("printf 'fee = 300\\n' > other.py")), geminitest.Say("It is done."))
	w.Write("../emendo/config/settings.json", `{"general": {"defaultApprovalMode": "auto_edit"}}`)
	u := open(w, "fee.py")
	u.selectLine("3")
	u.chooseAction("Explain with emendo")
	u.waitForRequests(2)
	u.WaitFor("hours * 300")
	u.saveAndWait("fee.py", strings.Replace(fee, "250", "300", 1))
	u.revive()
	u.Press("C-c", "e", "m") // the conversation goes on
	u.WaitFor("It is done.")
	u.Press("C-x", "1")
	u.visit("fee.py")
	u.selectLine("3")
	u.chooseAction("Keep: ")
	u.visit("other.py")
	u.WaitFor("fee = 300")
	u.selectLine("1")
	u.chooseAction("Undo: ")
	u.WaitFor("fee = 250")
	u.saveAndWait("other.py", "fee = 250\n")
}

// Lines are commented on in the chat document in two rounds.
func TestLinesAreCommentedOnInTwoRounds(t *testing.T) {
	u := start(t, "fee.py", fee, geminitest.Say("At the door."), geminitest.Say("By the hour."))
	u.selectLine("3")
	u.chooseAction("Comment on the selected lines")
	u.WaitFor("> [fee.py:3]", ">     return hours * 250")
	u.ask("Where is it paid?")
	u.waitForRequests(1)
	if sent := u.w.LastRequest(); !strings.Contains(sent, "on fee.py, line 3:") || !strings.Contains(sent, "Where is it paid?") {
		t.Errorf("the model got %s", sent)
	}
	u.waitForEnd("At the door.")
	u.Press("C-x", "C-s")
	u.WaitFor("Wrote ")
	u.Press("C-x", "1")
	u.visit("fee.py")
	u.selectLine("2")
	u.chooseAction("Comment on the selected lines")
	u.WaitFor("> [fee.py:2]")
	u.ask("Which hours?")
	u.waitForRequests(2)
	sent := u.w.LastRequest()
	if _, last, _ := strings.Cut(sent, "At the door."); !strings.Contains(last, "on fee.py, line 2:") || strings.Contains(last, "Where is it paid?") {
		t.Errorf("in the second round the model got %s", sent)
	}
	u.waitForEnd("By the hour.")
}

// A review shows what it finds at its lines: one finding is dismissed, the other one fixed.
func TestFindingsAreFixedAndDismissed(t *testing.T) {
	w := plaintest.NewReview(t, machine.Home)
	u := open(w, "fee.py")
	u.Press("M-:")
	u.WaitFor("Eval:")
	u.Type(`(eglot-execute-command (eglot-current-server) "emendo.reviewChanges" (vector (make-hash-table)))`)
	u.Press("Enter")
	u.waitForRequests(2)
	u.selectLine("2")
	u.chooseAction("Dismiss: minutes are lost")
	u.selectLine("3")
	u.chooseAction("Fix: the price is old")
	u.waitForRequests(3)
	u.selectLine("3")
	u.chooseAction("Accept: ")
	u.WaitFor("hours * 300")
	u.waitForRequests(4)
	u.saveAndWait("fee.py", strings.Replace(fee, "250", "300", 1))
	u.WaitUntil("emendo knows that it is saved", func() bool {
		return slices.ContainsFunc(u.w.Wire(), func(m wiretest.Message) bool { return m.Method == "textDocument/didSave" })
	})
}
