package state

import (
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/agent/gate"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// Conversation is what a turn adds to its session's: every event goes through it
// into the history and out.
type Conversation struct {
	Session *Session
	Outbox  *Outbox
	Gate    *gate.Turn

	Mu      sync.Mutex // guards the session's history too
	Touched []string   // where calls were since the last step
	used    int64      // tokens that the conversation takes in the model, as far as is known
}

// Messages is what the model is shown of the conversation, also item by item.
func (c *Conversation) Messages() ([]model.Message, []transcript.ContextItem) {
	s := c.Session
	left := s.Exclusions()
	c.Mu.Lock()
	defer c.Mu.Unlock()
	s.History.Left = left
	return s.History.Request(), s.History.Items()
}

// TokensUsed is how many tokens the conversation takes in the model, as far as is
// known. Of calls that end side by side one may miss what another has added.
func (c *Conversation) TokensUsed() int64 {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.used
}

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
	return c.Session.History.Untrusted
}

// UntrustedOrigin returns the untrusted origin of something that the session has read;
// empty when there was none.
func (c *Conversation) UntrustedOrigin() tools.Origin {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.Session.History.Mixed
}

// SentStates returns the states of a change set's hunks when the model last read of it.
func (c *Conversation) SentStates(changeSet string) (string, bool) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.Session.History.SentStates(changeSet)
}

// Emit folds an event into the history and puts it into the outbox.
func (c *Conversation) Emit(e transcript.Event) {
	e = c.Session.Agent.redacted(e)
	c.Fold(e)
	c.Outbox.Put(e)
}

// EmitSynced is emit, and the event is on the disk before it is shown. It does not
// wait for that: calls of the model run only once the log is known to be whole.
func (c *Conversation) EmitSynced(e transcript.Event) {
	e = c.Session.Agent.redacted(e)
	c.Fold(e)
	c.Outbox.putSynced(e)
}

// EmitDurably is emit, and the event is on the disk when it returns.
func (c *Conversation) EmitDurably(e transcript.Event) error {
	e = c.Session.Agent.redacted(e)
	c.Fold(e)
	return c.Outbox.Flush(e)
}

func (c *Conversation) Fold(e transcript.Event) {
	if _, ok := e.(transcript.UserChunk); ok {
		c.Gate.UserSpoke()
	}
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.Session.History.Add(e)
}

// HasAnswer says whether anything of the model's follows the prompt.
func (c *Conversation) HasAnswer(promptID string) bool {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.Session.History.Answered(promptID)
}

func (c *Conversation) LastMessage() string {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.Session.History.LastMessage()
}

// Touch notes where a successful call was.
func (c *Conversation) Touch(path string) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if path != "" && !slices.Contains(c.Touched, path) {
		c.Touched = append(c.Touched, path)
	}
}
