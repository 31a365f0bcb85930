package state

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/agent/gate"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// Conversation adds the events of a turn to its session: to the history, the log
// and the client.
type Conversation struct {
	Session *Session
	Outbox  *Outbox
	Gate    *gate.Turn

	Mu      sync.Mutex // guards the session's history too
	Touched []string   // paths of calls since the last step
	used    int64      // tokens of the conversation, estimated or as the provider counts them
}

// Messages returns the conversation as the model reads it, and its context items.
func (c *Conversation) Messages() ([]model.Message, []transcript.ContextItem) {
	s := c.Session
	left := s.Exclusions()
	c.Mu.Lock()
	defer c.Mu.Unlock()
	s.History.Left = left
	return s.History.Request(), s.History.Items()
}

// TokensUsed returns the number of tokens in the conversation, as far as known.
// When calls end at the same time, it may miss what one of them added.
func (c *Conversation) TokensUsed() int64 {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.used
}

// SetTokensUsed sets the number of tokens in the conversation.
func (c *Conversation) SetTokensUsed(used int64) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.used = used
}

// Untrusted returns the untrusted content that the model has read since the user's
// last message.
func (c *Conversation) Untrusted() transcript.Untrusted {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.Session.History.Untrusted()
}

// Outsiders returns the authors of all untrusted content that the session has read.
func (c *Conversation) Outsiders() []tools.Author {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.Session.History.Outsiders()
}

// Named reports whether the user or a search named an address, see
// [transcript.History.Named].
func (c *Conversation) Named(url string) bool {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.Session.History.Named(url)
}

// Tasks returns the state of the session's task list.
func (c *Conversation) Tasks() json.RawMessage {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.Session.History.Tasks
}

// SentStates returns the states of a change set's hunks that the model last read.
func (c *Conversation) SentStates(changeSet string) (string, bool) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.Session.History.SentStates(changeSet)
}

// Emit adds an event to the history and the outbox.
func (c *Conversation) Emit(e transcript.Event) {
	e = transcript.Redacted(e, c.Session.Agent.Options.Secrets)
	c.Fold(e)
	c.Outbox.Put(e)
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
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.Session.History.Add(e)
}

// HasAnswer reports whether the model has answered the prompt at least in part.
func (c *Conversation) HasAnswer(promptID string) bool {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.Session.History.Answered(promptID)
}

// LastMessage returns the ID of the last message.
func (c *Conversation) LastMessage() string {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.Session.History.LastMessage()
}

// Touch records the path of a successful call.
func (c *Conversation) Touch(path string) {
	c.Session.expectEdit(path)
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if path != "" && !slices.Contains(c.Touched, path) {
		c.Touched = append(c.Touched, path)
	}
}
