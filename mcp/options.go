package mcp

import (
	"context"
	"log/slog"
	"time"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/mcp/config"
	"github.com/emendo-dev/emendo/mcp/server"
)

// A Workspace is where a session works.
type Workspace interface {
	// Configured returns the current configuration of servers.
	Configured() config.List
	// Folders returns the session's folders, absolute, its own first.
	Folders() []string
	// Trusted reports whether the user trusts all of them.
	Trusted() bool
}

// A Dialer opens links to servers.
type Dialer interface {
	// Dial opens a link to a server for a session with these folders. The server's variables
	// are expanded. cleared is what was approved of it, if it needs approval.
	Dial(ctx context.Context, c config.Server, cleared trust.Cleared, folders []string) (server.Link, error)
}

// Options of [New]. Workspace and Dialer are required.
type Options struct {
	Workspace Workspace
	Dialer    Dialer
	Version   string // of emendo
	// Protocol is the only version of the protocol to use; empty: any supported
	// one.
	Protocol string
	// Definitions stores the definitions that the user allowed; nil: none are
	// stored.
	Definitions *Definitions
	Env         func(string) string // of emendo; nil: empty
	Log         *slog.Logger        // nil: discards
	// Patient makes requests wait for servers as long as they may take to start, not for
	// a second: nobody watches, and the model may have no other request.
	Patient bool
}

// Limits of a session.
const (
	maxServers      = 32
	firstWait       = time.Second // for servers that were just started
	patientWait     = time.Minute // likewise, with Patient, at most
	maxInstructions = 8 << 10     // bytes of a server's instructions
	maxDescription  = 8 << 10     // bytes of a tool's description
	maxSchema       = 64 << 10    // bytes of a tool's schema
)

// Expanded returns a server with the variables that it may have replaced by their
// values in emendo's environment.
func Expanded(c config.Server, env func(string) string) config.Server {
	return c.Expanded(env, secretOf)
}

// secretOf reports whether a variable is one of emendo's own credentials, which are
// kept from a project's servers.
func secretOf(name string) bool { return sandbox.Credential(name) }
