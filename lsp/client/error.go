package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/emendo-dev/emendo/acp/failure"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/rpc"
)

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
