package transport

import (
	"errors"
	"net"
	"net/url"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/internal/network"
)

// Explain turns whatever ended the exchange into a [*model.Error]. Errors that the
// provider's package knows better should not get here.
func (t *Transport) Explain(err error, x *Exchange) *model.Error {
	if known, ok := errors.AsType[*model.Error](err); ok {
		return known
	}
	if f := network.Explain(err); f != nil {
		return &model.Error{Kind: model.TLS, Err: t.Clean(err), Message: t.Line(f.Says)}
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
