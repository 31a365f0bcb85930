package proxy

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/emendo-dev/emendo/internal/sandbox/profile"
)

// A Listener hears what a command asks its way out for, from several goroutines.
type Listener interface {
	Refused(host string) // that may not be reached
	Other(host string)   // that no permission for a host opens
	Asked(name string)   // that was looked up
	Reached(host string)
	Lost(packets bool) // whether the command tried addresses that it could not reach
}

// ServeOutlet serves a command's way out until ctx ends, and closes its sockets.
func ServeOutlet(ctx context.Context, w profile.WayOut, l Listener, log *slog.Logger) error {
	var names error
	var serving sync.WaitGroup
	if w.Names != nil {
		self, search := machine()
		serving.Go(func() { names = ServeNames(ctx, w.Names, Names{Self: self, Search: search, Asked: l.Asked}) })
	}
	err := ServeFile(ctx, w.Proxy, Options{Hosts: w.Hosts, Key: w.Key, Log: log, Told: func(r Request) {
		switch {
		case r.Closed:
			l.Refused(r.Host)
		case r.Elsewhere:
			l.Other(r.Host)
		case r.Refused == "":
			l.Reached(r.Host)
			log.Info("allowed a command's connection", "host", r.Host, "port", r.Port)
			return
		}
		log.Info("blocked a command's connection", "host", r.Host, "port", r.Port, "why", r.Refused)
	}})
	serving.Wait()
	if w.Lost != nil {
		l.Lost(w.Lost())
	}
	return errors.Join(err, names)
}
