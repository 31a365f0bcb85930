package mcp

import (
	"log/slog"
	"time"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/mcp/config"
)

// Options of [New]. Configured is needed.
type Options struct {
	// Configured returns the servers as they are configured now.
	Configured func() config.List
	// Dial opens a link to a server, whose variables are expanded.
	Dial    Dialer
	Version string // of emendo
	// Protocol is the only version of the protocol to talk; empty: any that emendo knows.
	Protocol string
	// Folders returns the session's folders, absolute; the first one is its own.
	Folders func() []string
	// Trusted reports whether the user trusts all of them.
	Trusted func() bool
	// Definitions are those that the user allowed; nil: none is remembered.
	Definitions *Definitions
	Env         func(string) string // of emendo; nil: empty
	Now         func() time.Time    // nil: time.Now
	Log         *slog.Logger        // nil: discards

	wait time.Duration // for servers that were just started; 0: firstWait
}

// Limits of a session.
const (
	maxServers      = 32
	firstWait       = time.Second // for servers that were just started
	maxInstructions = 8 << 10     // bytes of a server's instructions
	maxDescription  = 8 << 10     // bytes of a tool's description
	maxSchema       = 64 << 10    // bytes of a tool's schema
)

// Expanded returns a server with its variables replaced by those of emendo's
// environment that it may have.
func Expanded(c config.Server, env func(string) string) config.Server {
	return c.Expanded(env, secretOf)
}

// secretOf reports whether a variable is one of emendo's own credentials, which no
// server of a project gets.
func secretOf(name string) bool { return sandbox.Credential(name) }
