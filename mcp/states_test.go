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
