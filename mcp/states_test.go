package mcp_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/mcp/mcptest"
)

// The front end is told the state of each server when it may have changed, and which
// servers are no longer there.
func TestStatesOfServersAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.addAfter("a", time.Millisecond) // a server that is ready at once is never told as starting
		w.addLate()
		w.add("off", &mcptest.Double{Refuses: errors.New("not there")})
		told := func(want ...frontend.MCPState) {
			t.Helper()
			got := w.states
			w.states = nil
			for _, s := range want {
				i := slices.IndexFunc(got, func(g frontend.MCPState) bool {
					return g.Name == s.Name && g.State == s.State && g.Tools == s.Tools && (g.Error != "") == (s.State == "failed")
				})
				if i < 0 {
					t.Errorf("told %+v, which lack %+v", got, s)
				}
			}
		}
		w.names(t)
		told(frontend.MCPState{Name: "a", State: "starting"}, frontend.MCPState{Name: "a", State: "ready", Tools: 1}, frontend.MCPState{Name: "late", State: "starting"}, frontend.MCPState{Name: "off", State: "failed"})
		time.Sleep(3 * time.Second)
		synctest.Wait()
		w.list.Servers = w.list.Servers[1:]
		w.names(t)
		told(frontend.MCPState{Name: "late", State: "ready", Tools: 1}, frontend.MCPState{Name: "a", State: "removed"})
		w.trusted = false
		w.names(t)
		told(frontend.MCPState{Name: "late", State: "removed"}, frontend.MCPState{Name: "off", State: "removed"})
	})
}

// A server that is started again is another process, also after it was given up. One that needs
// approval waits for the next request, which checks that.
func TestServersStartAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add("own", double("tool"))
		w.add("theirs", double("tool")).Own = false
		w.add("off", &mcptest.Double{Refuses: errors.New("not there")})
		if got := w.supply.States(); got != nil || w.supply.Restart(t.Context(), "own", true) {
			t.Errorf("before a request there are %+v", got)
		}
		w.names(t)
		for range 10 {
			time.Sleep(time.Minute)
			w.names(t)
		}
		state := func(name string) (s string) {
			synctest.Wait()
			for _, now := range w.supply.States() {
				if now.Name == name {
					s = now.State
					if now.GivenUp {
						s = "given up"
					}
				}
			}
			return s
		}
		if got := state("own") + ", " + state("theirs") + ", " + state("off"); got != "ready, ready, given up" {
			t.Fatalf("they are %s", got)
		}
		w.doubles["off"].Refuses, w.doubles["off"].Serve = nil, double("tool").Serve
		asked := len(w.asked)
		for _, name := range []string{"own", "theirs", "off"} {
			if !w.supply.Restart(t.Context(), name, true) {
				t.Errorf("%s is unknown", name)
			}
		}
		if got := state("own") + ", " + state("theirs") + ", " + state("off"); got != "ready, idle, ready" || len(w.asked) != asked {
			t.Errorf("started again they are %s", got)
		}
		w.names(t)
		if got := state("theirs"); got != "ready" || len(w.asked) != asked+1 || w.doubles["own"].Links() != 2 {
			t.Errorf("with the next request it is %s, and asked about are %+v", got, w.asked)
		}
		w.supply.Restart(t.Context(), "own", false)
		if got := state("own"); got != "idle" {
			t.Errorf("ended it is %s", got)
		}
	})
}
