package acp

import (
	"encoding/json"

	"github.com/emendo-dev/emendo/agent/transcript"
)

// Opened answers session/new, session/load and session/resume. The latter two leave
// SessionID out.
type Opened struct {
	SessionID string         `json:"sessionId,omitzero"`
	Modes     ModeState      `json:"modes"`
	Options   []ConfigOption `json:"configOptions"`
	Meta      any            `json:"_meta,omitzero"`
}

// ListedSession describes a stored session.
type ListedSession struct {
	SessionID             string   `json:"sessionId"`
	Cwd                   string   `json:"cwd"`
	AdditionalDirectories []string `json:"additionalDirectories,omitzero"`
	Title                 string   `json:"title,omitzero"`
	UpdatedAt             string   `json:"updatedAt"`
	Meta                  meta     `json:"_meta"` // all that is known of it
}

// ListedSessionOf describes a session for a list.
func ListedSessionOf(s transcript.SessionInfo) ListedSession {
	l := ListedSession{SessionID: s.ID, Cwd: s.Cwd, Title: s.Title, UpdatedAt: Time(s.UpdatedAt), Meta: meta{SessionInfoOf(s)}}
	for _, r := range s.Roots {
		if r != s.Cwd {
			l.AdditionalDirectories = append(l.AdditionalDirectories, r)
		}
	}
	return l
}

// Sessions answers session/list.
type Sessions struct {
	Sessions   []ListedSession `json:"sessions"`
	NextCursor string          `json:"nextCursor,omitzero"`
}

// Prompted answers session/prompt.
type Prompted struct {
	StopReason transcript.StopReason `json:"stopReason"`
	Meta       any                   `json:"_meta,omitzero"`
}

// PromptedOf returns the answer to a prompt whose turn has ended. A client that knows
// only the stop reasons of the protocol gets the nearest one.
func PromptedOf(turnID string, why transcript.StopReason, u transcript.Usage) Prompted {
	return Prompted{nearestReason(why), meta{struct {
		TurnID     string                `json:"turnId"`
		StopReason transcript.StopReason `json:"stopReason"`
		Usage      Usage                 `json:"usage"`
	}{turnID, why, UsageOf(u)}}}
}

func nearestReason(r transcript.StopReason) transcript.StopReason {
	switch r {
	case transcript.StopLoop:
		return transcript.MaxTurnRequests
	case transcript.StopBlocked, transcript.StopError: // an error is answered with an error
		return transcript.Refusal
	case transcript.EndTurn, transcript.StopMaxTokens, transcript.MaxTurnRequests, transcript.Refusal, transcript.StopCancelled:
	}
	return r
}

// Notification are the params of session/update.
type Notification struct {
	SessionID string          `json:"sessionId"`
	Update    json.RawMessage `json:"update"`
	Meta      any             `json:"_meta,omitzero"`
}

// Numbered is the _meta of the notification of an update that has a number.
type Numbered struct {
	Seq    int64  `json:"seq"`
	TurnID string `json:"turnId,omitzero"`
	Replay bool   `json:"replay,omitzero"`
}

// Meta puts what is emendo's own into a _meta.
func Meta(own any) any { return meta{own} }
