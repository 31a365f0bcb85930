package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// How says when a prompt reaches the model that is injected while a turn runs.
type How string

// The ways to inject a prompt. With no turn running all three begin one.
const (
	Steer     How = "steer"     // at the running turn's next tool boundary
	Queue     How = "queue"     // after the turn, as one of its own
	Interrupt How = "interrupt" // at once: the running turn is cancelled
)

// ParseHow reads a way to inject a prompt.
func ParseHow(s string) (How, error) {
	switch h := How(s); h {
	case Steer, Queue, Interrupt:
		return h, nil
	}
	return "", fmt.Errorf("how a prompt is injected is steer, queue or interrupt, not %q", s)
}

// Injected tells where an injected prompt stands.
type Injected struct {
	TurnID   string // the turn that it is part of
	Position int    // how many injected prompts wait before it
	Behind   bool   // it waits for a turn that runs
	// Run takes the prompt's own turn to its end, once everything before it is
	// over; it is to be called exactly once. It is nil for a prompt that the
	// running turn takes up.
	Run func(ctx context.Context) (Ended, error)
}

// queued is a prompt that waits for its turn.
type queued struct {
	turnID string
	how    How
	prompt Prompt
}

// Inject adds a prompt to what the session does. Prompts that wait keep the
// order they came in; one that interrupts goes before them.
func (s *Session) Inject(ctx context.Context, p Prompt, how How) (Injected, error) {
	if err := p.check(); err != nil {
		return Injected{}, err
	}
	if p.Snapshot == nil {
		p.Snapshot = s.agent.o.Workspace.Snapshot()
	}
	p.messageID = s.agent.o.NewID()
	for {
		s.mu.Lock()
		if s.gone || s.ending {
			s.mu.Unlock()
			return Injected{}, fmt.Errorf("%s was closed: %w", s.id, ErrUnknownSession)
		}
		if t := s.running; s.taken != aTurn || s.over || t != nil && s.stored {
			in, e := s.accept(p, how)
			recorded := s.note(e)
			s.mu.Unlock()
			if err := recorded(); err != nil {
				s.dismiss(p.messageID)
				return Injected{}, err
			}
			return in, nil
		}
		moved := s.moved
		s.mu.Unlock()
		select { // a turn is about to run
		case <-moved:
		case <-ctx.Done():
			return Injected{}, context.Cause(ctx)
		}
	}
}

// accept gives a prompt to the turn that runs, or puts it among those that wait;
// s.mu is held.
func (s *Session) accept(p Prompt, how How) (Injected, Queued) {
	e := Queued{MessageID: p.messageID, Blocks: p.Blocks}
	t := s.running
	if _, commanded := commandOf(p); how == Steer && t != nil && !t.deaf && !commanded {
		t.steers = append(t.steers, p)
		e.TurnID, e.Steer = t.id, true
		return Injected{TurnID: t.id, Position: len(t.steers) - 1, Behind: true}, e
	}
	q := &queued{turnID: s.agent.o.NewID(), how: how, prompt: p}
	e.TurnID = q.turnID
	at := len(s.waiting)
	if how == Interrupt || how == Steer && s.paused {
		at = 0
	}
	if how == Interrupt && t != nil && !s.over {
		t.interrupted = true
		t.stop("")
	}
	s.waiting = slices.Insert(s.waiting, at, q)
	s.paused = false // the user went on
	s.stir()
	return Injected{
		TurnID: q.turnID, Position: at, Behind: at > 0 || s.taken == aTurn,
		Run: func(ctx context.Context) (Ended, error) { return s.runQueued(ctx, q) },
	}, e
}

// note has it recorded that a prompt waits; what it gives waits until that is on
// the disk. Of a session that is not stored yet nothing is: its first prompt is
// about to be said. s.mu is held.
func (s *Session) note(e Queued) (recorded func() error) {
	switch t := s.running; {
	case t != nil:
		p := t.box.send(e)
		return func() error { return t.box.wait(p) }
	case s.stored:
		return func() error { return s.log.append(record{At: s.agent.now(), Event: e}, true) }
	}
	return func() error { return nil }
}

// dismiss forgets a prompt that could not be recorded.
func (s *Session) dismiss(messageID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = slices.DeleteFunc(s.waiting, func(q *queued) bool { return q.prompt.messageID == messageID })
	if t := s.running; t != nil {
		t.steers = slices.DeleteFunc(t.steers, func(p Prompt) bool { return p.messageID == messageID })
	}
	s.stir()
}

// runQueued waits for what is before a prompt and runs its turn. The user who
// cancels it meanwhile takes it back; when the process ends, or the turn cannot
// begin, the next turn takes it up, in whatever process.
func (s *Session) runQueued(ctx context.Context, q *queued) (Ended, error) {
	for {
		if ctx.Err() != nil {
			s.leaveTo(q, context.Cause(ctx))
			return Ended{}, context.Cause(ctx)
		}
		s.mu.Lock()
		first := len(s.waiting) > 0 && s.waiting[0] == q && !s.paused
		switch {
		case !slices.Contains(s.waiting, q):
			s.mu.Unlock()
			return Ended{}, fmt.Errorf("turn %s was removed: %w", q.turnID, ErrNotQueued)
		case s.gone, s.ending:
			s.leaveQueue(q)
			s.mu.Unlock()
			return Ended{}, fmt.Errorf("%s was closed: %w", s.id, ErrUnknownSession)
		case first && s.taken == nobody:
			s.leaveQueue(q)
			s.takeFor(aTurn)
			s.mu.Unlock()
			defer s.finish()
			end, err := s.runTurn(ctx, q.turnID, q.prompt)
			if err != nil && end.TurnID == "" {
				s.leaveTo(q, err)
			}
			return end, err
		}
		moved := s.moved
		s.mu.Unlock()
		select {
		case <-moved:
		case <-ctx.Done():
		}
	}
}

// endTurns lets no turn begin any more, and ends the one that runs.
func (s *Session) endTurns() {
	s.mu.Lock()
	s.ending = true
	s.stir()
	s.mu.Unlock()
	s.Cancel("")
}

// leaveTo leaves a prompt to the next turn, or forgets it when it is the user who
// wants it so.
func (s *Session) leaveTo(q *queued, why error) {
	s.mu.Lock()
	s.leaveQueue(q)
	stored := s.stored
	if !errors.Is(why, ErrCancelled) {
		s.unsaid = append(s.unsaid, Queued{TurnID: q.turnID, MessageID: q.prompt.messageID, Blocks: q.prompt.Blocks})
	}
	s.mu.Unlock()
	if stored && errors.Is(why, ErrCancelled) {
		s.keep(Unqueued{q.prompt.messageID})
	}
}

// leaveQueue takes a prompt out of those that wait; s.mu is held.
func (s *Session) leaveQueue(q *queued) {
	s.waiting = slices.DeleteFunc(s.waiting, func(o *queued) bool { return o == q })
	s.stir()
}

// steer has the model read what the user said since the last step; false when
// there is nothing, or hooks leave nothing of it. The turn takes up no more once
// last has found nothing.
func (t *turn) steer(ctx context.Context, last bool) bool {
	s := t.session
	s.mu.Lock()
	steers := t.steers
	t.steers = nil
	t.deaf = t.deaf || last && len(steers) == 0
	s.mu.Unlock()
	heard := false
	for _, p := range steers {
		t.say(ctx, p.messageID, p, true)
		heard = t.heard(ctx, p) || heard
	}
	return heard
}

// unheard records what no step took up before the turn ended: the model reads
// it with the next prompt, or not at all when it goes the way of this turn's.
func (t *turn) unheard(ctx context.Context, withdrawn bool) {
	s := t.session
	s.mu.Lock()
	steers := t.steers
	t.steers, t.deaf = nil, true
	s.mu.Unlock()
	for _, p := range steers {
		t.say(ctx, p.messageID, p, true)
		if withdrawn {
			t.emit(Withdrawn{p.messageID})
		} else {
			t.heard(ctx, p)
		}
	}
}
