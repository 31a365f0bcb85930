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
	Box     *outbox
	Gate    *gate.Turn

	Mu      sync.Mutex // guards the session's history too
	Touched []string   // where calls were since the last step
	used    int64      // tokens that the conversation takes in the model, as far as is known
}

// Shown is what the model is shown of the conversation, also item by item.
func (c *Conversation) Shown() ([]model.Message, []transcript.ContextItem) {
	s := c.Session
	left := s.LeftOut()
	c.Mu.Lock()
	defer c.Mu.Unlock()
	s.History.Left = left
	return s.History.Request(), s.History.Items()
}

// Full is how many tokens the conversation takes in the model, as far as is
// known. Of calls that end side by side one may miss what another has added.
func (c *Conversation) Full() int64 {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.used
}

func (c *Conversation) Fill(used int64) {
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

// Mixed returns the untrusted origin of something that the session has read;
// empty when there was none.
func (c *Conversation) Mixed() tools.Origin {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.Session.History.Mixed
}

// Sent returns the states of a change set's hunks when the model last read of it.
func (c *Conversation) Sent(changeSet string) (string, bool) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.Session.History.SentStates(changeSet)
}

// Emit folds an event into the history and puts it into the outbox.
func (c *Conversation) Emit(e transcript.Event) {
	e = c.Session.Agent.discreet(e)
	c.Fold(e)
	c.Box.Put(e)
}

// EmitSynced is emit, and the event is on the disk before it is shown. It does not
// wait for that: calls of the model run only once the log is known to be whole.
func (c *Conversation) EmitSynced(e transcript.Event) {
	e = c.Session.Agent.discreet(e)
	c.Fold(e)
	c.Box.putSynced(e)
}

// EmitDurably is emit, and the event is on the disk when it returns.
func (c *Conversation) EmitDurably(e transcript.Event) error {
	e = c.Session.Agent.discreet(e)
	c.Fold(e)
	return c.Box.Settle(e)
}

func (c *Conversation) Fold(e transcript.Event) {
	if _, ok := e.(transcript.UserChunk); ok {
		c.Gate.UserSpoke()
	}
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.Session.History.Add(e)
}

// Produced says whether anything of the model's follows the prompt.
func (c *Conversation) Produced(promptID string) bool {
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
