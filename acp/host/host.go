// Package host has what serves the sessions of a client: an agent for each folder that
// sessions are opened in, made when the first one is, and which agent has which session.
package host

import (
	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/acp/terminals"
	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/ide"
)

// Host serves the sessions of one folder.
type Host struct {
	Agent *agent.Agent
	// Trusted reports whether a folder is trusted now; the agent asks the same.
	Trusted func(folder string) bool
	// Include returns the folders of a new session, given those that the client names:
	// the user's settings may add some. Nil: none are added.
	Include func(folders []string) []string
	// Serve sets the MCP servers that the client hands over for a session.
	Serve func(sessionID string, servers []acp.MCPServer)
	// Saves reports whether an editor that has files of the folder open can be asked to
	// save them. Nil: none can.
	Saves func() bool
	// Warnings are for the user, invalid settings for example.
	Warnings []string
	// Close, when not nil, releases what else the host holds. The agent is closed
	// before.
	Close func() error
}

// Start has what a host is made for. The agent and its ledger must be made with exactly
// this Client, Editor and Workspace.
type Start struct {
	Folder    string // absolute, links resolved
	Client    frontend.Client
	Editor    ide.Editor // of the files that the client or other editors have open
	Workspace *ide.Workspace
	Terminals *terminals.Terminals // nil: the client has none
	Warn      func(text string)    // shows the user a warning
}
