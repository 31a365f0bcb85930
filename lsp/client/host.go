package client

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/settings"
)

// Host serves a client.
type Host struct {
	Agent  *agent.Agent
	Ledger *ledger.Ledger
	// Program is what the host is a part of.
	Program Program
	// Chats is the folder for chat documents that are not in a workspace: absolute, links
	// resolved; empty: there is none.
	Chats string
	// Warnings are shown to the user once, invalid settings for example.
	Warnings []string
}

// Program is the program that makes hosts.
type Program interface {
	// Trusted reports whether a folder is trusted now; the agent asks the same.
	Trusted(folder string) bool
	// OfferTrust inspects a folder that the user is about to trust.
	OfferTrust(folder string) (TrustOffer, error)
	// Include returns the folders of a new session, given those of the
	// workspace: the user's settings may add some.
	Include(folders []string) []string
	// ChatsOutside reports whether the user wants no chat documents in workspaces.
	ChatsOutside() bool
	// Export returns a stored session as text, in the format "markdown" or "json".
	Export(sessionID, format string) (string, error)
	// Companion reports whether the user wants programs in terminals to be served;
	// see package companion.
	Companion() bool
	// SignedIn reports whether a model could be asked: there is a key, or none is needed.
	SignedIn() bool
	// Servers returns the MCP servers of folders, the first of which is where sessions work.
	Servers(folders []string) Servers
	// SetDisabled adds a name to one of the lists of the user's settings, or removes it. The
	// settings apply at once. If they cannot be changed, or another layer disables the name too,
	// the error says which.
	SetDisabled(list settings.Disabling, name string, disabled bool) error
	// Browser opens an address in a browser of this machine. Without a browser it returns an error.
	Browser(address string) error
	// StartTerminal starts what the user runs in a terminal, with the user's environment and
	// without a sandbox. Nobody else may: it is called for a request of the client alone.
	StartTerminal(ctx context.Context, p TerminalProgram) (Terminal, error)
	// Close releases what else the program holds for the host, whose agent is closed.
	Close() error
}

// Start has what a host is made for: the client's side of the agent and of the
// ledger, and the client's user. The agent and the ledger must be made with exactly this
// Client, Editor and Workspace.
type Start struct {
	Client    frontend.Client
	Editor    ide.Editor
	Workspace *ide.Workspace
	Folders   []string // of the workspace that exist: absolute, links resolved
	User      User
}

// User has what the client sends of its user's choices, as they are now.
type User interface {
	// Holds reports whether the workspace has the folder, or one around it;
	// folders come and go.
	Holds(folder string) bool
	// Settings returns the user's settings that the client passes, as JSON, or
	// nil when it has passed none.
	Settings() json.RawMessage
	// Configuration returns the editor's configuration for emendo as JSON, or nil
	// when it has sent none.
	Configuration() json.RawMessage
	// Trust returns the client's decision.
	Trust() Trust
	// Warn shows the user a warning.
	Warn(text string)
}

// ModelInfo is a model that users can choose.
type ModelInfo struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
}

// A TrustOffer describes what trusting a folder means.
type TrustOffer struct {
	Text   string // what the folder would start and configure, when it was inspected; empty: nothing
	Starts bool   // it would start something
	Store  TrustStore
}

// TrustStore stores the user's decision about a folder.
type TrustStore interface {
	Add() error     // the folder is trusted from now on
	Approve() error // what it would start is approved
}

// Trust is the decision of the editor's own workspace trust.
type Trust string

// The values of [Trust].
const (
	Trusted    Trust = "trusted"    // every workspace folder is, for this process
	Restricted Trust = "restricted" // none is, whatever was decided before
	AskTrust   Trust = "ask"        // the stored decision applies, else restricted
)

// Lazy is the host of a server, made off the read loop when it is first needed,
// and again after an attempt that failed.
type Lazy struct {
	client *Client

	mu      sync.Mutex
	attempt chan struct{} // closed at the end of the attempt under way; nil when there is none
	host    *Host         // nil until an attempt succeeded
	err     error         // of the last attempt
}

// Current returns the host, or nil if there is none yet.
func (l *Lazy) Current() *Host {
	h, _ := l.State()
	return h
}

// State returns the host, or why the last attempt to make it failed. Before the
// end of the first attempt both are nil.
func (l *Lazy) State() (*Host, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.host, l.err
}

// Get returns the host and makes it if there is none.
func (l *Lazy) Get(ctx context.Context) (*Host, error) {
	l.mu.Lock()
	if l.host != nil {
		defer l.mu.Unlock()
		return l.host, nil
	}
	if l.attempt == nil {
		l.attempt = make(chan struct{})
		l.client.Go(l.start)
	}
	attempt := l.attempt
	l.mu.Unlock()
	select {
	case <-attempt:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-l.client.Life().Done(): // the attempt may never have begun
		return nil, context.Cause(l.client.Life())
	}
	return l.State()
}

// start makes one attempt.
func (l *Lazy) start() {
	var h *Host
	err := l.client.Contain(func() (err error) {
		h, err = l.client.server.MakeHost()
		return err
	})
	if err != nil {
		l.client.Log.Error("the agent did not start", "error", err)
	}
	l.mu.Lock()
	l.host, l.err = h, err
	close(l.attempt)
	l.attempt = nil
	l.mu.Unlock()
	l.client.server.HostTried()
}

// Close closes the host, if one was made.
func (l *Lazy) Close() {
	h := l.Current()
	if h == nil {
		return
	}
	h.Agent.Close()
	if err := h.Program.Close(); err != nil {
		l.client.Log.Error("close the host", "error", err)
	}
}

// Session returns a session of the host, and opens a stored one.
func (l *Lazy) Session(ctx context.Context, id string) (*agent.Session, error) {
	if err := Require(id, "sessionId"); err != nil {
		return nil, err
	}
	h, err := l.Get(ctx)
	if err != nil {
		return nil, err
	}
	return h.Agent.Session(ctx, id)
}
