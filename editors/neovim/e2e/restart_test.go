//go:build editors

package e2e

import (
	"os"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/agent/model/servertest"
)

func TestAKilledServerRestartsAndTheSessionContinues(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("It is a tariff."), geminitest.Say("As I said, a tariff."))
	w.emendo("trust", "add")
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "What is this?" })`)
	e.waitFor("It is a tariff.")
	e.waitUntil("the turn is over", idle)
	before := e.buffer("emendo://panel")
	e.focusEvents()

	for range 2 {
		e.replaceServer(w.kill)
	}
	e.checkFocusKept()
	e.waitForBuffer("emendo://panel", before)
	e.lua(`require("emendo").ask({ prompt = "Once more?" })`)
	e.waitFor("As I said, a tariff.")
	e.waitUntil("the turn is over", idle)

	if sent := w.lastRequest(); !strings.Contains(sent, "What is this?") {
		t.Errorf("the last request lacks the earlier conversation: %s", sent)
	}
	if panel := e.buffer("emendo://panel"); !strings.HasPrefix(panel, strings.TrimSpace(before)) || strings.Count(panel, "What is this?") != 1 {
		t.Errorf("the panel does not continue where it was:\n%s\nbefore:\n%s", panel, before)
	}
	if got := of(w.wire(), "emendo/session/new"); len(got) != 1 {
		t.Errorf("%d sessions were created", len(got))
	}
	w.checkAllDeclared()
}

// A prompt to a server that is killed fails, and the next one goes to a new server.
func TestAKilledServerFailsItsCallers(t *testing.T) {
	w := newWorld(t, parking, geminitest.Reply{Events: []geminitest.Event{geminitest.Text("This takes forever")}, End: servertest.Stall})
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "Go on.", done = function(err) _G.result = err end })`)
	e.waitFor("This takes forever")
	w.kill()
	e.waitUntil("the caller gets the result", `_G.result and _G.result.message == "the server has ended"`)
	e.waitFor("The server ended in the middle of this turn")
	e.waitUntil("the turn is over", idle)
	w.model.Add(geminitest.Say("It goes on."))
	e.lua(`require("emendo").ask({ prompt = "And now?", done = function(_, result) _G.result = result end })`)
	e.waitUntil("the caller gets the result", `(_G.result or {}).stopReason == "end_turn"`)
}

// kill kills the server that was started last.
func (w *world) kill() {
	w.t.Helper()
	started := of(w.wire(), "initialize")
	server, err := os.FindProcess(started[len(started)-1].PID)
	if err == nil {
		err = server.Kill()
	}
	if err != nil {
		w.t.Fatal(err)
	}
}
