package transport

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/internal/network"
)

// Explain turns whatever ended the exchange into a [*model.Error].
func (t *Transport) Explain(err error, x *Exchange) *model.Error {
	if known, ok := errors.AsType[*model.Error](err); ok {
		return known
	}
	if t.provider != nil {
		if known := t.provider.Explain(err, x); known != nil {
			return known
		}
	}
	if f := network.Explain(err); f != nil {
		return &model.Error{Kind: model.TLS, Err: t.Clean(err), Message: t.Line(f.Says)}
	}
	if x.Status != 0 {
		return &model.Error{Kind: model.Cut, Status: x.Status, Garbled: t.garbled(err), Message: t.Line("the response broke off: " + t.rootCause(err)), Err: t.Clean(err)}
	}
	server, through := "the server", ""
	if x.Host != "" {
		server += " " + x.Host
	}
	if x.Proxy != "" {
		through = " through the proxy " + x.Proxy
	}
	if wrong := otherProtocol(err); wrong != "" {
		return &model.Error{Kind: model.Invalid, Message: t.Line(server + " " + wrong), Err: t.Clean(err)}
	}
	return &model.Error{Kind: model.Unavailable, Message: t.Line(server + " cannot be reached" + through + ": " + t.rootCause(err)), Err: t.Clean(err)}
}

// BrokeOff returns the error for an answer that ended before it was complete. words are the
// provider's; empty: none.
func (t *Transport) BrokeOff(x *Exchange, words string) *model.Error {
	if words != "" {
		words = ": " + words
	}
	return &model.Error{Kind: model.Cut, Status: x.Status, Message: t.Line("the response broke off" + words)}
}

// Incomplete returns the error for a stream that ended before its answer did.
func Incomplete(x *Exchange) *model.Error {
	return &model.Error{Kind: model.Cut, Status: x.Status, Message: "the response ended before it was complete"}
}

// Unreadable returns the error for an answer that cannot be read on, since its stream
// contains what. Its text never quotes an event.
func Unreadable(x *Exchange, what string, cause error) *model.Error {
	return &model.Error{Kind: model.Cut, Status: x.Status, Garbled: true, Message: "the response cannot be read: " + what, Err: cause}
}

// Withdrawn reports whether the provider withdraws an answer that was complete.
func Withdrawn(err error) bool {
	e, ok := errors.AsType[*model.Error](err)
	return ok && e.Kind == model.Blocked
}

// otherProtocol returns what a server does that is not one of HTTP, or not of TLS, and
// how to fix it; "" if err is about something else. Repeating the request does not help.
func otherProtocol(err error) string {
	var record tls.RecordHeaderError
	switch text := err.Error(); {
	case errors.As(err, &record), strings.Contains(text, "server gave HTTP response to HTTPS client"):
		return "does not use TLS; check whether the base URL has to begin with http://"
	case strings.Contains(text, "malformed HTTP response") && !strings.Contains(text, `response "HTTP`): // that may be a part of a line
		return "does not answer by HTTP; check the base URL and the port in it"
	}
	return ""
}

// rootCause returns the text of the error inside of the URL error, in plain words where
// there are some. It never quotes an event of the stream.
func (t *Transport) rootCause(err error) string {
	if t.garbled(err) {
		return "the stream contains a garbled event"
	}
	var (
		u       *url.Error
		op      *net.OpError
		name    *net.DNSError
		syscall *os.SyscallError
	)
	switch {
	case errors.As(err, &name) && name.IsNotFound:
		return "no such host " + name.Name + "; check the name, and the connection of this machine"
	case errors.As(err, &name) && name.IsTimeout:
		return "no DNS server answers; check the connection of this machine"
	case errors.As(err, &syscall): // without the addresses of the connection
		return syscall.Err.Error()
	case errors.As(err, &op) && op.Timeout():
		return "no answer within the time limit"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the server closed the connection"
	case strings.Contains(err.Error(), "malformed MIME header"): // the connection broke in it
		return "the header of the response is incomplete"
	case strings.Contains(err.Error(), "TLS handshake timeout"):
		return "it does not complete the TLS handshake; check whether the base URL has to begin with http://"
	}
	if errors.As(err, &u) {
		err = u.Err
	}
	if errors.As(err, &op) {
		err = op.Err
	}
	return err.Error()
}

func (t *Transport) garbled(err error) bool { return t.provider != nil && t.provider.Garbled(err) }

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
