package state

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/emendo-dev/emendo/agent/gate"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// Conversation adds the events of a turn to its session: to the record, the log
// and the client.
type Conversation struct {
	Session *Session
	Outbox  *Outbox
	Gate    *gate.Turn
	Used    atomic.Int64 // tokens of the conversation, estimated or as the provider counts them

	mu      sync.Mutex
	touched []string // paths of calls since the last step
}

// Untrusted returns the untrusted content that the model has read since the user's
// last message.
func (c *Conversation) Untrusted() transcript.Untrusted {
	return FromHistory(c.Session.Record, (*transcript.History).Untrusted)
}

// Named reports whether the user or a search named an address, see
// [transcript.History.Named].
func (c *Conversation) Named(url string) bool {
	return FromHistory(c.Session.Record, func(h *transcript.History) bool { return h.Named(url) })
}

// Emit adds an event to the history and the outbox.
func (c *Conversation) Emit(e transcript.Event) {
	e = transcript.Redacted(e, c.Session.Agent.Options.Secrets)
	c.Fold(e)
	c.Outbox.Put(e)
}

// Warn shows a notice to the user.
func (c *Conversation) Warn(code transcript.NoticeCode, title, description string) {
	c.Emit(transcript.Notice{Severity: transcript.Warning, Code: code, Title: title, Description: description})
}

// EmitSynced is like [Conversation.Emit] for an event that is synced to disk before
// it is shown. It does not wait for the sync: calls only run once the log is known
// to be complete.
func (c *Conversation) EmitSynced(e transcript.Event) {
	e = transcript.Redacted(e, c.Session.Agent.Options.Secrets)
	c.Fold(e)
	c.Outbox.putSynced(e)
}

// EmitDurably is like [Conversation.Emit] and waits until the event is on disk.
func (c *Conversation) EmitDurably(e transcript.Event) error {
	e = transcript.Redacted(e, c.Session.Agent.Options.Secrets)
	c.Fold(e)
	return c.Outbox.Flush(e)
}

// Fold adds an event to the history only.
func (c *Conversation) Fold(e transcript.Event) {
	if _, ok := e.(transcript.UserChunk); ok {
		c.Gate.UserSpoke()
	}
	c.Session.Record.Add(e)
}

// HasAnswer reports whether the model has answered the prompt at least in part.
func (c *Conversation) HasAnswer(promptID string) bool {
	return FromHistory(c.Session.Record, func(h *transcript.History) bool { return h.Answered(promptID) })
}

// LastMessage returns the ID of the last message.
func (c *Conversation) LastMessage() string {
	return FromHistory(c.Session.Record, (*transcript.History).LastMessage)
}

// Touch records the path of a successful call.
func (c *Conversation) Touch(path string) {
	if checker := c.Session.Checker(); checker != nil {
		checker.Expect(path)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if path != "" && !slices.Contains(c.touched, path) {
		c.touched = append(c.touched, path)
	}
}

// TakeTouched returns the paths of the successful calls since it was called last.
func (c *Conversation) TakeTouched() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.touched
	c.touched = nil
	return l
}
