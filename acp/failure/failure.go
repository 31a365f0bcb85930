// Package failure has the errors that answer requests of LSP and of ACP: it gives
// those of the agent their codes and their data. It knows no request.
package failure

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/slash"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// Data is the data of an error with [rpc.RequestFailed], or with a code of ACP.
type Data struct {
	Code         string           `json:"code"`
	RetryAfterMS *int64           `json:"retryAfterMs,omitzero"`
	ResetAt      string           `json:"resetAt,omitzero"`
	Kind         string           `json:"kind,omitzero"`        // of the provider's error
	Rule         string           `json:"rule,omitzero"`        // that denies it
	AuthMethods  []acp.AuthMethod `json:"authMethods,omitzero"` // of ACP
}

// Plain is the code of a failure whose message says all there is to say.
const Plain = "failed"

// ErrBug answers a request whose handler, or whose turn, panicked.
var ErrBug = rpc.Errorf(rpc.InternalError, "%v", transcript.ErrInternal)

// invalid are the errors of the agent and the ledger that the params caused.
var invalid = []error{
	transcript.ErrNoPrompt, slash.ErrUnknown, transcript.ErrExists, transcript.ErrUnknownTurn, agent.ErrNotQueued, agent.ErrSteersCommand, agent.ErrBadProposal, agent.ErrUnknownRule, agent.ErrUnknownComment, agent.ErrBadPlace,
	ledger.ErrUnknown, ledger.ErrText,
}

// Error returns the error that answers a request whose handler, called with ctx,
// returned err. An error that has a code keeps it. The connection itself answers a
// request that was withdrawn.
func Error(ctx context.Context, err error) error {
	var coded *rpc.Error
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
		return rpc.Errorf(rpc.InvalidParams, "%v", err)
	}
	return &rpc.Error{Code: rpc.RequestFailed, Message: err.Error(), Data: dataOf(err)}
}

func dataOf(err error) Data {
	var empty *transcript.EmptyAnswerError
	var provider *model.Error
	var denied *transcript.DeniedError
	var changed *rewind.ChangedError
	is := func(target error) bool { return errors.Is(err, target) }
	switch {
	case is(transcript.ErrUnknownSession):
		return Data{Code: "unknown_session"}
	case is(agent.ErrNoFolder):
		return Data{Code: "folder_gone"}
	case is(transcript.ErrBusy):
		return Data{Code: "busy"}
	case is(transcript.ErrUntrusted):
		return Data{Code: "untrusted_workspace"}
	case is(ide.ErrRefused), is(ide.ErrUnseen), is(ledger.ErrContradiction), errors.As(err, &changed):
		return Data{Code: "edit_conflict"}
	case errors.As(err, &denied):
		return Data{Code: "denied_by_policy", Rule: denied.Rule}
	case errors.As(err, &empty):
		return Data{Code: "invalid_response"}
	case errors.As(err, &provider):
		return ofProvider(provider)
	}
	return Data{Code: Plain}
}

// ofProvider returns the data of a failed model request.
func ofProvider(e *model.Error) Data {
	switch e.Kind {
	case model.Auth:
		return Data{Code: "auth_required"}
	case model.NoAccess:
		return Data{Code: "auth_required", Kind: string(e.Kind)}
	case model.RateLimited:
		ms := e.RetryAfter.Milliseconds()
		return Data{Code: "rate_limited", RetryAfterMS: &ms}
	case model.Quota:
		d := Data{Code: "quota_exhausted"}
		if e.ResetAt != (time.Time{}) {
			d.ResetAt = acp.Time(e.ResetAt)
		}
		return d
	case model.Overflow:
		return Data{Code: "context_overflow"}
	case model.TLS:
		return Data{Code: "tls_untrusted"}
	case model.Empty:
		return Data{Code: "invalid_response"}
	case model.Unavailable, model.Cut, model.NotFound, model.Invalid, model.Blocked:
		return Data{Code: "provider_unavailable", Kind: string(e.Kind)}
	}
	panic("failure: unknown kind of model error " + string(e.Kind))
}
