package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/emendo-dev/emendo/agent/slash"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// ErrNotQueued means that a prompt is not in the queue, or not any more.
var ErrNotQueued = errors.New("the prompt is not queued; it may have been sent already")

// ErrSteersCommand means that a steering prompt was changed into a slash command,
// which cannot go to the model.
var ErrSteersCommand = errors.New("a slash command cannot steer a running turn; remove the prompt and send the command")

// Waiting is a queued prompt that has not been sent to the model.
type Waiting struct {
	TurnID    string // the turn that it belongs to
	MessageID string
	How       How
	Blocks    []transcript.Block
}

// A QueueEdit changes one prompt of a session's queue.
type QueueEdit struct {
	TurnID    string
	MessageID string             // selects one of several prompts that steer the same turn; empty: the first
	Blocks    []transcript.Block // new content; nil: unchanged
	Position  *int               // new index among the prompts that become turns; nil: unchanged
	Remove    bool
}

// Queue lists the queued prompts in the order of sending, and reports whether the
// queue is paused because the user cancelled a turn.
func (s *Session) Queue() (list []Waiting, paused bool) {
	s.inspect(func(l *sessionLoop) {
		var turns []*Turn
		if l.running != nil {
			turns = slices.Clone(l.steers)
		}
		for _, t := range append(turns, l.queue...) {
			how := t.how
			if t.Steers {
				how = Steer
			}
			list = append(list, Waiting{t.ID, t.prompt.MessageID, how, t.prompt.Blocks})
		}
		paused = l.paused
	})
	return list, paused
}

// ResumeQueue resumes the queue after a cancelled turn.
func (s *Session) ResumeQueue() {
	s.send(func(l *sessionLoop) error { l.paused = false; return nil })
}

// editQueue changes a queued prompt, whose new content is a slash command if commands is set.
// recorded is as for recordQueue.
func (l *sessionLoop) editQueue(e QueueEdit, commands bool) (recorded func() error, err error) {
	is := func(t *Turn) bool {
		return t.ID == e.TurnID && (e.MessageID == "" || t.prompt.MessageID == e.MessageID)
	}
	if l.running != nil {
		if i := slices.IndexFunc(l.steers, is); i >= 0 {
			return nil, l.editSteer(i, e, commands)
		}
	}
	i := slices.IndexFunc(l.queue, is)
	if i < 0 {
		return nil, fmt.Errorf("turn %s: %w", e.TurnID, ErrNotQueued)
	}
	t, before := l.queue[i], slices.Clone(l.queue)
	if e.Blocks != nil {
		t.prompt.Blocks = e.Blocks
	}
	l.queue = slices.Delete(l.queue, i, i+1)
	if e.Remove {
		t.finish(state.Ended{}, fmt.Errorf("turn %s was removed: %w", t.ID, ErrNotQueued))
	} else {
		if e.Position != nil {
			i = min(max(*e.Position, 0), len(l.queue))
		}
		l.queue = slices.Insert(l.queue, i, t)
	}
	l.paused = l.paused && len(l.queue) > 0
	return l.recordQueue(before), nil
}

// editSteer changes a prompt that steers the running turn.
func (l *sessionLoop) editSteer(i int, e QueueEdit, commands bool) error {
	t := l.steers[i]
	if commands && !e.Remove {
		return fmt.Errorf("turn %s: %w", t.ID, ErrSteersCommand)
	}
	l.record(transcript.Unqueued{MessageID: t.prompt.MessageID})
	if e.Remove {
		l.steers = slices.Delete(l.steers, i, i+1)
		return nil
	}
	if e.Blocks != nil {
		t.prompt.Blocks = e.Blocks
	}
	l.record(t.queued())
	return nil
}

// recordQueue records the queued prompts in their new order. before is the queue
// that the log has. The returned function waits for the write; it is nil if there
// is nothing to wait for.
func (l *sessionLoop) recordQueue(before []*Turn) (recorded func() error) {
	var es []transcript.Event
	for _, t := range before {
		es = append(es, transcript.Unqueued{MessageID: t.prompt.MessageID})
	}
	for _, t := range l.queue {
		es = append(es, t.queued())
	}
	if l.running == nil && !l.session.State.Record.IsStored() {
		return nil
	}
	if l.running != nil {
		l.record(es...)
		return nil
	}
	var writes []*state.Delivery
	for _, e := range es {
		writes = append(writes, l.session.State.Outbox.Enqueue(e))
	}
	return func() (err error) {
		for _, w := range writes {
			err = errors.Join(err, w.Wait())
		}
		return err
	}
}

// EditQueue changes a queued prompt.
func (s *Session) EditQueue(e QueueEdit) error {
	commands := false
	if e.Blocks != nil {
		p := state.Prompt{Blocks: e.Blocks}
		if err := slash.Check(context.Background(), s.State, p); err != nil {
			return err
		}
		commands = slash.Is(context.Background(), s.State, p)
	}
	var recorded func() error
	err := s.ask(context.Background(), func(l *sessionLoop) (err error) {
		recorded, err = l.editQueue(e, commands)
		return err
	})
	if err != nil || recorded == nil {
		return err
	}
	if err := recorded(); err != nil {
		return fmt.Errorf("recording the queue of %s: %w", s.State.SessionID, err)
	}
	return nil
}
