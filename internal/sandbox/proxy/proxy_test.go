package proxy

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// world is a network for tests: names with addresses, and two servers that
// replace all public ones.
type world struct {
	names       map[string]string
	plain, safe *httptest.Server

	mu       sync.Mutex
	dialed   []string
	requests []Request
	looked   map[string]int
}

func newWorld(t *testing.T) *world {
	t.Helper()
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s via %q", r.Host, r.URL.Path, r.Header.Get("X-Forwarded-For"))
	})
	w := &world{
		names: map[string]string{
			"good.example": "93.184.215.14", "sub.below.example": "93.184.215.15", "other.example": "93.184.215.16",
			"inside.example": "10.0.0.1", "mixed.example": "93.184.215.14 127.0.0.1", "meta.example": "169.254.169.254", "mapped.example": "::ffff:127.0.0.1",
		},
		plain: httptest.NewServer(answer), safe: httptest.NewTLSServer(answer), looked: map[string]int{},
	}
	w.safe.Config.ErrorLog = log.New(io.Discard, "", 0) // its clients disconnect after the handshake
	t.Cleanup(w.plain.Close)
	t.Cleanup(w.safe.Close)
	return w
}

func (w *world) options() Options {
	return Options{
		Hosts: []string{"good.example", "*.below.example", "inside.example", "mixed.example", "meta.example", "mapped.example", "gone.example"},
		Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.looked[host]++
			var l []netip.Addr
			for a := range strings.FieldsSeq(w.names[host]) {
				l = append(l, netip.MustParseAddr(a))
			}
			return l, nil
		},
		Dial: func(ctx context.Context, a netip.AddrPort) (net.Conn, error) {
			w.mu.Lock()
			w.dialed = append(w.dialed, a.String())
			w.mu.Unlock()
			to := w.plain
			if a.Port() == 443 {
				to = w.safe
			}
			return (&net.Dialer{}).DialContext(ctx, "tcp", to.Listener.Addr().String())
		},
		Told: func(r Request) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.requests = append(w.requests, r)
		},
	}
}

// serve runs the proxy until the test ends, and returns its address.
func (w *world) serve(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		Serve(ctx, l, w.options())
	}()
	t.Cleanup(func() {
		stop()
		<-over
	})
	return l.Addr().String()
}

// say sends a request unchanged and reads the response.
func say(t *testing.T, address, request string) string {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, strings.ReplaceAll(request, "\n", "\r\n")+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(io.LimitReader(r.Body, 200))
	if err != nil && r.StatusCode == http.StatusOK && r.ContentLength >= 0 {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d %s", r.StatusCode, strings.TrimSpace(string(b)))
}

func TestPlainRequests(t *testing.T) {
	const off, end = "403 emendo: network access to ", " is not allowed; the user can allow more hosts"
	for _, tt := range []struct{ name, request, want, dialed string }{
		{name: "an allowed host", request: "GET http://good.example/x HTTP/1.1\nHost: good.example", want: `200 good.example /x via ""`, dialed: "93.184.215.14:80"},
		{name: "in upper case, with a dot and a port", request: "GET http://GOOD.example.:80/x HTTP/1.1\nHost: x", want: `200 GOOD.example.:80 /x via ""`, dialed: "93.184.215.14:80"},
		{name: "the header names another host", request: "GET http://good.example/x HTTP/1.1\nHost: other.example", want: `200 good.example /x via ""`, dialed: "93.184.215.14:80"},
		{name: "a host below a domain", request: "GET http://sub.below.example/ HTTP/1.1\nHost: x", want: `200 sub.below.example / via ""`, dialed: "93.184.215.15:80"},
		{name: "the domain itself", request: "GET http://below.example/ HTTP/1.1\nHost: x", want: off + "below.example" + end},
		{name: "a name with the same ending", request: "GET http://notgood.example/ HTTP/1.1\nHost: x", want: off + "notgood.example" + end},
		{name: "a host that is not allowed", request: "GET http://other.example/ HTTP/1.1\nHost: good.example", want: off + "other.example" + end},
		{name: "another port", request: "GET http://good.example:8080/ HTTP/1.1\nHost: x", want: "400 emendo: port 8080 is not allowed: use 80 for http or 443 for https"},
		{name: "an address", request: "GET http://93.184.215.14/ HTTP/1.1\nHost: x", want: "400 emendo: use the name of a host, not its address"},
		{name: "an IPv6 address", request: "GET http://[::1]/ HTTP/1.1\nHost: x", want: "400 emendo: use the name of a host, not its address"},
		{name: "a number as an address", request: "GET http://2130706433/ HTTP/1.1\nHost: x", want: "400 emendo: use the name of a host, not its address"},
		{name: "a name with an internal address", request: "GET http://inside.example/ HTTP/1.1\nHost: x", want: "502 emendo: inside.example has the address 10.0.0.1, which is not in the public network"},
		{name: "a name with an internal address too", request: "GET http://mixed.example/ HTTP/1.1\nHost: x", want: "502 emendo: mixed.example has the address 127.0.0.1, which is not in the public network"},
		{name: "a name with a link-local address", request: "GET http://meta.example/ HTTP/1.1\nHost: x", want: "502 emendo: meta.example has the address 169.254.169.254, which is not in the public network"},
		{name: "a mapped address", request: "GET http://mapped.example/ HTTP/1.1\nHost: x", want: "502 emendo: mapped.example has the address ::ffff:127.0.0.1, which is not in the public network"},
		{name: "a name without an address", request: "GET http://gone.example/ HTTP/1.1\nHost: x", want: "502 emendo: gone.example has no address"},
		{name: "not an absolute URL", request: "GET /x HTTP/1.1\nHost: good.example", want: "400 emendo: this is a proxy for http and https: use an absolute URL"},
		{name: "another scheme", request: "GET ftp://good.example/x HTTP/1.1\nHost: x", want: "400 emendo: this is a proxy for http and https: use an absolute URL"},
		{name: "a user in the URL", request: "GET http://good.example@other.example/ HTTP/1.1\nHost: x", want: "400 emendo: this is a proxy for http and https: use an absolute URL"},
		{name: "a tunnel to another port", request: "CONNECT good.example:22 HTTP/1.1\nHost: good.example:22", want: "400 emendo: port 22 is not allowed: use 80 for http or 443 for https"},
		{name: "a tunnel to a host that is not allowed", request: "CONNECT other.example:443 HTTP/1.1\nHost: good.example:443", want: off + "other.example" + end},
		{name: "a tunnel to a name with an internal address", request: "CONNECT inside.example:443 HTTP/1.1\nHost: x", want: "502 emendo: inside.example has the address 10.0.0.1, which is not in the public network"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			if got := say(t, w.serve(t), tt.request); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			if got := strings.Join(w.dialed, " "); got != tt.dialed {
				t.Errorf("dialed %q, want %q", got, tt.dialed)
			}
			for host, n := range w.looked {
				if n != 1 {
					t.Errorf("%s was looked up %d times", host, n)
				}
			}
		})
	}
}

func TestTunnels(t *testing.T) {
	for _, tt := range []struct {
		name, greets, want string
		requests           []Request
	}{
		{name: "greets the host", greets: "good.example", want: `200 good.example /x via ""`, requests: []Request{{Host: "good.example", Port: "443"}}},
		{name: "greets another host", greets: "other.example", want: "cut", requests: []Request{{Host: "good.example", Port: "443", Refused: `the connection is for "other.example"`}}},
		{name: "greets nobody", greets: "", want: "cut", requests: []Request{{Host: "good.example", Port: "443", Refused: `the connection is for ""`}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			c, err := net.Dial("tcp", w.serve(t))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			fmt.Fprint(c, "CONNECT good.example:443 HTTP/1.1\r\nHost: good.example:443\r\n\r\n")
			r := bufio.NewReader(c)
			a, err := http.ReadResponse(r, &http.Request{Method: http.MethodConnect})
			if err != nil {
				t.Fatal(err)
			}
			a.Body.Close()
			if a.StatusCode != http.StatusOK {
				t.Fatal(a.Status)
			}
			got := "cut"
			secure := tls.Client(c, &tls.Config{ServerName: tt.greets, InsecureSkipVerify: true}) //nolint:gosec // its certificate is a test's
			if err := secure.Handshake(); err == nil {
				fmt.Fprint(secure, "GET /x HTTP/1.1\r\nHost: good.example\r\n\r\n")
				a, err := http.ReadResponse(bufio.NewReader(secure), nil)
				if err != nil {
					t.Fatal(err)
				}
				b, err := io.ReadAll(a.Body)
				a.Body.Close()
				if err != nil {
					t.Fatal(err)
				}
				got = fmt.Sprintf("%d %s", a.StatusCode, b)
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			if diff := cmp.Diff(tt.requests, w.requests); diff != "" {
				t.Errorf("requests (-want +got)\n%s", diff)
			}
		})
	}
}

func TestTunnelRequiresTLS(t *testing.T) {
	w := newWorld(t)
	c, err := net.Dial("tcp", w.serve(t))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c, "CONNECT good.example:443 HTTP/1.1\r\nHost: good.example:443\r\n\r\nSSH-2.0-x\r\n")
	all, err := io.ReadAll(c)
	if err != nil && !strings.Contains(err.Error(), "reset") {
		t.Fatal(err)
	}
	if got := string(all); got != "HTTP/1.1 200 Connection established\r\n\r\n" {
		t.Errorf("got %q", got)
	}
}

// When Serve returns, all connections are closed.
func TestServeEnds(t *testing.T) {
	w := newWorld(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		Serve(ctx, l, w.options())
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c, "CONNECT good.example:443 HTTP/1.1\r\nHost: good.example:443\r\n\r\n")
	if _, err := bufio.NewReader(c).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	stop()
	<-over
	if _, err := io.ReadAll(c); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Error(err)
	}
	if c, err := net.Dial("tcp", l.Addr().String()); err == nil {
		c.Close()
		t.Error("it still listens")
	}
}
