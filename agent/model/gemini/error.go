package gemini

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode"

	"cloud.google.com/go/auth"
	"google.golang.org/genai"

	"github.com/emendo-dev/emendo/agent/model"
)

// maxMessage bounds an error's message, in runes.
const maxMessage = 400

// explain turns whatever ended a stream into a [*model.Error].
func (g *Generator) explain(err error, x *exchange) *model.Error {
	var (
		known   *model.Error
		apiErr  genai.APIError // a value, as the client library returns it
		authErr *auth.Error
	)
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &apiErr):
		return g.refusal(fromStream(apiErr), x)
	case errors.As(err, &authErr):
		return &model.Error{Kind: model.Auth, Message: "Google Cloud issued no token; run gcloud auth application-default login again", Err: g.clean(err)}
	case untrusted(err):
		return &model.Error{
			Kind: model.TLS, Err: g.clean(err),
			Message: g.redact(oneLine("the server's certificate is not trusted: " + root(err) + "; if a proxy signs its own certificates, point SSL_CERT_FILE at its CA bundle")),
		}
	case x.status != 0:
		return &model.Error{Kind: model.Cut, Status: x.status, Message: g.redact(oneLine("the response broke off: " + root(err))), Err: g.clean(err)}
	}
	through := ""
	if x.proxy != "" {
		through = " through the proxy " + x.proxy
	}
	return &model.Error{Kind: model.Unavailable, Message: g.redact(oneLine("the server cannot be reached" + through + ": " + root(err))), Err: g.clean(err)}
}

// refusal translates an error object in the middle of a stream. Without a usable
// code it counts as a broken stream.
func (g *Generator) refusal(f failure, x *exchange) *model.Error {
	if f.Code < 400 || f.Code > 599 {
		return &model.Error{Kind: model.Cut, Status: x.status, Message: g.redact(oneLine("the response broke off" + f.said()))}
	}
	return f.classify(0, time.Now(), g.redact)
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

// root returns the text of the error inside of the URL error. It never quotes a
// chunk of the stream, as the client library does.
func root(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op != "dial" { // the addresses of an established connection are of no use
		err = op.Err
	}
	if garbled(err) {
		return "the stream contains a garbled event"
	}
	return err.Error()
}

// garbled reports whether the client library could not decode an event. Its error
// then quotes all of it.
func garbled(err error) bool {
	text := err.Error()
	return strings.Contains(text, "iterateResponseStream") || strings.Contains(text, "mapToStruct")
}

// clean returns err if its text may be logged, because it contains neither a key
// nor an event of the stream, and otherwise an error with what may be logged.
func (g *Generator) clean(err error) error {
	text := err.Error()
	safe := g.redact(text)
	if garbled(err) {
		return errors.New(oneLine(safe))
	}
	if safe != text {
		return errors.New(safe)
	}
	return err
}

var (
	googleKey = regexp.MustCompile(`AIza[0-9A-Za-z_-]{10,}`)
	bearer    = regexp.MustCompile(`(?i)\b(bearer\s+|ya29\.)[0-9A-Za-z._~+/=-]{8,}`)
	urlKey    = regexp.MustCompile(`(?i)([?&](?:api_?)?key=)[^&\s"']+`)
)

// shortestKey is the length, in bytes, from which a key is redacted. A shorter one
// is not secret, and would match in ordinary words.
const shortestKey = 6

// redact removes keys from a text that may be shown or logged.
func (g *Generator) redact(text string) string {
	if key := g.o.APIKey; len(key) >= shortestKey {
		text = strings.NewReplacer(key, "[key]", url.QueryEscape(key), "[key]").Replace(text)
	}
	text = googleKey.ReplaceAllString(text, "[key]")
	text = bearer.ReplaceAllString(text, "[key]")
	return urlKey.ReplaceAllString(text, "${1}[key]")
}

// oneLine makes text printable and puts it on one line.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > maxMessage {
		text = strings.TrimSpace(string(runes[:maxMessage])) + "…"
	}
	return strings.TrimRight(text, ".: ")
}
