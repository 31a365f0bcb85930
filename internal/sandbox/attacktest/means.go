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

// With is a spawner that uses one means only.
type With func(context.Context, sandbox.Command) (sandbox.Process, error)

// Start implements [sandbox.Spawner].
func (w With) Start(ctx context.Context, c sandbox.Command) (sandbox.Process, error) {
	return w(ctx, c)
}

// Bubblewrapped starts a command by the system's bubblewrap, or by the one that
// EMENDO_BWRAP names.
func Bubblewrapped(ctx context.Context, c sandbox.Command) (sandbox.Process, error) {
	program, err := linux.FindBubblewrap()
	if err != nil {
		if program = os.Getenv("EMENDO_BWRAP"); program == "" {
			return nil, fmt.Errorf("%w: run the tests by make, or name one by EMENDO_BWRAP", err)
		}
	}
	return linux.StartIn(ctx, program, c)
}

// MeansOfA are the means of level A.
var MeansOfA = map[string]With{"namespaces": linux.StartInNamespaces, "bubblewrap": Bubblewrapped}

// EveryMeans returns the means of the levels A and B.
func EveryMeans() map[string]With {
	means := maps.Clone(MeansOfA)
	means["Landlock"] = linux.StartRestricted
	return means
}

// LevelB returns a guard that has no other level.
func LevelB() *sandbox.Guard { return sandbox.NewGuard(sandbox.Options{Only: "B"}) }

// HarmlessWithin lists attacks at level A that reach only the sandbox itself: a packet
// goes to its own network, and a signal to a supervisor that ignores it.
var HarmlessWithin = []string{"send by UDP", "signal its supervisor"}
