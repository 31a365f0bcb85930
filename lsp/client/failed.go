package client

import (
	"context"
	"errors"
	"time"

	"github.com/emendo-dev/emendo/acp/failure"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// saidData is the data of an error for a client that draws: with what the user reads.
type saidData struct {
	failure.Data
	Text    view.Text     `json:"text"`
	Actions []view.Action `json:"actions,omitempty"`
}

// Failed returns the error that answers a request whose handler returned err: that of [Error],
// and for a client that draws what the user reads of it.
func (c *Client) Failed(ctx context.Context, err error) error {
	err = Error(ctx, err)
	var coded *rpc.Error
	if !c.Can.View || !errors.As(err, &coded) || coded.Code == rpc.RequestCancelled || coded.Code == rpc.MethodNotFound {
		return err
	}
	d, ok := dataOf(coded)
	if !ok {
		return err
	}
	s := saidData{Data: d}
	s.Text, s.Actions = failureOf(d, err).Describe()
	return &rpc.Error{Code: coded.Code, Message: err.Error(), Data: s}
}

// FailureOf returns an error that a handler, called with ctx, returned as what the user reads
// of it.
func FailureOf(ctx context.Context, err error) view.Failure {
	d := failure.Data{Code: failure.Plain}
	var coded *rpc.Error
	if errors.As(Error(ctx, err), &coded) {
		d, _ = dataOf(coded)
	}
	return failureOf(d, err)
}

func failureOf(d failure.Data, err error) view.Failure {
	f := view.Failure{Code: d.Code, Kind: d.Kind, Message: err.Error()}
	if d.RetryAfterMS != nil {
		f.RetryAfter = time.Duration(*d.RetryAfterMS) * time.Millisecond
	}
	return f
}

// dataOf returns the data of an error, with a code in any case; false if it has other data.
func dataOf(e *rpc.Error) (failure.Data, bool) {
	if d, ok := e.Data.(failure.Data); ok {
		return d, true
	}
	code := failure.Plain
	switch e.Code {
	case rpc.InvalidParams:
		code = "invalid"
	case rpc.InternalError:
		code = "internal"
	}
	return failure.Data{Code: code}, e.Data == nil
}
