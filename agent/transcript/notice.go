package transcript

import "github.com/emendo-dev/emendo/internal/redact"

// Severity of a notice.
type Severity string

// The severities.
const (
	Info    Severity = "info"
	Warning Severity = "warning"
	Error   Severity = "error"
)

// NoticeCode is the subject of a notice.
type NoticeCode string

// The codes of notices.
const (
	NoticeCitation        NoticeCode = "citation"
	NoticeLoop            NoticeCode = "loop_detected"
	NoticeMaxTurns        NoticeCode = "max_turns"
	NoticeBudget          NoticeCode = "budget"
	NoticeContextOverflow NoticeCode = "context_overflow"
	NoticeRetry           NoticeCode = "retry"
	NoticeModelFallback   NoticeCode = "model_fallback"
	NoticeInvalidStream   NoticeCode = "invalid_stream"
	NoticeHook            NoticeCode = "hook"
	NoticeStopped         NoticeCode = "stopped"
	NoticeBlocked         NoticeCode = "blocked"
	NoticeMCP             NoticeCode = "mcp"
	NoticeBackground      NoticeCode = "background"
	NoticeChangedOnDisk   NoticeCode = "changed_on_disk"
	NoticeMovedAside      NoticeCode = "moved_aside" // what a command made and may not make
	NoticeModel           NoticeCode = "model"       // which model answers, if the user left the choice to emendo
	NoticeIncomplete      NoticeCode = "incomplete"  // the answer was cut off
	NoticeNotSent         NoticeCode = "not_sent"    // a file named in the prompt, or pictures
	NoticeRestricted      NoticeCode = "restricted"  // the folder is not trusted
	NoticeSettings        NoticeCode = "settings"    // a setting is invalid
	NoticeChanged         NoticeCode = "changed"     // what emendo does otherwise since an update
	NoticeOutside         NoticeCode = "outside"     // a call that mode yolo allowed followed content from outside
	NoticeError           NoticeCode = "error"
)

// Notice is information for the user.
type Notice struct {
	Severity     Severity   `json:"severity"`
	Title        string     `json:"title"`
	Description  string     `json:"description,omitempty"`
	Code         NoticeCode `json:"code"`
	RetryAfterMS int64      `json:"retryAfterMs,omitempty"` // of NoticeRetry
	Attempt      int        `json:"attempt,omitempty"`      // of NoticeRetry: the one that failed, from 1
	MaxAttempts  int        `json:"maxAttempts,omitempty"`  // of NoticeRetry
	// Type is the failure of NoticeRetry and NoticeInvalidStream: a kind of model
	// error, or malformed_call.
	Type          string   `json:"type,omitempty"`
	RequestTokens int64    `json:"requestTokens,omitempty"` // of NoticeContextOverflow; counted by the provider, or estimated
	ContextLimit  int64    `json:"contextLimit,omitempty"`  // of NoticeContextOverflow
	Hook          *HookRun `json:"hook,omitempty"`          // of NoticeHook, if hooks ran
}

func (Notice) isEvent() {}

func (e Notice) redacted(s *redact.Redactor) Event {
	e.Title, e.Description = s.Text(e.Title), s.Text(e.Description)
	return e
}

// HookRun describes the hooks that an event ran, for a notice.
type HookRun struct {
	Names      []string `json:"names"` // in the order in which they ran
	Event      string   `json:"event"`
	DurationMS int64    `json:"durationMs"`
	// Outcome is "ok", "failed", "asked", "blocked" or "stopped".
	Outcome string `json:"outcome"`
}
