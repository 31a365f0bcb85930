package oauth

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

// A server in the public network cannot make emendo ask this machine or its network, by
// an address or by a name; what the user configures is asked.
func TestNamedServersAreNotCloser(t *testing.T) {
	web := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(web.Close)
	local := strings.Replace(web.URL, "127.0.0.1", "localhost", 1)
	for _, c := range []struct {
		address string
		closest reach
		ok      bool
	}{
		{web.URL, public, false},
		{web.URL, nearby, false},
		{web.URL, here, true},
		{local, public, false},
		{local, here, true},
		{"https://10.1.2.3/x", public, false},
		{"https://[fd00::1]/x", public, false},
		{"https://100.64.0.1/x", public, false},
		{"https://[::ffff:10.0.0.1]/x", public, false},
		{"https://169.254.169.254/x", here, false},
		{"https://0.0.0.0/x", here, false},
		{"http://192.0.2.1/x", here, false},
	} {
		l := Logins{}
		client, err := l.newClient(t.Context(), Target{URL: "https://192.0.2.1/mcp"})
		if err != nil {
			t.Fatal(err)
		}
		client.closest = c.closest
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.address, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.get.Do(r)
		if err == nil {
			_ = resp.Body.Close()
		}
		if (err == nil) != c.ok {
			t.Errorf("%s for a server with reach %d: %v", c.address, c.closest, err)
		}
	}
}

// The address that a name stands for is checked at the socket.
func TestNamesAreCheckedAtTheSocket(t *testing.T) {
	web := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(web.Close)
	_, port, err := net.SplitHostPort(web.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c := &client{closest: public, named: map[string]bool{}}
	if conn, err := c.dial(t.Context(), "tcp", "localhost:"+port); err == nil || !strings.Contains(err.Error(), "has no business with") {
		t.Errorf("the connection is %v, %v", conn, err)
	}
	c.named["localhost:"+port] = true
	conn, err := c.dial(t.Context(), "tcp", "localhost:"+port)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
}

func TestReachOfServers(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	if got := reachOfHost(ctx, "localhost"); got != here {
		t.Errorf("localhost has reach %d", got)
	}
	if got := reachOfHost(ctx, "10.0.0.1"); got != nearby {
		t.Errorf("10.0.0.1 has reach %d", got)
	}
	cancel(errors.New("the name is not known here"))
	if got := reachOfHost(ctx, "far.test"); got != public {
		t.Errorf("an unknown name has reach %d", got)
	}
}

// A server in the public network whose name stands for this machine too is public.
func TestTheFarthestAddressCounts(t *testing.T) {
	at := func(l ...string) (found []netip.Addr) {
		for _, a := range l {
			found = append(found, netip.MustParseAddr(a))
		}
		return found
	}
	for _, tt := range []struct {
		found []netip.Addr
		want  reach
	}{
		{at("127.0.0.1", "::1"), here},
		{at("127.0.0.1", "8.8.8.8"), public},
		{at("8.8.8.8", "10.0.0.1"), public},
		{at("127.0.0.1", "10.0.0.1"), nearby},
		{at("127.0.0.1", "169.254.169.254"), public},
		{nil, public},
	} {
		if got := farthest(tt.found); got != tt.want {
			t.Errorf("%v has reach %d, want %d", tt.found, got, tt.want)
		}
	}
}
