package network_test

import (
	"bytes"
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/emendo-dev/emendo/internal/network"
	"github.com/emendo-dev/emendo/internal/network/networktest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// greeting answers with the name in the certificate of the client.
var greeting = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	if len(r.TLS.PeerCertificates) > 0 {
		io.WriteString(w, r.TLS.PeerCertificates[0].Subject.CommonName) //nolint:errcheck // the client tells
	}
})

// get returns the answer of an address, or why there is none.
func get(t *testing.T, n *network.Network, address string) string {
	t.Helper()
	t.Cleanup(n.CloseIdleConnections)
	resp, err := (&http.Client{Transport: n}).Get(address)
	if err != nil {
		if f := network.Explain(err); f != nil {
			return f.Says
		}
		return err.Error()
	}
	defer resp.Body.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(resp.Body); err != nil {
		t.Fatal(err)
	}
	return "answer: " + b.String()
}

func TestAuthorities(t *testing.T) {
	lab := networktest.New(t, "Lab CA")
	good := lab.Serve(networktest.Host(), nil, greeting)
	elsewhere := lab.Serve(networktest.Host("other.example"), nil, greeting)
	late := networktest.Host()
	late.NotAfter = time.Now().Add(-time.Hour)
	expired := lab.Serve(late, nil, greeting)
	for _, c := range []struct {
		name, file, url, want string
	}{
		{"one that the user does not name", "", good.URL, "the server's certificate, issued by Lab CA, is not trusted: .*; if a proxy or gateway of yours signs certificates, name its CA file in the setting network.caFile"},
		{"one that the user names", lab.File(), good.URL, "answer: "},
		{"another one", networktest.New(t, "Other CA").File(), good.URL, "the server's certificate, issued by Lab CA, is not trusted: .*network.caFile"},
		{"a host that is not in the certificate", lab.File(), elsewhere.URL, "the server's certificate, issued by Lab CA, is not trusted: .*127.0.0.1.*; check the host in the base URL"},
		{"a certificate that has expired", lab.File(), expired.URL, "issued by Lab CA, is not trusted: .*expired.*; check the clock"},
		{"a file that is not there", "/nonexistent/ca.pem", good.URL, "the setting network.caFile: open /nonexistent/ca.pem"},
		{"a file of the current folder", "network_test.go", good.URL, "the setting network.caFile: network_test.go is not an absolute path"},
		{"a file of something else", networktest.File(t, []byte("hello")), good.URL, "has no certificate in PEM form"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := network.New(network.Config{CAFile: c.file})
			want(t, get(t, n, c.url), c.want)
		})
	}
}

// A certificate of the user's is shown to the host that the setting names, and to no
// other.
func TestIdentities(t *testing.T) {
	lab, users := networktest.New(t, "Lab CA"), networktest.New(t, "Users CA")
	cert, key := users.Pair(networktest.Person("me"))
	strange, strangeKey := networktest.New(t, "Strange CA").Pair(networktest.Person("me"))
	server := networktest.Host()
	server.DNSNames = []string{"localhost"}
	s := lab.Serve(server, users, greeting)
	byName := strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	both := networktest.File(t, []byte(read(t, cert)+read(t, key)))
	for _, c := range []struct {
		name       string
		identities map[string]network.Identity
		url, want  string
	}{
		{"none", nil, s.URL, "the server wants a certificate of the client .*network.clientCertificates"},
		{"for the host", map[string]network.Identity{"127.0.0.1": {cert, key}}, s.URL, "answer: me"},
		{"in one file", map[string]network.Identity{"127.0.0.1": {both, ""}}, s.URL, "answer: me"},
		{"for another host", map[string]network.Identity{"localhost": {cert, key}, "*.0.0.1": {cert, key}}, s.URL, "answer: me"},
		{"for another host alone", map[string]network.Identity{"localhost": {cert, key}}, s.URL, "the server wants a certificate"},
		{"by name", map[string]network.Identity{"LocalHost": {cert, key}}, byName, "answer: me"},
		{"that the server does not know", map[string]network.Identity{"127.0.0.1": {strange, strangeKey}}, s.URL, "the server (rejects the|wants a) certificate of the client"},
		{"that cannot be read", map[string]network.Identity{"127.0.0.1": {"/nonexistent/me.pem", ""}}, s.URL, "the setting network.clientCertificates, 127.0.0.1: open /nonexistent/me.pem"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := network.New(network.Config{CAFile: lab.File(), Identities: c.identities})
			want(t, get(t, n, c.url), c.want)
		})
	}
}

// Whoever does not name a host, as what fetches pages, shows nobody a certificate.
func TestClientCertificatesAreSentOnlyToTheirHost(t *testing.T) {
	cert, key := networktest.New(t, "Users CA").Pair(networktest.Person("me"))
	n := network.New(network.Config{Identities: map[string]network.Identity{"a.example": {cert, key}, "*.example": {cert, key}}})
	for host, want := range map[string]int{"": 0, "example": 0, "b.test": 0, "a.example.test": 0, "a.example": 1, "A.Example:443": 1, "b.c.example": 1} {
		if c, err := n.TLS(host); err != nil || len(c.Certificates) != want {
			t.Errorf("%q is shown %d certificates, %v", host, len(c.Certificates), err)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestProxies(t *testing.T) {
	env := func(l ...string) func(string) string {
		return func(name string) string {
			for _, v := range l {
				if value, ok := strings.CutPrefix(v, name+"="); ok {
					return value
				}
			}
			return ""
		}
	}
	for _, c := range []struct {
		name   string
		config network.Config
		url    string
		want   string
	}{
		{"none", network.Config{}, "https://a.example", "none"},
		{"the setting", network.Config{Proxy: " http://p:1 "}, "https://a.example", "http://p:1"},
		{"the setting, for http", network.Config{Proxy: "http://p:1"}, "http://a.example", "http://p:1"},
		{"the setting, for this machine", network.Config{Proxy: "http://p:1"}, "http://127.0.0.1:11434", "none"},
		{"an exception of the setting", network.Config{Proxy: "http://p:1", NoProxy: []string{".example"}}, "https://a.example", "none"},
		{"an exception of the environment", network.Config{Proxy: "http://p:1", NoProxy: []string{"b.example"}, Env: env("NO_PROXY=a.example")}, "https://a.example", "none"},
		{"the environment before the setting", network.Config{Proxy: "http://p:1", Env: env("https_proxy=http://q:2")}, "https://a.example", "http://q:2"},
		{"the environment, an exception of the setting", network.Config{NoProxy: []string{"10.0.0.0/8"}, Env: env("HTTPS_PROXY=http://q:2")}, "https://10.1.2.3", "none"},
		{"without a scheme", network.Config{Proxy: "p:1"}, "https://a.example", "http://p:1"},
		{"something else", network.Config{Proxy: "ftp://p"}, "https://a.example", "HTTPS_PROXY or the setting network.proxy is not the URL of a proxy; write it as http://HOST:PORT"},
		{"something else, and an exception", network.Config{Proxy: "ftp://p", NoProxy: []string{"a.example"}}, "https://a.example", "none"},
		{"an invalid URL", network.Config{Proxy: "http://%zz"}, "https://a.example", "HTTPS_PROXY or the setting network.proxy is not the URL of a proxy; write it as http://HOST:PORT"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.url, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := "none"
			if u, err := network.New(c.config).Proxy(r); err != nil {
				got = err.Error()
			} else if u != nil {
				got = u.String()
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	if err := network.New(network.Config{}).Check(); err != nil {
		t.Error(err)
	}
	err := network.New(network.Config{
		Proxy: "http://%zz", CAFile: "/nonexistent/ca.pem", Identities: map[string]network.Identity{"a.example": {Certificate: "/nonexistent/me.pem"}},
	}).Check()
	if err == nil {
		t.Fatal("nothing is wrong")
	}
	for _, says := range []string{"network.proxy", "/nonexistent/ca.pem", "a.example", "/nonexistent/me.pem"} {
		if !strings.Contains(err.Error(), says) {
			t.Errorf("%q lacks %s", err, says)
		}
	}
}

func want(t *testing.T, got, pattern string) {
	t.Helper()
	if !regexp.MustCompile(pattern).MatchString(got) {
		t.Errorf("got %q, want %q", got, pattern)
	}
}

func TestThroughAProxy(t *testing.T) {
	lab := networktest.New(t, "Proxy CA")
	proxy := lab.Proxy(map[string]http.Handler{"model.example:443": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "for "+r.Host) //nolint:errcheck // the client tells
	})})
	for _, c := range []struct {
		name, url, file, want string
	}{
		{"a host behind it", "https://model.example/", lab.File(), "answer: for model.example"},
		{"a host that it does not reach", "https://other.example/", lab.File(), "forbids connections to other.example:443 .403 Forbidden.; .*network.noProxy"},
		{"an authority that the user does not name", "https://model.example/", "", "issued by Proxy CA, is not trusted: .*network.caFile"},
	} {
		t.Run(c.name, func(t *testing.T) {
			want(t, get(t, network.New(network.Config{Proxy: proxy.URL, CAFile: c.file}), c.url), c.want)
		})
	}
	if got := strings.Join(proxy.Seen(), " "); got != "model.example:443 other.example:443 model.example:443" {
		t.Errorf("the proxy was asked for %s", got)
	}
}

// A proxy wants another password. The one that it got is not in the message.
func TestAProxyThatWantsCredentials(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusProxyAuthRequired) }))
	t.Cleanup(proxy.Close)
	host := strings.TrimPrefix(proxy.URL, "http://")
	got := get(t, network.New(network.Config{Proxy: "http://me:my-password@" + host}), "https://model.example/")
	want(t, got, "the proxy "+regexp.QuoteMeta(host)+" does not accept requests without a valid user name and password .*network.proxy")
	if strings.Contains(got, "my-password") {
		t.Errorf("the password is shown: %s", got)
	}
}

// A certificate that no authority signed is explained so shortly that the setting which
// helps is not cut off where messages have a limit.
func TestAnUnknownAuthorityIsExplainedShortly(t *testing.T) {
	lab := networktest.New(t, "localhost")
	s := lab.Serve(networktest.Host(), nil, http.NotFoundHandler())
	got := get(t, network.New(network.Config{CAFile: networktest.New(t, "localhost").File()}), s.URL)
	want(t, got, "is not trusted: x509: certificate signed by unknown authority; .*network.caFile")
	if len(got) > 300 {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}

// By TLS 1.3 the reason why a server ends the connection may not arrive. That it asked for
// a certificate is known.
func TestAServerThatEndsTheConnection(t *testing.T) {
	lab := networktest.New(t, "Lab CA")
	for _, c := range []struct {
		name string
		asks tls.ClientAuthType
		want string
	}{
		{"after it asked for a certificate", tls.RequestClientCert, "the server wants a certificate of the client .*network.clientCertificates"},
		{"for no reason", tls.NoClientCert, "EOF|reset"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := lab.Serve(networktest.Host(), nil, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				conn, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				_ = conn.Close()
			}))
			s.TLS.ClientAuth = c.asks
			want(t, get(t, network.New(network.Config{CAFile: lab.File()}), s.URL), c.want)
		})
	}
}
