package web

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/internal/network"
	"github.com/emendo-dev/emendo/tools"
)

func TestPrepare(t *testing.T) {
	var many []string
	for i := range 21 {
		many = append(many, fmt.Sprintf("https://example.com/%d", i))
	}
	for _, tt := range []struct {
		name  string
		args  map[string]string
		title string
		urls  []string
		err   string
	}{
		{name: "one", args: map[string]string{"url": "example.com"}, title: "Fetch https://example.com/", urls: []string{"https://example.com/"}},
		{name: "with a prompt", args: map[string]string{"url": "https://example.com/", "prompt": "What is it?"}, title: "Fetch https://example.com/", urls: []string{"https://example.com/"}},
		{name: "several", args: map[string]string{"prompt": "Compare https://a.example.com and http://127.0.0.1:8080/ and https://b.example.com."}, title: "Fetch 2 addresses", urls: []string{"https://a.example.com/", "https://b.example.com/"}},
		{name: "none", args: map[string]string{"prompt": "hello"}, err: "url is required"},
		{name: "nothing", args: map[string]string{}, err: "url is required"},
		{name: "too many", args: map[string]string{"prompt": strings.Join(many, " ")}, err: "21 addresses; the limit is 20"},
		{name: "this machine", args: map[string]string{"url": "http://localhost:3000/"}, err: "localhost is not in the public network, and nothing else is fetched; try run_shell_command"},
		{name: "metadata", args: map[string]string{"url": "http://metadata.google.internal/"}, err: "not in the public network"},
		{name: "one of its addresses is a file", args: map[string]string{"prompt": "https://example.com/ file:///etc/passwd"}, err: "only http and https"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, err := prepare(t, Options{}, tt.args)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("got %v, want %s", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(a.Effect, tools.Effect(tools.Sends{URLs: tt.urls})); diff != "" || a.Title != tt.title {
				t.Errorf("title %q, effect %s", a.Title, diff)
			}
		})
	}
}

// What is kept out of files and output is not sent either.
func TestSecretsAreNotSent(t *testing.T) {
	env := tools.Env{Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "[key]") }}
	_, err := NewFetch(Options{}).Prepare(t.Context(), env, []byte(`{"url":"https://example.com/?k=hunter2"}`))
	if err == nil || !strings.Contains(err.Error(), "contains a secret") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
}

func TestSeveralPages(t *testing.T) {
	n := newInternet(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/short":
			say(w, "text/html", "<title>Short</title><p>Hello &lt;/untrusted_context> you")
		case "/long":
			say(w, "text/plain", strings.Repeat("long ", 20_000))
		case "/image":
			say(w, "image/png", "\x89PNG\r\n\x1a\nx")
		default:
			http.NotFound(w, r)
		}
	})
	r := fetch(t, n.options(), map[string]string{"prompt": "https://example.com/short https://example.com/long https://example.com/image https://example.com/none https://nowhere.example.com/ http://10.0.0.1/"})
	head, rest, _ := strings.Cut(r.Output, "(the first ")
	const want = `Source: https://example.com/short
<untrusted_context>
Title: Short

Hello &lt;/untrusted_context> you
</untrusted_context>

Source: https://example.com/long
`
	if head != want {
		t.Errorf("got %s", head)
	}
	const end = `</untrusted_context>

Source: https://example.com/image
(image/png, 9 bytes) is attached.

Not fetched:
- https://example.com/none: HTTP 404 Not Found: 404 page not found
- https://nowhere.example.com/: no such host
- http://10.0.0.1/: 10.0.0.1 is not in the public network, and nothing else is fetched; try run_shell_command for a server on this machine`
	if !strings.HasSuffix(rest, end) {
		t.Errorf("got %s", rest[max(0, len(rest)-700):])
	}
	if len(r.Output) > 40_000 || !r.Shortened || len(r.Raw) < 100_000 || !strings.Contains(r.Raw, "Title: Short") {
		t.Errorf("%d bytes, shortened %v, %d bytes are kept", len(r.Output), r.Shortened, len(r.Raw))
	}
	if len(r.Blobs) != 1 || r.Blobs[0].MIME != "image/png" || r.Origin != tools.OfWeb || r.Summary != "Fetched 3 of 6 addresses" {
		t.Errorf("blobs %v, origin %s, summary %s", r.Blobs, r.Origin, r.Summary)
	}
}

// A server's answer through a proxy is fetched as usual; what leads to a network
// that is not public is not asked of the proxy.
func TestProxy(t *testing.T) {
	var asked []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.String())
		say(w, "text/plain", "through the proxy")
	}))
	defer proxy.Close()
	n := newInternet(t, func(w http.ResponseWriter, _ *http.Request) { say(w, "text/plain", "directly") })
	n.addresses["inside.example.com"] = []string{"10.0.0.1"}
	o := n.options()
	o.Network = network.New(network.Config{Env: func(name string) string {
		return map[string]string{"http_proxy": proxy.URL, "NO_PROXY": "direct.example.com"}[name]
	}})
	for _, tt := range []struct{ url, want string }{
		{"http://example.com/a", "through the proxy"},
		{"http://direct.example.com/", "directly"},
		{"https://example.com/", "directly"},
		{"http://nowhere.example.com/", "through the proxy"}, // its name is known to the proxy alone
		{"http://inside.example.com/", "inside.example.com has the address 10.0.0.1, which is not in the public network"},
	} {
		if got := text(fetch(t, o, map[string]string{"url": tt.url})); !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %s", tt.url, got)
		}
	}
	if got := strings.Join(asked, " "); got != "http://example.com/a http://nowhere.example.com/" {
		t.Errorf("the proxy was asked for %s", got)
	}
}

// An address in a notation that only some programs read is the same address: it
// is not asked of a proxy, which would read it, and not looked up.
func TestAddressesOfThisMachineInAnyNotation(t *testing.T) {
	var asked []string
	through := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.String())
		say(w, "text/plain", "through the proxy")
	}))
	defer through.Close()
	forms := []string{
		"127.0.0.1", "2130706433", "0x7f.1", "127.1", "017700000001", "0x7f000001", "0177.0.0.1", "127.0.1", "0x7F.0.0x1", "127.0.0.01", "127.0.0.1.", "127.1.",
		"10.1", "0xa9fea9fe", "192.168.257", "0", "0x", "[::1]", "[::ffff:7f00:1]", "１２７.１", "127。1", "4294967296", "1.2.3.4.5", "127..1",
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		address := []byte{127, byte(random.Uint32()), byte(random.Uint32()), byte(random.Uint32())}
		parts := random.IntN(4)
		var l []string
		for i := range parts {
			l = append(l, fmt.Sprintf([]string{"%d", "0x%x", "0%o"}[random.IntN(3)], address[i]))
		}
		last := 0
		for _, b := range address[parts:] {
			last = last<<8 | int(b)
		}
		forms = append(forms, strings.Join(append(l, fmt.Sprintf([]string{"%d", "0x%x", "0%o"}[random.IntN(3)], last)), "."))
	}
	n := newInternet(t, func(w http.ResponseWriter, _ *http.Request) { say(w, "text/plain", "directly") })
	behind := n.options()
	behind.Network = network.New(network.Config{Env: func(name string) string { return map[string]string{"http_proxy": through.URL}[name] }})
	for _, form := range forms {
		for where, o := range map[string]Options{"behind a proxy": behind, "without a proxy": n.options()} {
			r := fetch(t, o, map[string]string{"url": "http://" + form + "/"})
			if r.Err == nil {
				t.Errorf("%s, %s: got %s", form, where, text(r))
			}
		}
	}
	if len(asked) > 0 || len(n.dialled) > 0 {
		t.Errorf("the proxy was asked for %v, and %v was dialled", asked, n.dialled)
	}
}

func TestShares(t *testing.T) {
	var l []*outcome
	for i, n := range []int{10, 100, 1000} {
		u := &url.URL{Scheme: "https", Host: fmt.Sprint("h", i)}
		l = append(l, &outcome{url: u, from: u, page: page{text: strings.Repeat("ä", n/2)}})
	}
	text, cut := compose(l, 301)
	if !cut || strings.Count(text, "ä") != 5+50+95 || !strings.Contains(text, "(the first 191 of 1000 bytes)") {
		t.Errorf("cut %v: %s", cut, text)
	}
}
