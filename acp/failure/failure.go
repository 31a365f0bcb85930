// Package failure has the errors of ACP: it gives those of the agent their codes and
// their data. It knows no request.
package failure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/slash"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// The codes of ACP beside those of JSON-RPC.
const (
	authRequired = -32000
	notFound     = -32002
)

// data are the data of an error.
type data struct {
	Code         string           `json:"code"`
	RetryAfterMS *int64           `json:"retryAfterMs,omitzero"`
	ResetAt      string           `json:"resetAt,omitzero"`
	Kind         string           `json:"kind,omitzero"` // of the provider's error
	Rule         string           `json:"rule,omitzero"` // that denies it
	AuthMethods  []acp.AuthMethod `json:"authMethods,omitzero"`
}

// plain is the code of a failure whose message says all there is to say.
const plain = "failed"

// ErrBug answers a request whose handler, or whose turn, panicked.
var ErrBug = rpc.Errorf(rpc.InternalError, "%v", transcript.ErrInternal)

// Invalid returns an error for params that cannot be used.
func Invalid(format string, args ...any) error {
	return rpc.Errorf(rpc.InvalidParams, "invalid params: "+format, args...)
}

// Unknown returns an error for a session that this connection does not have.
func Unknown(format string, args ...any) error {
	return &rpc.Error{Code: notFound, Message: fmt.Sprintf(format, args...), Data: data{Code: "unknown_session"}}
}

// invalid are the errors of the agent that the params caused.
var invalid = []error{transcript.ErrNoPrompt, slash.ErrUnknown, transcript.ErrExists, transcript.ErrUnknownTurn}

// Error returns the error that answers a request whose handler, called with ctx,
// returned err. An error that has a code keeps it. The connection itself answers a
// request that was withdrawn. methods are the ways for the user to sign in.
func Error(ctx context.Context, err error, methods []acp.AuthMethod) error {
	var coded *rpc.Error
	var empty *transcript.EmptyAnswerError
	var provider *model.Error
	var denied *transcript.DeniedError
	is := func(target error) bool { return errors.Is(err, target) }
	switch {
	case err == nil || errors.As(err, &coded) || is(rpc.ErrClosed):
		return err
	case ctx.Err() != nil && (is(ctx.Err()) || is(context.Cause(ctx))):
		return err
	case is(transcript.ErrInternal):
		return ErrBug
	case is(transcript.ErrCancelled), is(context.Canceled):
		return rpc.Errorf(rpc.RequestCancelled, "%v", err)
	case slices.ContainsFunc(invalid, is):
		return Invalid("%v", err)
	case is(transcript.ErrUnknownSession):
		return Unknown("%v", err)
	case is(agent.ErrNoFolder):
		return failed(err, data{Code: "folder_gone"})
	case is(transcript.ErrBusy):
		return failed(err, data{Code: "busy"})
	case is(transcript.ErrUntrusted):
		return failed(fmt.Errorf("%w; to trust the folder, run `emendo trust add` in it", err), data{Code: "untrusted_workspace"})
	case errors.As(err, &denied):
		return failed(err, data{Code: "denied_by_policy", Rule: denied.Rule})
	case errors.As(err, &empty):
		return failed(err, data{Code: "invalid_response"})
	case errors.As(err, &provider):
		return ofProvider(err, provider, methods)
	}
	return failed(err, data{Code: plain})
}

func failed(err error, d data) error {
	return &rpc.Error{Code: rpc.RequestFailed, Message: err.Error(), Data: d}
}

// ofProvider returns the error for a failed model request.
func ofProvider(err error, e *model.Error, methods []acp.AuthMethod) error {
	switch e.Kind {
	case model.Auth, model.NoAccess:
		return &rpc.Error{Code: authRequired, Message: err.Error(), Data: data{Code: "auth_required", AuthMethods: methods}}
	case model.RateLimited:
		ms := e.RetryAfter.Milliseconds()
		return failed(err, data{Code: "rate_limited", RetryAfterMS: &ms})
	case model.Quota:
		d := data{Code: "quota_exhausted"}
		if e.ResetAt != (time.Time{}) {
			d.ResetAt = acp.Time(e.ResetAt)
		}
		return failed(err, d)
	case model.Overflow:
		return failed(err, data{Code: "context_overflow"})
	case model.TLS:
		return failed(err, data{Code: "tls_untrusted"})
	case model.Empty:
		return failed(err, data{Code: "invalid_response"})
	case model.Unavailable, model.Cut, model.NotFound, model.Invalid, model.Blocked:
		return failed(err, data{Code: "provider_unavailable", Kind: string(e.Kind)})
	}
	panic("failure: unknown kind of model error " + string(e.Kind))
}
