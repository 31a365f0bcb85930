package transport

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
)

// lookupTimeout bounds requests about models.
const lookupTimeout = 5 * time.Second

// Ask makes a short request, such as one about models, whose response is one document. Its
// error is a [*model.Error] unless ctx ended.
func (t *Transport) Ask(ctx context.Context, request func(context.Context) error) error {
	return t.AskWithin(ctx, lookupTimeout, request)
}

// AskWithin is [Transport.Ask] for a request that may take longer.
func (t *Transport) AskWithin(ctx context.Context, limit time.Duration, request func(context.Context) error) (err error) {
	x := &Exchange{Whole: true}
	asked, stop := context.WithTimeout(With(ctx, x), limit)
	defer stop()
	defer func() {
		if p := recover(); p != nil { // of the client library, about JSON of an unexpected form
			err = &model.Error{Kind: model.Cut, Status: x.Status, Message: "the response is garbled", Err: fmt.Errorf("client library: %v", p)}
		}
	}()
	switch err = request(asked); {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, context.DeadlineExceeded):
		return &model.Error{Kind: model.Unavailable, Status: x.Status, Message: "the server did not respond within " + limit.String(), Err: t.Clean(err)}
	}
	return t.Explain(err, x)
}
