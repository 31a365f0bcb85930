// Package request decodes the params of LSP messages, prepares the work that
// answers them, and turns errors into the codes of the protocol. It knows the
// shape of messages, not what they do.
package request

import (
	"context"
	"encoding/json"
	"errors"

	"go.lsp.dev/protocol"

	"github.com/emendo-dev/emendo/internal/rpc"
)

// Prepare takes in a request on the read loop and returns the work that answers
// it. The work runs with the context it was prepared with.
type Prepare func(ctx context.Context, params json.RawMessage) (rpc.Work, error)

// Notified handles a notification on the read loop.
type Notified func(params json.RawMessage) error

// On returns a Prepare that decodes the params and calls f on the read loop.
func On[P any](f func(context.Context, P) (rpc.Work, error)) Prepare {
	return func(ctx context.Context, raw json.RawMessage) (rpc.Work, error) {
		p, err := Decode[P](raw)
		if err != nil {
			return nil, err
		}
		return f(ctx, p)
	}
}

// Later returns a Prepare whose work calls f. Use it for requests whose answer
// does not depend on state that later messages change.
func Later[P any](f func(context.Context, P) (any, error)) Prepare {
	return On(func(_ context.Context, p P) (rpc.Work, error) {
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

// Ignore handles a notification that has no effect.
func Ignore(json.RawMessage) error { return nil }

// Answered returns work whose result is known already.
func Answered(result any) rpc.Work {
	return func(context.Context) (any, error) { return result, nil }
}

// AnsweredList is Answered for a list of values of the protocol, which may be
// long. One by one they are encoded without reflection.
func AnsweredList[T any](list []T) rpc.Work {
	return func(context.Context) (any, error) {
		raw := append(make([]byte, 0, 256*len(list)+2), '[')
		for i := range list {
			if i > 0 {
				raw = append(raw, ',')
			}
			var err error
			if raw, err = protocol.AppendMarshal(raw, &list[i]); err != nil {
				return nil, err
			}
		}
		return json.RawMessage(append(raw, ']')), nil
	}
}

// Decode decodes params; absent ones are an empty object.
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
		return p, Invalid("invalid params: unexpected JSON %s, want an object", mismatch.Value)
	case errors.As(err, &mismatch):
		return p, Invalid("invalid params: %s: unexpected JSON %s", mismatch.Field, mismatch.Value)
	}
	return p, Invalid("invalid params: %v", err)
}

// Need returns an error if the required field of that name is empty.
func Need(value, name string) error {
	if value == "" {
		return Invalid("invalid params: %s is missing", name)
	}
	return nil
}
