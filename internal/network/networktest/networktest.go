// Package networktest has certificate authorities, servers with their certificates, and a
// proxy behind which any host can be, all in this process.
package networktest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// An Authority issues certificates.
type Authority struct {
	t    testing.TB
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	text []byte
}

// New returns an authority of that name.
func New(t testing.TB, name string) *Authority {
	t.Helper()
	a := &Authority{t: t}
	a.cert, a.key, a.text = issue(t, nil, &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	})
	return a
}

// issue makes a certificate, which signs itself if by is nil.
func issue(t testing.TB, by *Authority, c *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey, []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if c.SerialNumber, err = rand.Int(rand.Reader, big.NewInt(1<<62)); err != nil {
		t.Fatal(err)
	}
	c.NotBefore = time.Now().Add(-48 * time.Hour)
	if c.NotAfter.IsZero() {
		c.NotAfter = time.Now().Add(time.Hour)
	}
	parent, signer := c, key
	if by != nil {
		parent, signer = by.cert, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, key.Public(), signer)
	if err != nil {
		t.Fatal(err)
	}
	made, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return made, key, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// File returns the PEM file of the authority.
func (a *Authority) File() string { return File(a.t, a.text) }

// Pair issues a certificate and returns its PEM files.
func (a *Authority) Pair(c *x509.Certificate) (cert, key string) {
	a.t.Helper()
	_, private, text := issue(a.t, a, c)
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		a.t.Fatal(err)
	}
	return File(a.t, text), File(a.t, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// Person returns the certificate of a client of that name, to issue.
func Person(name string) *x509.Certificate {
	return &x509.Certificate{Subject: pkix.Name{CommonName: name}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
}

// Host returns the certificate of a server, to issue; without names of one on loopback.
func Host(names ...string) *x509.Certificate {
	c := &x509.Certificate{Subject: pkix.Name{CommonName: "server"}, DNSNames: names}
	if len(names) == 0 {
		c.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	}
	return c
}

// File writes a private file.
func File(t testing.TB, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.pem")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// config returns how a server with a certificate speaks TLS. It wants one of clients if
// clients is not nil.
func (a *Authority) config(c *x509.Certificate, clients *Authority) *tls.Config {
	a.t.Helper()
	own, err := tls.LoadX509KeyPair(a.Pair(c))
	if err != nil {
		a.t.Fatal(err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{own}, MinVersion: tls.VersionTLS12}
	if clients != nil {
		config.ClientAuth, config.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		config.ClientCAs.AddCert(clients.cert)
	}
	return config
}

// Serve starts a server with a certificate, until the test ends. It wants a certificate
// of clients if clients is not nil.
func (a *Authority) Serve(c *x509.Certificate, clients *Authority, h http.Handler) *httptest.Server {
	a.t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = a.config(c, clients)
	s.StartTLS()
	a.t.Cleanup(s.Close)
	return s
}

// A Proxy answers for hosts, with certificates of an authority.
type Proxy struct {
	URL string

	mu   sync.Mutex
	seen []string
}

// Seen returns the hosts that connections were asked for, with ports.
func (p *Proxy) Seen() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.seen...)
}

// Proxy starts a proxy behind which hosts are, by name and port, until the test ends.
// Others are refused.
func (a *Authority) Proxy(hosts map[string]http.Handler) *Proxy {
	a.t.Helper()
	p := &Proxy{}
	behind := map[string]*httptest.Server{}
	for host, h := range hosts {
		name, _, err := net.SplitHostPort(host)
		if err != nil {
			a.t.Fatal(err)
		}
		behind[host] = a.Serve(Host(name), nil, h)
	}
	var pipes sync.WaitGroup
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.seen = append(p.seen, r.Host)
		p.mu.Unlock()
		server := behind[r.Host]
		if r.Method != http.MethodConnect || server == nil {
			http.Error(w, "this proxy does not reach "+r.Host, http.StatusForbidden)
			return
		}
		there, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		pipes.Add(1) // before Hijack, after which the server's Close does not wait for this
		defer pipes.Done()
		here, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			there.Close()
			return
		}
		_, _ = io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
		pipe := func(to, from net.Conn) {
			_, _ = io.Copy(to, from) // until one of them is closed
			_ = to.Close()
			_ = from.Close()
		}
		pipes.Go(func() { pipe(there, here) })
		pipes.Go(func() { pipe(here, there) })
	}))
	p.URL = s.URL
	a.t.Cleanup(func() {
		s.Close()
		for _, server := range behind {
			server.CloseClientConnections()
		}
		pipes.Wait()
	})
	return p
}
