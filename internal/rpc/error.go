package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.lsp.dev/jsonrpc2"
)

// The codes of JSON-RPC 2.0, and of LSP where its name is given.
const (
	ParseError           = -32700
	InvalidRequest       = -32600
	MethodNotFound       = -32601
	InvalidParams        = -32602
	InternalError        = -32603
	ServerNotInitialized = -32002 // LSP
	RequestCancelled     = -32800 // LSP
	ContentModified      = -32801 // LSP
	RequestFailed        = -32803 // LSP
)

// Errors without details. They compare by code, so errors.Is also matches an
// [Error] with another message.
var (
	ErrMethodNotFound       = &Error{Code: MethodNotFound, Message: "method not found"}
	ErrInvalidParams        = &Error{Code: InvalidParams, Message: "invalid params"}
	ErrServerNotInitialized = &Error{Code: ServerNotInitialized, Message: "the first request must be initialize"}
	ErrRequestCancelled     = &Error{Code: RequestCancelled, Message: "the request was cancelled"}
)

// ErrClosed is returned when the connection has ended, cleanly or not. It is also
// the cause of contexts that end with the connection.
var ErrClosed = errors.New("the connection is closed")

// ErrWithdrawn is the cause of the context of a request that the peer cancelled.
var ErrWithdrawn = fmt.Errorf("the peer cancelled the request: %w", context.Canceled)

// An Error is an error answer. A handler returns one to choose the code and the
// data; [Conn.Call] returns one that the peer sent.
type Error struct {
	Code    int64
	Message string
	Data    any // nil for none; a json.RawMessage when it came from the peer
}

// Errorf returns an [Error] with a message made as fmt.Sprintf does.
func Errorf(code int64, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Is reports whether target is an [Error] with the same code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// received returns the error that the peer answered with.
func received(wire *jsonrpc2.Error) *Error {
	e := &Error{Code: int64(wire.Code), Message: wire.Message}
	if len(wire.Data) > 0 {
		e.Data = json.RawMessage(wire.Data)
	}
	return e
}

// encodeError returns the error on the wire for an error that a handler, called with ctx,
// returned. An error without a code is an internal error, except that of an ended
// ctx, which means that the request was cancelled.
func (c codec) encodeError(ctx context.Context, err error) *jsonrpc2.Error {
	// A file name or the output of a command may be anything; JSON is UTF-8.
	message := strings.ToValidUTF8(err.Error(), "\uFFFD")

	var ours *Error
	var theirs *jsonrpc2.Error
	switch {
	case errors.As(err, &ours):
		w := jsonrpc2.NewError(jsonrpc2.Code(ours.Code), message)
		if ours.Data != nil {
			data, err := c.Marshal(ours.Data)
			if err != nil {
				w.Message += fmt.Sprintf(" (its data could not be encoded: %v)", err)
				return w
			}
			w.Data = data
		}
		return w
	case errors.As(err, &theirs):
		return &jsonrpc2.Error{Code: theirs.Code, Message: message, Data: theirs.Data}
	case ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx))):
		return jsonrpc2.NewError(RequestCancelled, ErrRequestCancelled.Message)
	default:
		return jsonrpc2.NewError(InternalError, message)
	}
}
