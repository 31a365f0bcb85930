package network

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
)

// A Failure is a connection that could not be made because of TLS, or of a setting about
// the network.
type Failure struct {
	Issuer string // who issued the certificate of the server; empty: not known
	Says   string // what is wrong, and the setting that fixes it
	Err    error
}

func (f *Failure) Error() string { return f.Says }

// Unwrap returns the error of the connection.
func (f *Failure) Unwrap() error { return f.Err }

// Explain returns what is wrong with the TLS connection that err ended; nil if err is
// about something else.
func Explain(err error) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	cert, why := distrusted(err)
	if why == nil {
		return rejected(err)
	}
	f := &Failure{Err: err}
	by := ""
	if cert != nil {
		f.Issuer = Name(cert.Issuer)
	}
	if f.Issuer != "" {
		by = ", issued by " + f.Issuer + ","
	}
	reason, _, _ := strings.Cut(why.Error(), " (possibly because of ")
	reason = strings.TrimPrefix(reason, "tls: failed to verify certificate: ")
	fix := "if a proxy or gateway of yours signs certificates, name its CA file in the setting " + authoritiesSetting
	switch {
	case is[x509.HostnameError](err):
		fix = "check the host in the base URL, and whether a proxy answers in its place"
	case is[x509.CertificateInvalidError](err) && strings.Contains(reason, "expired"):
		fix = "check the clock of this machine; otherwise the owner of the server has to renew the certificate"
	}
	f.Says = fmt.Sprintf("the server's certificate%s is not trusted: %s; %s", by, reason, fix)
	return f
}

// rejected explains that the server does not accept the certificate of the client, or
// wants one; nil if err is about something else.
func rejected(err error) *Failure {
	alert, ok := errors.AsType[*net.OpError](err)
	if !ok || alert.Op != "remote error" || !strings.Contains(alert.Err.Error(), "certificate") {
		return nil
	}
	return refusedUser(!strings.Contains(alert.Err.Error(), "certificate required"), err)
}

// ProxyCredentials returns the message for a proxy, named HOST:PORT, that rejects
// requests without credentials, or with those in its URL. It has no example of one, which
// would look like a secret.
func ProxyCredentials(proxy string) string {
	return fmt.Sprintf("the proxy %s does not accept requests without a valid user name and password (407); write them before the host in its URL, in HTTPS_PROXY or the setting %s", proxy, proxySetting)
}

// answered returns the failure of a tunnel that the proxy refuses to its user, which
// repeating the request does not change; nil if it may.
func answered(_ context.Context, proxy *url.URL, ask *http.Request, answer *http.Response) error {
	switch answer.StatusCode {
	case http.StatusProxyAuthRequired:
		return &Failure{Says: ProxyCredentials(proxy.Host)}
	case http.StatusForbidden:
		return &Failure{Says: fmt.Sprintf("the proxy %s forbids connections to %s (%s); ask its administrator, or except the host with NO_PROXY or the setting %s", proxy.Host, ask.Host, answer.Status, exceptionsSetting)}
	}
	return nil
}

// refusedUser returns the failure of a connection that the server ended because of the
// certificate that it was shown, or because it was shown none.
func refusedUser(shown bool, err error) *Failure {
	what := "the server wants a certificate of the client"
	if shown {
		what = "the server rejects the certificate of the client"
	}
	reason := err
	if op, ok := errors.AsType[*net.OpError](err); ok {
		reason = op.Err
	}
	return &Failure{Says: fmt.Sprintf("%s (%v); set the right one for its host in the setting %s", what, reason, identitySetting), Err: err}
}

// broken reports whether the connection ended without a word.
func broken(err error) bool {
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, end) {
			return true
		}
	}
	return strings.Contains(err.Error(), "use of closed network connection") // net/http does not wrap all of them
}

func is[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}

// distrusted returns the certificate whose issuer is not trusted, which may not be known, and
// why the certificate of a server does not verify; nil if err is about something else.
func distrusted(err error) (cert *x509.Certificate, why error) {
	if e, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		why, cert = e, e.Cert
	} else if e, ok := errors.AsType[x509.HostnameError](err); ok {
		why, cert = e, e.Certificate
	} else if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		why, cert = e, e.Cert
	}
	if e, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		why = e
		if n := len(e.UnverifiedCertificates); n > 0 {
			cert = e.UnverifiedCertificates[n-1]
		}
	}
	return cert, why
}

// Name returns how people know the owner of a certificate.
func Name(n pkix.Name) string {
	switch {
	case n.CommonName != "" && len(n.Organization) > 0 && !strings.Contains(n.CommonName, n.Organization[0]):
		return n.CommonName + " (" + n.Organization[0] + ")"
	case n.CommonName != "":
		return n.CommonName
	case len(n.Organization) > 0:
		return n.Organization[0]
	}
	return ""
}
