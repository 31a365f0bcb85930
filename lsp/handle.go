package lsp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/emendo-dev/emendo/internal/rpc"
)

// prepare takes a request in on the read loop and returns the work that answers
// it. Works see the context they were prepared with.
type prepare func(ctx context.Context, params json.RawMessage) (rpc.Work, error)

// on is a request whose params are decoded and taken in on the read loop.
func on[P any](f func(context.Context, P) (rpc.Work, error)) prepare {
	return func(ctx context.Context, raw json.RawMessage) (rpc.Work, error) {
		p, err := decode[P](raw)
		if err != nil {
			return nil, err
		}
		return f(ctx, p)
	}
}

// later is a request that depends on nothing that the messages after it change.
func later[P any](f func(context.Context, P) (any, error)) prepare {
	return on(func(_ context.Context, p P) (rpc.Work, error) {
		return func(ctx context.Context) (any, error) { return f(ctx, p) }, nil
	})
}

// told is a notification.
func told[P any](f func(P) error) func(json.RawMessage) error {
	return func(raw json.RawMessage) error {
		p, err := decode[P](raw)
		if err != nil {
			return err
		}
		return f(p)
	}
}

// answered is work whose result is known already.
func answered(result any) rpc.Work {
	return func(context.Context) (any, error) { return result, nil }
}

// decode reads params; absent ones are an empty object.
func decode[P any](raw json.RawMessage) (P, error) {
	var p P
	if len(raw) == 0 {
		return p, nil
	}
	err := json.Unmarshal(raw, &p)
	var misfit *json.UnmarshalTypeError
	switch {
	case err == nil:
		return p, nil
	case errors.As(err, &misfit) && misfit.Field == "":
		return p, rpc.Errorf(rpc.InvalidParams, "the parameters are an object, and this is a JSON %s", misfit.Value)
	case errors.As(err, &misfit):
		return p, rpc.Errorf(rpc.InvalidParams, "the parameters do not fit: %s is a JSON %s, which it cannot be", misfit.Field, misfit.Value)
	}
	return p, rpc.Errorf(rpc.InvalidParams, "the parameters do not fit: %v", err)
}

// need refuses params without the field of that name.
func need(value, name string) error {
	if value == "" {
		return rpc.Errorf(rpc.InvalidParams, "the parameters lack %s", name)
	}
	return nil
}
