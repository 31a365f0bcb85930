package agent

import (
	"context"
	"fmt"
	"slices"

	"github.com/emendo-dev/emendo/tools"
)

// permitted takes a call that is no edit through the gate; false when it may not
// act, with which it has ended. Of calls that wait with the same question one is
// asked about: a refusal is an answer to all of them, leave only to that one.
func (c *call) permitted(ctx context.Context) bool {
	s := c.turn.session
	for waited := false; ; {
		v := c.stricter(c.turn.decide(c.tool.Spec(), c.made.Args, c.action.Effect))
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
			c.update(ToolUpdate{State: AwaitingApproval})
		}
		key := questionKey(c.action.Effect)
		if t := c.turn; t.wasRefused(key) {
			c.end(tools.Result{Err: tools.Errorf(tools.PolicyViolation, "The user refused exactly this before, and has said nothing since; it is not asked again. Go on another way, or say in your answer why it is needed.")})
			return false
		}
		q, mine := s.join(key)
		if mine {
			var refusal *tools.Result
			defer func() { s.leave(q, refusal) }()
			refusal = c.ask(ctx, v)
			if refusal != nil {
				c.end(*refusal)
				if ctx.Err() != nil {
					refusal = nil // it says nothing about the others
				} else {
					c.turn.refuse(key)
				}
				return false
			}
			return true
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

// questionKey is the same for effects that the same question is asked about.
func questionKey(e tools.Effect) string { return fmt.Sprintf("%T %+v", e, e) }

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

func (s *Session) leave(q *openQuestion, refusal *tools.Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.asked, q.key)
	q.refusal = refusal
	close(q.answered)
}
