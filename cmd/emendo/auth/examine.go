package auth

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/cmd/emendo/credentials"
	"github.com/emendo-dev/emendo/cmd/emendo/provider"
	"github.com/emendo-dev/emendo/internal/loopback"
	"github.com/emendo-dev/emendo/internal/network"
	"github.com/emendo-dev/emendo/internal/settings"
)

// A Verdict is the severity of a finding.
type Verdict string

// The verdicts.
const (
	Fine    Verdict = "ok"
	Lacking Verdict = "warning" // emendo works, but not as well
	Broken  Verdict = "failure" // emendo does not work
)

// An Examination checks the way to the provider of the chosen model, for `emendo doctor`.
type Examination struct {
	Command

	Env      func(string) string
	Settings settings.Network
	Network  *network.Network
	Add      func(check string, v Verdict, fix, format string, a ...any) // reports a finding
}

// Run makes the checks. Only with online the provider is asked something.
func (e Examination) Run(ctx context.Context, online bool) {
	e.credentials()
	e.keyring(ctx)
	e.network()
	if online {
		e.model(ctx)
	}
}

// credentials names the source of the key, and never the key.
func (e Examination) credentials() {
	_, _, err := e.Models.Generator(e.Model)
	if failure, ok := errors.AsType[*model.Error](err); ok {
		err = errors.New(failure.Message) // no request was made
	}
	if err != nil {
		e.Add("credentials", Broken, "run `emendo auth login` in a terminal, or see docs/auth.md for other ways to sign in", "%v", err)
		return
	}
	e.Add("credentials", Fine, "", "%s", e.Models.Source(e.Model))
}

// keyring asks whether the keyring answers. It is needed only for what it has.
func (e Examination) keyring(ctx context.Context) {
	all, err := e.Logins.All()
	if err != nil {
		e.Add("keyring", Broken, "delete the file and sign in again", "%v", err)
		return
	}
	began := time.Now()
	err = e.Logins.Keyring.Ready(ctx)
	var kept []string
	for _, name := range sorted(all) {
		if all[name].Place == credentials.InKeyring {
			kept = append(kept, name)
		}
	}
	switch {
	case err == nil:
		e.Add("keyring", Fine, "", "the keyring of the system answers after %d ms", time.Since(began).Milliseconds())
	case len(kept) == 0:
		e.Add("keyring", Fine, "", "not available (%v); `emendo auth login` stores keys in %s, which only you can read", err, e.Logins.File())
	default:
		e.Add("keyring", Broken, "unlock or start it, or keep the logins in a file: `emendo auth login --storage file`", "the keyring of the system has the logins of %s and cannot be used: %v", strings.Join(kept, ", "), err)
	}
}

// network checks proxies, certificates and the provider's address.
func (e Examination) network() {
	wrong := false
	add := func(v Verdict, fix, format string, a ...any) {
		wrong = wrong || v != Fine
		e.Add("network", v, fix, format, a...)
	}
	address, _ := url.Parse(e.Models.Address(e.Models.ProviderOf(e.Model)))
	if address == nil {
		address = &url.URL{}
	}
	if err := e.Network.Check(); err != nil {
		add(Broken, "fix the setting or the variable", "%v", err)
	} else {
		e.proxy(address, add)
	}
	for _, name := range []string{"SSL_CERT_FILE", "SSL_CERT_DIR"} {
		if path := e.Env(name); path != "" {
			if _, err := os.Stat(path); err != nil {
				add(Broken, "set it to an existing path, or unset it", "%s names %s, which cannot be read: no certificate would be accepted", name, path)
			}
		}
	}
	if e.Settings.CAFile != "" && !wrong {
		add(Fine, "", "the authorities in %s are trusted beside those of the system (network.caFile)", e.Settings.CAFile)
	}
	for host, own := range e.Settings.ClientCertificates {
		if !wrong {
			add(Fine, "", "%s is shown the certificate in %s (network.clientCertificates)", host, own.Certificate)
		}
	}
	if address.Scheme == "http" && !loopback.OnThisMachine(address.Hostname()) {
		add(Lacking, "use https", "%s is reached without TLS: others can read keys and code in transit", address.Host)
	}
}

// proxy tells which proxy is used for the provider.
func (e Examination) proxy(address *url.URL, add func(v Verdict, fix, format string, a ...any)) {
	somewhere, _ := e.Network.Proxy(&http.Request{URL: &url.URL{Scheme: "https", Host: "provider.invalid"}}) // checked
	there, _ := e.Network.Proxy(&http.Request{URL: address})
	through := cmp.Or(there, somewhere)
	if through == nil {
		over := ""
		if address.Scheme == "https" {
			over = ", over TLS"
		}
		add(Fine, "", "requests go directly to %s%s", cmp.Or(address.Host, "the provider"), over)
		return
	}
	from := "network.proxy"
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"} {
		if e.Env(name) != "" {
			from = name
			break
		}
	}
	but := ""
	if there == nil && address.Host != "" {
		but = ", but not those to " + address.Host
	}
	add(Fine, "", "requests go through the proxy %s (%s)%s", through.Host, from, but)
}

// longestWord limits the wait for the model's first word.
const longestWord = 30 * time.Second

// model sends a short request to the model.
func (e Examination) model(ctx context.Context) {
	name := e.Model
	choice, open := e.Models.Lookup(name)
	if open {
		name = choice.Candidates(choice.Role)[0]
	}
	g, short, err := e.Models.Generator(name)
	if err != nil {
		return // reported by the check of the credentials
	}
	g = model.FallingBack(g, model.FallbackOptions{
		Chain: func(name string) []model.Link { return e.Models.Catalogue().Chain(name, choice) },
		Retry: model.RetryOptions{Attempts: 1},
	})
	ctx, stop := context.WithTimeout(ctx, longestWord)
	defer stop()
	var seen handshakes
	ctx = httptrace.WithClientTrace(ctx, seen.trace())
	began := time.Now()
	asked := model.Request{Model: short, Messages: []model.Message{{Role: model.User, Parts: []model.Part{model.Text{Text: "Say ok."}}}}, Config: model.Config{MaxTokens: 16}}
	var c model.Chunk
	for c, err = range g.Stream(ctx, asked) {
		if c.Fallback == nil {
			break
		}
		e.Add("model", Lacking, "set model.name to a model that the key may use", "%s did not answer: %v", c.Fallback.From, c.Fallback.Err)
		name = c.Fallback.To
	}
	e.reportCertificates(&seen)
	if err == nil {
		e.Add("model", Fine, "", "%s answered after %d ms", name, time.Since(began).Milliseconds())
		return
	}
	fix := "check the key, the network and the name of the model"
	failure, ok := errors.AsType[*model.Error](err)
	switch {
	case ok && failure.Kind == model.TLS:
		fix = "set network.caFile to the CA file of your proxy or gateway, if that signs certificates; see docs/auth.md"
	case ok && failure.Kind == model.Auth:
		of := e.Models.ProviderOf(e.Model)
		fix = fmt.Sprintf("store a valid key with `emendo auth login %s`", of)
		if s, err := e.Models.Origin(of); err == nil && s.Origin != provider.Nowhere {
			fix += "; the credentials are " + s.String()
		}
	case ok && failure.Kind == model.Unavailable:
		fix = "check the network; if it needs a proxy, set HTTPS_PROXY or network.proxy"
	}
	e.Add("model", Broken, fix, "%s did not answer: %v", name, err)
}

// handshakes collects the TLS connections of a request.
type handshakes struct {
	mu   sync.Mutex
	done []tls.ConnectionState
}

func (h *handshakes) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{TLSHandshakeDone: func(s tls.ConnectionState, err error) {
		h.mu.Lock()
		defer h.mu.Unlock()
		if err == nil {
			h.done = append(h.done, s)
		}
	}}
}

// reportCertificates names who issued the certificates that were accepted.
func (e Examination) reportCertificates(h *handshakes) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var reported []string
	for _, s := range h.done {
		if len(s.PeerCertificates) == 0 || slices.Contains(reported, s.ServerName) {
			continue
		}
		reported = append(reported, s.ServerName)
		by := ""
		if !bySystem(s) {
			by = ", trusted because of network.caFile"
		}
		e.Add("tls", Fine, "", "the certificate of %s is issued by %s%s", cmp.Or(s.ServerName, "the server"), cmp.Or(network.Name(s.PeerCertificates[0].Issuer), "an authority without a name"), by)
	}
}

// bySystem reports whether the system trusts the server without further authorities.
func bySystem(s tls.ConnectionState) bool {
	between := x509.NewCertPool()
	for _, c := range s.PeerCertificates[1:] {
		between.AddCert(c)
	}
	_, err := s.PeerCertificates[0].Verify(x509.VerifyOptions{Intermediates: between})
	return err == nil
}
