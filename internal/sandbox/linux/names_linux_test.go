package linux_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/sandbox/attacktest"
	"github.com/emendo-dev/emendo/internal/sandbox/proxy"
)

// asked are the names that a command has looked up.
type asked struct {
	mu    sync.Mutex
	names []string
}

func (a *asked) add(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.names = append(a.names, name)
}

// outlet answers questions about names and refuses everything else.
func (a *asked) outlet(ctx context.Context, w sandbox.WayOut) {
	var serving sync.WaitGroup
	serving.Go(func() {
		_ = proxy.ServeNames(ctx, w.Names, proxy.Names{Self: "this-machine", Asked: a.add}) // the test sees what was asked
	})
	_ = proxy.ServeFile(ctx, w.Proxy, proxy.Options{Key: w.Key}) // likewise
	serving.Wait()
}

// A command without the network learns at once that a host does not exist, and emendo learns
// which one it was, of each command alone.
func TestNamesThatACommandLooksUpAreKnown(t *testing.T) {
	attacktest.AsEachUser(t, func(t *testing.T) {
		for means, start := range attacktest.MeansOfA {
			t.Run(means, func(t *testing.T) {
				b := attacktest.NewTestbed(t)
				name := session(t)
				var one, other asked
				of := func(a *asked) sandbox.Spawner {
					return inSession{start, name, func(p *sandbox.Profile) { p.Outlet = a.outlet }}
				}
				const look = "getent ahosts %s || echo none; "
				line := strings.Repeat(look, 3)
				for _, host := range []string{"docs.example.com", "this-machine", "nobody.invalid"} {
					line = strings.Replace(line, "%s", host, 1)
				}
				if out, _ := b.Shell(of(&one), line); strings.Count(out, "none") != 2 || !strings.Contains(out, "127.0.0.1") {
					t.Errorf("got %q", out)
				}
				if out, _ := b.Shell(of(&other), "getent ahosts db.example.net || echo none"); out != "none\n" {
					t.Errorf("another command: got %q", out)
				}
				slices.Sort(one.names)
				if got := slices.Compact(one.names); !slices.Equal(got, []string{"docs.example.com"}) {
					t.Errorf("the first command looked up %q", got)
				}
				if got := slices.Compact(other.names); !slices.Equal(got, []string{"db.example.net"}) {
					t.Errorf("another command looked up %q", got)
				}
			})
		}
	})
}
