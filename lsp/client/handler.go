package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"go.lsp.dev/protocol"

	"github.com/emendo-dev/emendo/acp/failure"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/rpc"
)

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

// Require returns an error if the required field of that name is empty.
func Require(value, name string) error {
	if value == "" {
		return Invalid("invalid params: %s is missing", name)
	}
	return nil
}

// Invalid returns an error for params that cannot be used.
func Invalid(format string, args ...any) error {
	return rpc.Errorf(rpc.InvalidParams, format, args...)
}

// Unable returns an error for a request that the current state does not permit.
func Unable(format string, args ...any) error {
	return &rpc.Error{Code: rpc.RequestFailed, Message: fmt.Sprintf(format, args...), Data: failure.Data{Code: failure.Plain}}
}

// Error is [failure.Error] for a request of LSP.
func Error(ctx context.Context, err error) error {
	if errors.Is(err, transcript.ErrBusy) {
		err = fmt.Errorf("%w; a prompt can be added to a turn here with emendo/session/inject", err)
	}
	return failure.Error(ctx, err)
}
