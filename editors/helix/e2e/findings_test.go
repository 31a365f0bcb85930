//go:build editors

package e2e

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/editors/internal/plaintest"
)

// A review shows what it finds at its lines: one finding is dismissed, the other one fixed.
func TestFindingsAreFixedAndDismissed(t *testing.T) {
	w := plaintest.NewWorld(t, machine.Home, map[string]string{"fee.py": "fee = 250\n"}, geminitest.Do(
		geminitest.Call("report_finding", `{"file_path": "fee.py", "line": 2, "severity": "warning", "title": "minutes are lost", "message": ""}`),
		geminitest.Call("report_finding", `{"file_path": "fee.py", "line": 3, "severity": "error", "title": "the price is old", "message": ""}`)),
		geminitest.Say("I read the changes."), geminitest.Do(plaintest.Edit("fee.py", "hours * 250", "hours * 300")), geminitest.Say("It is done."))
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "one"}} {
		if out, err := exec.Command("git", append([]string{"-C", w.Dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	w.Write("fee.py", fee)
	u := open(w, "fee.py")
	u.command("lsp-workspace-command emendo.reviewChanges")
	u.WaitFor("●", "I read the changes.")
	u.selectLine("2")
	u.WaitFor("minutes are lost")
	u.chooseAction("Dismiss: minutes are lost")
	u.selectLine("3")
	u.WaitFor("the price is old")
	u.chooseAction("Fix: the price is old")
	u.WaitFor("+     return hours * 300")
	u.selectLine("3")
	u.chooseAction("Accept: ")
	u.WaitFor("hours * 300", "It is done.")
	u.WaitUntil("nothing is marked", func() bool { return !strings.Contains(u.Screen(), "●") })
	u.saveAndWait("fee.py", strings.Replace(fee, "250", "300", 1))
}
