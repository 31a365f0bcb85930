package shell

import (
	"context"
	"time"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/tools/reach"
)

// lookEvery is the time between two looks at what a command has written.
const lookEvery = 500 * time.Millisecond

// growth limits what a command writes. The zero value does not.
type growth struct {
	meter *reach.Meter
	// ask asks whether the command, which is paused, may go on.
	ask func(ctx context.Context, why string) bool
}

// start returns the ticker of looks.
func (g growth) start() *time.Ticker {
	t := time.NewTicker(lookEvery)
	if g.meter == nil {
		t.Stop()
	}
	return t
}

// checkGrowth returns why the command has to end, or "". It pauses the command while the user is
// asked.
func (g growth) checkGrowth(ctx context.Context, p sandbox.Process) string {
	why := g.meter.Check()
	if why == "" {
		return ""
	}
	if paused, ok := p.(interface {
		Pause()
		Resume()
	}); ok {
		paused.Pause()
		defer paused.Resume()
	}
	if g.ask(ctx, why) {
		g.meter.Extend()
		return ""
	}
	return why
}
