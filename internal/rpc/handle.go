package rpc

import (
	"context"
	"encoding/json"
	"errors"
)

// Prepare takes in a request on the read loop and returns the work that answers
// it. The work runs with the context it was prepared with.
type Prepare func(ctx context.Context, params json.RawMessage) (Work, error)

// Notified handles a notification on the read loop.
type Notified func(params json.RawMessage) error

// InOrder returns a Prepare that decodes the params and calls f on the read loop.
func InOrder[P any](f func(context.Context, P) (Work, error)) Prepare {
	return func(ctx context.Context, raw json.RawMessage) (Work, error) {
		p, err := Decode[P](raw)
		if err != nil {
			return nil, err
		}
		return f(ctx, p)
	}
}

// Later returns a Prepare whose work calls f. Use it for requests whose answer
// does not depend on state that later messages change.
func Later[P, R any](f func(context.Context, P) (R, error)) Prepare {
	return InOrder(func(_ context.Context, p P) (Work, error) {
		return func(ctx context.Context) (any, error) { return f(ctx, p) }, nil
	})
}

// OnNotification returns a handler that decodes the params and calls f.
func OnNotification[P any](f func(P) error) Notified {
	return func(raw json.RawMessage) error {
		p, err := Decode[P](raw)
		if err != nil {
			return err
		}
		return f(p)
	}
}

// Decode decodes params; absent ones are an empty object. Its errors have the code
// [InvalidParams].
func Decode[P any](raw json.RawMessage) (P, error) {
	var p P
	if len(raw) == 0 {
		return p, nil
	}
	err := json.Unmarshal(raw, &p)
	var mismatch *json.UnmarshalTypeError
	switch {
	case err == nil:
		return p, nil
	case errors.As(err, &mismatch) && mismatch.Field == "":
		return p, Errorf(InvalidParams, "invalid params: unexpected JSON %s, want an object", mismatch.Value)
	case errors.As(err, &mismatch):
		return p, Errorf(InvalidParams, "invalid params: %s: unexpected JSON %s", mismatch.Field, mismatch.Value)
	}
	return p, Errorf(InvalidParams, "invalid params: %v", err)
}
