package agent

import (
	"errors"
	"fmt"
	"slices"
)

// ErrNotQueued means that a prompt is not queued, or not any more.
var ErrNotQueued = errors.New("no such prompt is queued; it may have been sent already")

// ErrSteersCommand means that a prompt that steers a running turn was to become a
// slash command, which is not for the model.
var ErrSteersCommand = errors.New("a slash command cannot steer a running turn; remove the prompt, and send the command")

// Waiting is a prompt that was injected and that the model has not got yet.
type Waiting struct {
	TurnID    string // the turn that it is part of
	MessageID string
	How       How
	Blocks    []Block
}

// A QueueEdit changes one prompt of a session's queue.
type QueueEdit struct {
	TurnID    string
	MessageID string  // tells prompts that steer the same turn apart; empty: the first of the turn
	Blocks    []Block // in place of those it has; nil: it keeps them
	Position  *int    // where it goes among those that become turns; nil: it stays
	Remove    bool
}

// Queue lists the prompts that wait, in the order in which the model gets them,
// and reports whether they stand still since the user cancelled a turn.
func (s *Session) Queue() (l []Waiting, paused bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.running; t != nil {
		for _, p := range t.steers {
			l = append(l, Waiting{t.id, p.messageID, Steer, p.Blocks})
		}
	}
	for _, q := range s.waiting {
		l = append(l, Waiting{q.turnID, q.prompt.messageID, q.how, q.prompt.Blocks})
	}
	return l, s.paused
}

// ResumeQueue has the prompts that stand still run.
func (s *Session) ResumeQueue() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paused = false
	s.stir()
}

// EditQueue changes a prompt that waits.
func (s *Session) EditQueue(e QueueEdit) error {
	if e.Blocks != nil {
		if err := (Prompt{Blocks: e.Blocks}).check(); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	is := func(turnID, messageID string) bool {
		return turnID == e.TurnID && (e.MessageID == "" || messageID == e.MessageID)
	}
	if t := s.running; t != nil {
		if i := slices.IndexFunc(t.steers, func(p Prompt) bool { return is(t.id, p.messageID) }); i >= 0 {
			return s.editSteer(t, i, e)
		}
	}
	i := slices.IndexFunc(s.waiting, func(q *queued) bool { return is(q.turnID, q.prompt.messageID) })
	if i < 0 {
		return fmt.Errorf("turn %s: %w", e.TurnID, ErrNotQueued)
	}
	q, before := s.waiting[i], slices.Clone(s.waiting)
	if e.Blocks != nil {
		q.prompt.Blocks = e.Blocks
	}
	s.waiting = slices.Delete(s.waiting, i, i+1)
	if !e.Remove {
		if e.Position != nil {
			i = min(max(*e.Position, 0), len(s.waiting))
		}
		s.waiting = slices.Insert(s.waiting, i, q)
	}
	s.paused = s.paused && len(s.waiting) > 0
	s.stir()
	return s.noteQueue(before)
}

// editSteer changes a prompt that the running turn takes up; s.mu is held.
func (s *Session) editSteer(t *turn, i int, e QueueEdit) error {
	p := &t.steers[i]
	if _, commanded := commandOf(Prompt{Blocks: e.Blocks}); commanded && !e.Remove {
		return fmt.Errorf("turn %s: %w", t.id, ErrSteersCommand)
	}
	t.box.slip(Unqueued{p.messageID})
	if e.Remove {
		t.steers = slices.Delete(t.steers, i, i+1)
		return nil
	}
	if e.Blocks != nil {
		p.Blocks = e.Blocks
	}
	t.box.slip(Queued{TurnID: t.id, MessageID: p.messageID, Blocks: p.Blocks, Steer: true})
	return nil
}

// noteQueue records the prompts that wait in their new order in place of those
// that waited before; s.mu is held, so that none of them begins meanwhile.
func (s *Session) noteQueue(before []*queued) error {
	var es []Event
	for _, q := range before {
		es = append(es, Unqueued{q.prompt.messageID})
	}
	for _, q := range s.waiting {
		es = append(es, Queued{TurnID: q.turnID, MessageID: q.prompt.messageID, Blocks: q.prompt.Blocks})
	}
	for _, e := range es {
		switch t := s.running; {
		case t != nil:
			t.box.slip(e)
		case s.stored:
			if err := s.log.append(record{At: s.agent.now(), Event: e}, false); err != nil {
				return fmt.Errorf("recording the queue of %s: %w", s.id, err)
			}
		}
	}
	return nil
}

// pause has the queue stand still after the user cancelled a turn, where the
// user sees it; s.mu is held.
func (s *Session) pause(t *turn) {
	s.paused = len(s.waiting) > 0 && !t.interrupted && s.agent.client.Abilities().Queue
}
