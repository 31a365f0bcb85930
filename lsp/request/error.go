package request

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
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// failure is the data of a request that failed.
type failure struct {
	Code         string `json:"code"`
	RetryAfterMS *int64 `json:"retryAfterMs,omitzero"`
	ResetAt      string `json:"resetAt,omitzero"`
	Kind         string `json:"kind,omitzero"` // of the provider's error
	Rule         string `json:"rule,omitzero"` // that denies it
}

// PlainFailure is the code of a failure whose message says all there is to say.
const PlainFailure = "failed"

// ErrBug answers a request whose handler, or whose turn, panicked.
var ErrBug = rpc.Errorf(rpc.InternalError, "%v", transcript.ErrInternal)

// Invalid returns an error for params that cannot be used.
func Invalid(format string, args ...any) error {
	return rpc.Errorf(rpc.InvalidParams, format, args...)
}

// Unable returns an error for a request that the current state does not permit.
func Unable(format string, args ...any) error {
	return failed(fmt.Errorf(format, args...), failure{Code: PlainFailure})
}

func failed(err error, f failure) error {
	return &rpc.Error{Code: rpc.RequestFailed, Message: err.Error(), Data: f}
}

// invalid are the errors of the agent and the ledger that the params caused.
var invalid = []error{
	transcript.ErrNoPrompt, slash.ErrUnknown, transcript.ErrExists, transcript.ErrUnknownTurn, agent.ErrNotQueued, agent.ErrSteersCommand, agent.ErrBadProposal,
	ledger.ErrUnknown, ledger.ErrText,
}

// Error returns the error that answers a request whose handler, called with ctx,
// returned err. An error that has a code keeps it. The connection itself answers
// a request that was withdrawn.
func Error(ctx context.Context, err error) error {
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
		return failed(err, failure{Code: "unknown_session"})
	case is(agent.ErrNoFolder):
		return failed(err, failure{Code: "folder_gone"})
	case is(transcript.ErrBusy):
		return failed(fmt.Errorf("%w; a prompt can be added to a turn here with emendo/session/inject", err), failure{Code: "busy"})
	case is(transcript.ErrUntrusted):
		return failed(err, failure{Code: "untrusted_workspace"})
	case is(ide.ErrRefused), is(ide.ErrUnseen):
		return failed(err, failure{Code: "edit_conflict"})
	case errors.As(err, &denied):
		return failed(err, failure{Code: "denied_by_policy", Rule: denied.Rule})
	case errors.As(err, &empty):
		return failed(err, failure{Code: "invalid_response"})
	case errors.As(err, &provider):
		return failed(err, providerFailure(provider))
	}
	return failed(err, failure{Code: PlainFailure})
}

// providerFailure returns the client's error for a failed model request.
func providerFailure(e *model.Error) failure {
	switch e.Kind {
	case model.Auth, model.NoAccess:
		return failure{Code: "auth_required"}
	case model.RateLimited:
		ms := e.RetryAfter.Milliseconds()
		return failure{Code: "rate_limited", RetryAfterMS: &ms}
	case model.Quota:
		f := failure{Code: "quota_exhausted"}
		if e.ResetAt != (time.Time{}) {
			f.ResetAt = acp.Time(e.ResetAt)
		}
		return f
	case model.Overflow:
		return failure{Code: "context_overflow"}
	case model.TLS:
		return failure{Code: "tls_untrusted"}
	case model.Empty:
		return failure{Code: "invalid_response"}
	case model.Unavailable, model.Cut, model.NotFound, model.Invalid, model.Blocked:
		return failure{Code: "provider_unavailable", Kind: string(e.Kind)}
	}
	panic("request: unknown kind of model error " + string(e.Kind))
}
