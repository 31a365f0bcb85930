package failure

import (
	"context"
	"errors"
	"fmt"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// The codes of ACP beside those of JSON-RPC.
const (
	authRequired = -32000
	notFound     = -32002
)

// Invalid returns an error for params of ACP that cannot be used.
func Invalid(format string, args ...any) error {
	return rpc.Errorf(rpc.InvalidParams, "invalid params: "+format, args...)
}

// Unknown returns an error for a session that this connection does not have.
func Unknown(format string, args ...any) error {
	return &rpc.Error{Code: notFound, Message: fmt.Sprintf(format, args...), Data: Data{Code: "unknown_session"}}
}

// ACP is like [Error], with the codes of ACP. methods are the ways for the user to
// sign in.
func ACP(ctx context.Context, err error, methods []acp.AuthMethod) error {
	if errors.Is(err, transcript.ErrUntrusted) {
		err = fmt.Errorf("%w; to trust the folder, run `emendo trust add` in it", err)
	}
	err = Error(ctx, err)
	var coded *rpc.Error
	if !errors.As(err, &coded) {
		return err
	}
	switch d, _ := coded.Data.(Data); d.Code {
	case "unknown_session":
		return Unknown("%s", coded.Message)
	case "auth_required":
		d.AuthMethods = methods
		return &rpc.Error{Code: authRequired, Message: coded.Message, Data: d}
	}
	return err
}
