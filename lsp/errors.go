package lsp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// failure is the data of a request that failed.
type failure struct {
	Code         string `json:"code"`
	RetryAfterMS *int64 `json:"retryAfterMs,omitzero"`
	ResetAt      string `json:"resetAt,omitzero"`
	Kind         string `json:"kind,omitzero"` // of a provider's refusal
}

// plainFailure is the code of a failure whose message says all there is to say.
const plainFailure = "failed"

// refusal is what a request, made under ctx, is answered with for an error: one
// that has its code already, the parameters' fault, or a failure that says what
// kind it is. That the request was withdrawn is left to the connection to say.
func refusal(ctx context.Context, err error) error {
	var coded *rpc.Error
	var empty *agent.EmptyAnswerError
	var provider *model.Error
	switch {
	case err == nil || errors.As(err, &coded) || errors.Is(err, rpc.ErrClosed):
		return err
	case ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx))):
		return err
	case errors.Is(err, agent.ErrInternal):
		return errBug
	case errors.Is(err, agent.ErrCancelled), errors.Is(err, context.Canceled):
		return rpc.Errorf(rpc.RequestCancelled, "%v", err)
	case errors.Is(err, agent.ErrNoPrompt), errors.Is(err, agent.ErrUnknownCommand), errors.Is(err, agent.ErrExists), errors.Is(err, agent.ErrUnknownTurn), errors.Is(err, agent.ErrNotQueued), errors.Is(err, agent.ErrSteersCommand), errors.Is(err, ledger.ErrUnknown), errors.Is(err, ledger.ErrText):
		return rpc.Errorf(rpc.InvalidParams, "%v", err)
	case errors.Is(err, agent.ErrUnknownSession):
		return failed(err, failure{Code: "unknown_session"})
	case errors.Is(err, agent.ErrNoFolder):
		return failed(err, failure{Code: "folder_gone"})
	case errors.Is(err, agent.ErrBusy):
		return failed(err, failure{Code: "busy"})
	case errors.Is(err, agent.ErrUntrusted):
		return failed(err, failure{Code: "untrusted_workspace"})
	case errors.Is(err, ide.ErrRefused), errors.Is(err, ide.ErrUnseen):
		return failed(err, failure{Code: "edit_conflict"})
	case errors.As(err, &empty):
		return failed(err, failure{Code: "invalid_response"})
	case errors.As(err, &provider):
		return failed(err, providerFailure(provider))
	}
	return failed(err, failure{Code: plainFailure})
}

// unable refuses what cannot be done as things are.
func unable(format string, args ...any) error {
	return failed(fmt.Errorf(format, args...), failure{Code: plainFailure})
}

func failed(err error, f failure) error {
	return &rpc.Error{Code: rpc.RequestFailed, Message: err.Error(), Data: f}
}

// providerFailure says what a failed model request means for the client.
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
	panic("lsp: unknown kind of model error " + string(e.Kind))
}
