package sandbox

import (
	"context"
	"testing"
)

// with is a spawner that has one means only, whatever else there is.
type with func(context.Context, Command) (Process, error)

func (w with) Start(ctx context.Context, c Command) (Process, error) { return w(ctx, c) }

// harmlessWithin are attacks that meet nothing but the sandbox itself: a packet
// goes to its own network, and a signal to a supervisor that is deaf to it.
var harmlessWithin = []string{"send by UDP", "signal its supervisor"}

func TestNamespacesWithstandAttacks(t *testing.T) {
	asEachUser(t, func(t *testing.T) { withstand(t, with(namespaced), harmlessWithin...) })
}

func TestBubblewrapWithstandsAttacks(t *testing.T) {
	asEachUser(t, func(t *testing.T) { withstand(t, with(bubblewrapped), harmlessWithin...) })
}
