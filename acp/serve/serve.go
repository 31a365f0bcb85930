// Package serve is the ACP agent: the life of a connection, and which handler answers
// which message.
package serve

import (
	"context"
	"io"
	"log/slog"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/acp/host"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// Options of a server. Start and Store are needed.
type Options struct {
	Version string            // of the program
	Models  []acp.OptionValue // that sessions offer
	Mode    policy.Mode       // of new sessions; empty: by the settings
	Cwd     string            // of the process, absolute
	Store   *transcript.Store // of all sessions
	Preview bool              // serve clients that want version 2 of the protocol by its preview
	Editors string            // the folder in which the editors of other processes are announced; empty: there are none
	Log     *slog.Logger
	// AuthMethods are the ways for the user to sign in. A client is told of those that
	// need a terminal if it has one.
	AuthMethods []acp.AuthMethod
	// SignedIn returns an error that says how to sign in if there are no credentials.
	SignedIn func(ctx context.Context) error
	// Start makes the agent for a folder, off the read loop. It is called when the
	// first session of the folder is opened, and again after it failed. ctx ends with
	// the connection.
	Start func(ctx context.Context, s host.Start) (*host.Host, error)
}

// Serve speaks ACP on r and w until the client's stream or ctx ends. It returns nil for
// the end of the stream. Everything it started has ended by then, or was given a second
// to.
func Serve(ctx context.Context, r io.Reader, w io.Writer, o Options) error {
	return newServer(r, w, o).serve(ctx)
}
