package frontend_test

import (
	"testing"

	"github.com/emendo-dev/emendo/agent/frontend"
)

// A state replaces that of the same thing alone: two servers have each their own, and what
// only happens is no state.
func TestStatesAreOfTheirThing(t *testing.T) {
	seen := map[string]string{}
	for _, e := range []frontend.Event{
		frontend.MemoryChanged{},
		frontend.AgentsFound{},
		frontend.QuotaChanged{},
		frontend.MCPState{Name: "a"},
		frontend.MCPState{Name: "b"},
		frontend.MCPState{Name: "memory"},
		frontend.MCPState{Name: "quota"},
	} {
		if e.Of() == "" || e.Kind() == "" {
			t.Errorf("%+v has the kind %q and is of %q", e, e.Kind(), e.Of())
		}
		if other, known := seen[e.Of()]; known {
			t.Errorf("%s and %s are both of %q", other, e.Kind(), e.Of())
		}
		seen[e.Of()] = e.Kind()
	}
	if ready, starting := (frontend.MCPState{Name: "a", State: "ready"}), (frontend.MCPState{Name: "a", State: "starting"}); ready.Of() != starting.Of() {
		t.Errorf("two states of a server are of %q and %q", ready.Of(), starting.Of())
	}
	if of := (frontend.HookStart{HookName: "a"}).Of(); of != "" {
		t.Errorf("the start of a hook is the state of %q", of)
	}
}
