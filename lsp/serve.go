package lsp

import (
	"context"
	"errors"
	"io"
	"log/slog"

	"github.com/emendo-dev/emendo/lsp/host"
)

// Options of a server. Start is needed.
type Options struct {
	Version   string      // of the program, sent with the answer to initialize
	Models    []ModelInfo // sent with the answer to initialize
	Cwd       string      // absolute; where sessions are when the client has no folder open
	ClientPID int         // the server ends with this process; 0: only with the one that initialize names
	LogFile   string      // shown by the command emendo.showLog; empty: there is none
	Log       *slog.Logger

	// Start makes the agent for this client, off the read loop. It is called
	// when the host is first needed, and again after it failed. ctx ends with
	// the connection.
	Start func(ctx context.Context, s Start) (*Host, error)
}

type (
	// Host serves a client.
	Host = host.Host
	// Start has what a host is made for.
	Start = host.Start
	// ModelInfo is a model that users can choose.
	ModelInfo = host.ModelInfo
	// Trust is the decision of the editor's own workspace trust.
	Trust = host.Trust
	// A TrustOffer describes what trusting a folder means.
	TrustOffer = host.TrustOffer
)

// The values of [Trust].
const (
	Trusted    = host.Trusted
	Restricted = host.Restricted
	AskTrust   = host.AskTrust
)

// ErrNoShutdown is returned for a client that sent exit without shutdown, for
// which the protocol requires exit status 1.
var ErrNoShutdown = errors.New("the client sent exit without shutdown")

// Serve speaks LSP on r and w until the client ends it, its stream or its
// process ends, or ctx ends. It returns nil for an orderly end and for the end
// of the stream, and [ErrNoShutdown] for an exit without shutdown. Everything it
// started has ended by then, or was given a second to.
func Serve(ctx context.Context, r io.Reader, w io.Writer, o Options) error {
	return newServer(r, w, o).serve(ctx)
}
