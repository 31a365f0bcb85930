//go:build editors

package e2e

import (
	"os"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

func TestAKilledServerRestartsAndTheSessionGoesOn(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("It is a tariff."), geminitest.Say("As I said, a tariff."))
	w.emendo("trust", "add")
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "What is this?" })`)
	e.sees("It is a tariff.")
	e.until("the turn is over", idle)
	before := e.buffer("emendo://panel")
	e.took()

	for range 2 {
		now := value[int](e, `return require("emendo.client").server.client.id`)
		w.kill()
		e.until("another server has the session", `(function(before)
			local server, session = require("emendo.client").server, require("emendo.session").current
			return server.ready and server.client.id ~= before and session and not session.stale
		end)(...)`, now)
	}
	e.noFocus()
	e.wants("emendo://panel", before)
	e.lua(`require("emendo").ask({ prompt = "Once more?" })`)
	e.sees("As I said, a tariff.")
	e.until("the turn is over", idle)

	if told := w.asked(); !strings.Contains(told, "What is this?") {
		t.Errorf("the model was not told of what was said before: %s", told)
	}
	if panel := e.buffer("emendo://panel"); !strings.HasPrefix(panel, strings.TrimSpace(before)) || strings.Count(panel, "What is this?") != 1 {
		t.Errorf("the panel does not go on from where it was:\n%s\nbefore:\n%s", panel, before)
	}
	if got := of(w.wire(), "emendo/session/new"); len(got) != 1 {
		t.Errorf("%d sessions were made", len(got))
	}
	w.allDeclared()
}

// What was asked of a server that ends is answered with an error, and the next
// server is asked again.
func TestWhoWaitsForAKilledServerIsTold(t *testing.T) {
	w := newWorld(t, parking, geminitest.Reply{Events: []geminitest.Event{geminitest.Text("This takes forever")}, End: geminitest.Stall})
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "Go on.", done = function(err) _G.told = err end })`)
	e.sees("This takes forever")
	w.kill()
	e.until("the caller is told", `_G.told and _G.told.message == "the server has ended"`)
	e.sees("The server ended in the middle of this turn")
	e.until("the turn is over", idle)
	w.model.Add(geminitest.Say("It goes on."))
	e.lua(`require("emendo").ask({ prompt = "And now?", done = function(_, result) _G.told = result end })`)
	e.until("the caller is told", `_G.told.stopReason == "end_turn"`)
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
