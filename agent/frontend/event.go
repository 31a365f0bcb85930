package frontend

import (
	"time"

	"github.com/emendo-dev/emendo/agent/transcript"
)

// An Event is something that happens beside the conversation of a session: a hook
// starts, or what the session works with has changed. It is told once, to front ends
// that follow, and not recorded.
type Event interface {
	// Kind returns the name of the event for clients.
	Kind() string
	// Of returns what it is the state of; empty if it is no state. A state is told when
	// it has changed.
	Of() string
}

// A Follower is a [Client] that shows events.
type Follower interface {
	// Happened takes an event of a session. It is called from any goroutine, and
	// may block while the client reads slowly.
	Happened(sessionID string, e Event)
}

// A Rewinder is a [Client] that keeps what it was shown.
type Rewinder interface {
	// Rewound takes that a session has forgotten a turn and all after it, or has them again, here
	// or in another process. It comes between updates of the session, and may block while the
	// client reads slowly.
	Rewound(sessionID string, b transcript.Back)
}

// HookStart means that a hook is about to run.
type HookStart struct {
	HookName  string `json:"hookName"`
	EventName string `json:"eventName"` // where it runs, as BeforeTool
	Source    string `json:"source"`    // project, user, system or extension
}

// MemoryChanged means that the context files or the saved facts, which the model reads
// with each prompt, are others than before.
type MemoryChanged struct {
	FileCount int      `json:"fileCount"`
	Text      [32]byte `json:"-"` // the hash of what they say
}

// AgentsFound lists the agents that files define, when they have changed.
type AgentsFound struct {
	Agents []FoundAgent `json:"agents"` // not nil
}

// FoundAgent is an agent that a file defines.
type FoundAgent struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	File        string `json:"file"` // absolute
}

// MCPState is a changed state of an MCP server.
type MCPState struct {
	Name  string `json:"name"`
	State string `json:"state"`          // idle, starting, ready, failed or removed
	Tools int    `json:"tools"`          // that it offers
	Error string `json:"error,omitzero"` // why it failed
}

// QuotaChanged is what the provider of the session's model still accepts, by its last
// answer.
type QuotaChanged struct {
	Left []Quota `json:"left"`
}

// Quota says how much a provider still accepts of one kind.
type Quota struct {
	Of        string    `json:"of"` // plural, such as "requests" or "input tokens"
	Remaining int64     `json:"remaining"`
	Limit     int64     `json:"limit,omitzero"`   // zero if it is not said
	ResetAt   time.Time `json:"resetAt,omitzero"` // when all of it is there again; zero if it is not said
}

// Kind implements [Event].
func (HookStart) Kind() string { return "hook_start" }

// Kind implements [Event].
func (MemoryChanged) Kind() string { return "memory_changed" }

// Kind implements [Event].
func (AgentsFound) Kind() string { return "agents_found" }

// Kind implements [Event].
func (MCPState) Kind() string { return "mcp_state" }

// Kind implements [Event].
func (QuotaChanged) Kind() string { return "quota_changed" }

// Of implements [Event].
func (HookStart) Of() string { return "" }

// Of implements [Event].
func (MemoryChanged) Of() string { return "memory" }

// Of implements [Event].
func (AgentsFound) Of() string { return "agents" }

// Of implements [Event].
func (s MCPState) Of() string { return "server " + s.Name }

// Of implements [Event].
func (QuotaChanged) Of() string { return "quota" }
