package lsp

import (
	"context"
	"errors"
	"io"
	"log/slog"

	"github.com/emendo-dev/emendo/lsp/client"
)

// Options of a server. Start is required.
type Options struct {
	Version   string      // of the program, sent with the answer to initialize
	Models    []ModelInfo // sent with the answer to initialize
	Cwd       string      // absolute; the folder of sessions if the client has none open
	ClientPID int         // the server exits with this process and with the one in initialize; 0: only with the latter
	LogFile   string      // shown by the command emendo.showLog; empty: no log file
	Editors   string      // the folder in which editors are announced to the user's other processes; empty: this one is not
	Log       *slog.Logger
	MaxQueue  int // of output that the client has not read, in bytes; as in [rpc.Options]

	// Start makes the agent for this client, off the read loop. It is called when
	// the host is first needed, and again after it has failed. ctx ends with the
	// connection.
	Start func(ctx context.Context, s Start) (*Host, error)
}

type (
	// Host serves a client.
	Host = client.Host
	// Start is the input of [Options.Start].
	Start = client.Start
	// ModelInfo is a model that users can choose.
	ModelInfo = client.ModelInfo
	// Trust is the decision of the editor's own workspace trust.
	Trust = client.Trust
	// A TrustOffer describes what trusting a folder means.
	TrustOffer = client.TrustOffer
	// User has what the client sends of its user's choices.
	User = client.User
)

// The values of [Trust].
const (
	Trusted    = client.Trusted
	Restricted = client.Restricted
	AskTrust   = client.AskTrust
)

// ErrNoShutdown means that the client sent exit without shutdown. The protocol
// requires exit status 1 then.
var ErrNoShutdown = errors.New("the client sent exit without shutdown")

// Serve speaks LSP on r and w until the client sends exit, its stream or process
// ends, or ctx ends. It returns nil for an orderly exit and at the end of the
// stream, and [ErrNoShutdown] for an exit without shutdown. It waits up to a second
// for everything that it started.
func Serve(ctx context.Context, r io.Reader, w io.Writer, o Options) error {
	return newServer(r, w, o).serve(ctx)
}
