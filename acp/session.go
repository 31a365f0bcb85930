package acp

import (
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// SessionInfo describes a session.
type SessionInfo struct {
	SessionID string      `json:"sessionId"`
	Title     string      `json:"title"`
	Summary   string      `json:"summary,omitempty"`
	Cwd       string      `json:"cwd"`
	Roots     []string    `json:"roots"`
	CreatedAt string      `json:"createdAt"`
	UpdatedAt string      `json:"updatedAt"`
	Model     string      `json:"model"`
	Mode      policy.Mode `json:"mode"`
	Turns     int         `json:"turns"`
	Usage     Usage       `json:"usage"`

	Round int `json:"round,omitempty"` // of comments; absent in the first

	// Of a session that is open.
	UnreviewedHunks *int `json:"unreviewedHunks,omitempty"`

	// To clients that list sessions.
	Status       SessionStatus `json:"status,omitempty"`
	PendingHunks *int          `json:"pendingHunks,omitempty"`
}

// SessionStatus is the present activity of a session.
type SessionStatus string

// The statuses of a session.
const (
	SessionIdle    SessionStatus = "idle"
	SessionRunning SessionStatus = "running"
	SessionWaiting SessionStatus = "waiting" // a turn waits for the user
)

// SessionInfoOf converts the agent's description of a session.
func SessionInfoOf(s transcript.SessionInfo) SessionInfo {
	i := SessionInfo{
		SessionID: s.ID, Title: s.Title, Summary: s.Summary, Cwd: s.Cwd, Roots: s.Roots, CreatedAt: Time(s.CreatedAt), UpdatedAt: Time(s.UpdatedAt),
		Model: s.Model, Mode: s.Mode, Turns: s.Turns, Usage: UsageOf(s.Usage),
	}
	if s.Round() > 1 {
		i.Round = s.Round()
	}
	return i
}
