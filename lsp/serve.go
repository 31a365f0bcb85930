package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// Options of a server. Start is needed.
type Options struct {
	Version   string      // of the program, told in initialize
	Models    []ModelInfo // told in initialize
	Cwd       string      // absolute; where sessions are when the client has no folder open
	ClientPID int         // the server ends with this process; 0: only with the one that initialize names
	LogFile   string      // what the command emendo.showLog shows; empty: there is none
	Log       *slog.Logger

	// Start makes the agent for this client, off the read loop. It is called
	// when the host is first needed, and again after it failed. ctx ends with
	// the connection.
	Start func(ctx context.Context, s Start) (*Host, error)
}

// ModelInfo is a model that users can choose.
type ModelInfo struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
}

// Start is what a host is made for: the client's side of the agent and of the
// ledger, and what the client said in initialize. The agent and the ledger have
// to be made with exactly this Client, Editor and Workspace.
type Start struct {
	Client    agent.Client
	Editor    ide.Editor
	Workspace *ide.Workspace
	Folders   []string // of the workspace that exist: absolute, links resolved
	// Holds says whether the workspace has the folder, or one around it, now;
	// folders come and go.
	Holds    func(folder string) bool
	Settings json.RawMessage // initializationOptions.settings; nil when absent
	// Configuration is what the editor has configured for emendo, now, as
	// JSON; nil when it has told nothing.
	Configuration func() json.RawMessage
	Warn          func(text string) // shows the user a warning
	Trust         Trust             // initializationOptions.trust
}

// A TrustOffer is what trusting a folder comes to.
type TrustOffer struct {
	Text    string       // what the folder would start and configure, as it was looked at; empty: nothing
	Starts  bool         // it would start something
	Add     func() error // stores that the folder is trusted, from now on
	Approve func() error // stores that what it would start may be
}

// Trust is what the editor's own workspace trust says.
type Trust string

// The values of [Trust].
const (
	Trusted    Trust = "trusted"    // every workspace folder is, for this process
	Restricted Trust = "restricted" // none is, whatever was decided before
	AskTrust   Trust = "ask"        // the stored decision holds, else restricted
)

// Host is what serves a client once it is needed.
type Host struct {
	Agent  *agent.Agent
	Ledger *ledger.Ledger
	// Trusted says whether a folder may act now; the agent asks the same.
	Trusted func(folder string) bool
	// OfferTrust looks into a folder that the user is about to trust; nil: none
	// can be trusted here.
	OfferTrust func(folder string) (TrustOffer, error)
	// Include gives the folders of a new session, which has these: what the
	// user wants beside them is added. Nil: nothing is.
	Include func(folders []string) []string
	// Transcript writes a session as Markdown to a file and returns its path and
	// the line where the last answer begins, counted from 0; nil: nothing can.
	Transcript func(sessionID string) (file string, line int, err error)
	// Warnings are shown to the user once: settings that are wrong and so on.
	Warnings []string
	// Close, when not nil, lets go of what else the host holds. The server
	// closes the agent itself, before.
	Close func() error
}

// ErrNoShutdown says that the client sent exit without shutdown before, for
// which the protocol wants the exit status 1.
var ErrNoShutdown = errors.New("the client ended the server without shutting it down first")

// Serve speaks LSP on r and w until the client ends it, its stream or its
// process ends, or ctx ends. It returns nil for an orderly end and for the end
// of the stream, and [ErrNoShutdown] for an exit without shutdown. Everything it
// started has ended by then, or was given a second to.
func Serve(ctx context.Context, r io.Reader, w io.Writer, o Options) error {
	return newServer(r, w, o).serve(ctx)
}
