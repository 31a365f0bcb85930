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
	if !c.Can.View || !errors.As(err, &coded) {
		return err
	}
	d, hasCode := coded.Data.(failure.Data)
	switch {
	case hasCode:
	case coded.Data != nil || coded.Code == rpc.RequestCancelled || coded.Code == rpc.MethodNotFound:
		return err
	case coded.Code == rpc.InvalidParams:
		d.Code = "invalid"
	case coded.Code == rpc.InternalError:
		d.Code = "internal"
	default:
		d.Code = failure.Plain
	}
	f := view.Failure{Code: d.Code, Kind: d.Kind, Message: err.Error()}
	if d.RetryAfterMS != nil {
		f.RetryAfter = time.Duration(*d.RetryAfterMS) * time.Millisecond
	}
	s := saidData{Data: d}
	s.Text, s.Actions = f.Describe()
	return &rpc.Error{Code: coded.Code, Message: err.Error(), Data: s}
}
