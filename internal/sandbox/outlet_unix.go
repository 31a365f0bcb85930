//go:build unix

package sandbox

import (
	"context"
	"os"
)

// hasOutlet says whether commands have a way out, and to some hosts only.
func (p *Profile) hasOutlet() bool {
	return p.outlet != nil && !p.Network.All && len(p.Network.Hosts) > 0
}

// serve has the profile's outlet answer on a listening socket until the command
// has ended.
func (p *process) serve(ctx context.Context, profile *Profile, listener *os.File) {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx)) // it ends with the command, not with its start
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		profile.outlet(ctx, listener, profile.Network.Hosts, profile.refused.add)
	}()
	p.after = func() {
		stop()
		<-closed
	}
}
