//go:build linux

package attacktest

import (
	"context"
	"fmt"
	"maps"
	"os"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/sandbox/linux"
)

// with is a spawner that has one means only, whatever else there is.
type With func(context.Context, sandbox.Command) (sandbox.Process, error)

func (w With) Start(ctx context.Context, c sandbox.Command) (sandbox.Process, error) {
	return w(ctx, c)
}

// bubblewrapped starts a command by the system's bubblewrap, or by that which
// make bubblewrap has unpacked.
func Bubblewrapped(ctx context.Context, c sandbox.Command) (sandbox.Process, error) {
	program, err := linux.FindBubblewrap()
	if err != nil {
		if program = os.Getenv("EMENDO_BWRAP"); program == "" {
			return nil, fmt.Errorf("%w: run the tests by make, or name one by EMENDO_BWRAP", err)
		}
	}
	return linux.StartIn(ctx, program, c)
}

// means of level A, both of which every test below looks at.
var MeansOfA = map[string]With{"namespaces": linux.StartInNamespaces, "bubblewrap": Bubblewrapped}

// everyMeans returns the means of the levels A and B.
func EveryMeans() map[string]With {
	means := maps.Clone(MeansOfA)
	means["Landlock"] = linux.StartRestricted
	return means
}

// levelB is a guard that has no other level.
func LevelB() *sandbox.Guard { return sandbox.NewGuard(sandbox.Options{Only: "B"}) }

// harmlessWithin are attacks that meet nothing but the sandbox itself: a packet
// goes to its own network, and a signal to a supervisor that is deaf to it.
var HarmlessWithin = []string{"send by UDP", "signal its supervisor"}
