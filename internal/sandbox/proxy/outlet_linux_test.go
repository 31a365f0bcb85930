package proxy

import (
	"context"
	"io"
	"slices"
	"testing"

	"github.com/emendo-dev/emendo/internal/sandbox"
)

// A command in a sandbox reaches only the proxy, and through it the allowed
// hosts.
func TestOutlet(t *testing.T) {
	work, temp, cache := t.TempDir(), t.TempDir(), t.TempDir()
	w := newWorld(t)
	var refused []string
	p := &sandbox.Profile{
		Write: []string{work}, Temp: temp, Cache: cache, Network: sandbox.Network{Hosts: []string{"good.example", "inside.example"}},
		Outlet: func(ctx context.Context, way sandbox.WayOut) {
			o := w.options()
			o.Hosts, o.Key = way.Hosts, way.Key
			o.Told = func(r Request) {
				if r.Closed {
					refused = append(refused, r.Host)
				}
			}
			if err := ServeFile(ctx, way.Proxy, o); err != nil {
				t.Error(err)
			}
		},
	}
	const line = `key=${http_proxy#http://}; key=$(printf %s "${key%@*}" | base64 -w0)
get() { exec 3<>/dev/tcp/127.0.0.1/${http_proxy##*:} && printf 'GET http://%s/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\nProxy-Authorization: Basic %s\r\n\r\n' "$1" "$key" >&3 && tail -n1 <&3; }
get good.example; echo; get other.example; get inside.example; get 127.0.0.1; (exec 3<>/dev/tcp/93.184.215.14/80) 2>&1 | grep -o unreachable | head -n1`
	proc, err := sandbox.NewGuard(sandbox.Options{Only: "A"}).Start(t.Context(), sandbox.Command{
		Argv: []string{"/bin/bash", "--noprofile", "--norc", "-c", line}, Dir: work, Env: []string{"PATH=/usr/bin:/bin"}, Profile: p,
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(proc.Output())
	if err != nil {
		t.Fatal(err)
	}
	proc.Wait()
	proc.Kill(0)
	const want = "good.example /x via \"\"\nemendo: network access to other.example is not allowed; the user can allow more hosts\nemendo: inside.example has the address 10.0.0.1, which is not in the public network\nemendo: use the name of a host, not its address\nunreachable\n"
	if string(out) != want {
		t.Errorf("got  %q\nwant %q", out, want)
	}
	if !slices.Equal(refused, []string{"other.example"}) {
		t.Errorf("what leave is needed for: %q", refused)
	}
}
