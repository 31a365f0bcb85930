package transport

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"net"
	"net/url"

	"github.com/emendo-dev/emendo/agent/model"
)

// Explain turns whatever ended the exchange into a [*model.Error]. Errors that the
// provider's package knows better should not get here.
func (t *Transport) Explain(err error, x *Exchange) *model.Error {
	if known, ok := errors.AsType[*model.Error](err); ok {
		return known
	}
	if untrusted(err) {
		return &model.Error{
			Kind: model.TLS, Err: t.Clean(err),
			Message: t.Line("the server's certificate" + issuer(err) + " is not trusted: " + t.root(err) +
				"; if a proxy signs its own certificates, point SSL_CERT_FILE at its CA bundle"),
		}
	}
	if x.Status != 0 {
		return &model.Error{Kind: model.Cut, Status: x.Status, Message: t.Line("the response broke off: " + t.root(err)), Err: t.Clean(err)}
	}
	through := ""
	if x.Proxy != "" {
		through = " through the proxy " + x.Proxy
	}
	return &model.Error{Kind: model.Unavailable, Message: t.Line("the server cannot be reached" + through + ": " + t.root(err)), Err: t.Clean(err)}
}

// untrusted reports whether the server's certificate is the problem.
func untrusted(err error) bool {
	var (
		verify    *tls.CertificateVerificationError
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
	)
	return errors.As(err, &verify) || errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid)
}

// issuer names who issued the certificate that is not trusted, as the part of a
// sentence; "" if that is not known.
func issuer(err error) string {
	var cert *x509.Certificate
	if e, ok := errors.AsType[*tls.CertificateVerificationError](err); ok && len(e.UnverifiedCertificates) > 0 {
		cert = e.UnverifiedCertificates[len(e.UnverifiedCertificates)-1]
	} else if e, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		cert = e.Cert
	} else if e, ok := errors.AsType[x509.HostnameError](err); ok {
		cert = e.Certificate
	} else if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		cert = e.Cert
	}
	if cert == nil {
		return ""
	}
	if name := named(cert.Issuer); name != "" {
		return ", issued by " + name + ","
	}
	return ""
}

// named returns how people know the owner of a certificate.
func named(n pkix.Name) string {
	if n.CommonName != "" {
		return n.CommonName
	}
	if len(n.Organization) > 0 {
		return n.Organization[0]
	}
	return ""
}

// root returns the text of the error inside of the URL error. It never quotes an
// event of the stream.
func (t *Transport) root(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op != "dial" { // the addresses of an established connection are of no use
		err = op.Err
	}
	if t.garbled(err) {
		return "the stream contains a garbled event"
	}
	return err.Error()
}

func (t *Transport) garbled(err error) bool { return t.o.Garbled != nil && t.o.Garbled(err) }

// Clean returns err if its text may be logged, because it contains neither a key nor
// an event of the stream, and otherwise an error with what may be logged.
func (t *Transport) Clean(err error) error {
	text := err.Error()
	safe := t.Redact(text)
	if t.garbled(err) {
		return errors.New(OneLine(safe))
	}
	if safe != text {
		return errors.New(safe)
	}
	return err
}
