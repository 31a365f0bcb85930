package agent

import (
	"context"
	"fmt"
	"slices"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// permitted takes a call that is no edit through the gate; false when it may not
// act, with which it has ended. Of calls that wait with the same question one is
// asked about: a refusal is an answer to all of them, leave only to that one.
func (c *call) permitted(ctx context.Context) bool {
	s := c.turn.session
	for waited := false; ; {
		v := c.stricter(c.turn.decide(c.tool.Spec(), c.made.Args, c.action.Effect))
		c.open = v.open
		switch v.kind {
		case allow:
			return true
		case ask:
		case deny, review:
			c.deny(v)
			return false
		}
		if !waited {
			waited = true
			c.update(transcript.ToolUpdate{State: transcript.AwaitingApproval})
		}
		q, mine := s.join(c.questionKey())
		if mine {
			defer s.leave(q)
			return c.asked(ctx, v, q)
		}
		select {
		case <-q.answered:
		case <-ctx.Done():
			c.end(cancelledResult(""))
			return false
		}
		if q.refusal != nil {
			c.end(*q.refusal)
			return false
		}
	}
}

// asked puts the question, unless the user has refused the same before; false
// when the call has ended with the refusal.
func (c *call) asked(ctx context.Context, v verdict, q *openQuestion) bool {
	if c.turn.wasRefused(q.key) {
		c.end(tools.Result{Err: tools.Errorf(tools.PolicyViolation, "The user refused exactly this before, and has said nothing since; it is not asked again. Go on another way, or say in your answer why it is needed.")})
		return false
	}
	r := c.ask(ctx, v)
	if r == nil {
		return true
	}
	c.end(*r)
	if ctx.Err() == nil { // else it says nothing about the others
		c.turn.refuse(q.key)
		q.refusal = r
	}
	return false
}

// refuse remembers what the user refused, until something else is said.
func (t *turn) refuse(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refused = append(t.refused, key)
}

func (t *turn) wasRefused(key string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Contains(t.refused, key)
}

// openQuestion is one that the user was asked and has not answered.
type openQuestion struct {
	key      string
	answered chan struct{}
	refusal  *tools.Result // once answered; nil when there was leave
}

// questionKey is the same for calls that the same question is asked about: those
// with the same effect, and of the same tool with the same arguments where the
// effect does not say all that the call does.
func (c *call) questionKey() string {
	key := fmt.Sprintf("%T %+v", c.action.Effect, c.action.Effect)
	switch e := c.action.Effect.(type) {
	case tools.Reads:
		if len(e.Paths) > 0 {
			return key
		}
	case tools.Runs, tools.Ends, tools.Presents, tools.Remembers, tools.Edits:
		return key
	case nil, tools.Notes, tools.Asks, tools.Plans, tools.Sends:
	}
	return key + " " + c.made.Name + " " + string(c.made.Args)
}

// join gives the question that is open about the same; mine when it is new,
// and has to be asked and left.
func (s *Session) join(key string) (q *openQuestion, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q := s.asked[key]; q != nil {
		return q, false
	}
	if s.asked == nil {
		s.asked = map[string]*openQuestion{}
	}
	q = &openQuestion{key: key, answered: make(chan struct{})}
	s.asked[key] = q
	return q, true
}

func (s *Session) leave(q *openQuestion) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.asked, q.key)
	close(q.answered)
}
