//go:build editors

package e2e

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/editors/internal/plaintest"
)

// A review shows what it finds at its lines: one finding is dismissed, the other one fixed.
func TestFindingsAreFixedAndDismissed(t *testing.T) {
	w := plaintest.NewReview(t, machine.Home)
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
