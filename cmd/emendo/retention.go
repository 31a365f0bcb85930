package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent"
)

// startGrace is how long a server that has just started is left alone.
const startGrace = 10 * time.Second

// tidy deletes old sessions, beside everything else, after a while. end stops
// that and waits for it.
func (w wiring) tidy(a *agent.Agent, after time.Duration) (end func()) {
	r := w.settings.General.SessionRetention
	if !r.Enabled {
		return func() {}
	}
	ctx, stop := context.WithCancel(context.Background())
	var tidying sync.WaitGroup
	tidying.Go(func() {
		select {
		case <-time.After(after):
		case <-ctx.Done():
			return
		}
		err := a.CleanUp(ctx, agent.Retention{MaxAge: time.Duration(r.MaxAge), MaxCount: r.MaxCount, MinAge: time.Duration(r.MinRetention)})
		if err != nil && !errors.Is(err, context.Canceled) {
			w.log.Warn("old sessions were not all deleted", "err", err)
		}
	})
	return func() {
		stop()
		tidying.Wait()
	}
}
