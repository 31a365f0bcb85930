package agent

import (
	"context"
	"errors"
	"slices"
)

// Queued is a prompt that was accepted and is read later. It is queued until
// there is a [UserChunk] of its message or of its turn, or an [Unqueued]: what is
// queued when a process ends is not lost.
type Queued struct {
	TurnID    string  `json:"turnId"` // the turn that it is part of: its own, or the one that it steers
	MessageID string  `json:"messageId"`
	Blocks    []Block `json:"blocks"`
	Steer     bool    `json:"steer,omitempty"`
}

// Unqueued removes a queued prompt.
type Unqueued struct {
	MessageID string `json:"messageId"`
}

func (Queued) isEvent()   {}
func (Unqueued) isEvent() {}

// orphanRecords folds in which prompts are queued, as records say. Those that are
// queued in this process too are left out by [orphans].
type orphanRecords struct {
	records []record
	lost    []bool // taken out by a rewind
	reset   bool   // they are all records of the session
}

func (m *orphanRecords) handle(l *sessionLoop) bool {
	if m.reset {
		l.orphaned = nil
	}
	for i, r := range m.records {
		switch e := r.Event.(type) { //nolint:gochecksumtype // the other events do not change what is queued
		case UserChunk: // a prompt that was rewound is not queued again
			l.orphaned = slices.DeleteFunc(l.orphaned, func(q Queued) bool { return q.MessageID == e.MessageID || !q.Steer && q.TurnID == r.Turn })
		case Unqueued:
			l.orphaned = slices.DeleteFunc(l.orphaned, func(q Queued) bool { return q.MessageID == e.MessageID })
		case Queued:
			if !m.lost[i] {
				l.orphaned = append(l.orphaned, e)
			}
		}
	}
	return true
}

// orphans takes the queued prompts for which no turn of this process will begin.
type orphans struct{ reply chan<- []Queued }

func (m *orphans) handle(l *sessionLoop) bool {
	m.reply <- slices.DeleteFunc(l.orphaned, func(q Queued) bool {
		if t := l.running; t != nil && (t.id == q.TurnID || slices.ContainsFunc(t.steers, func(t *Turn) bool { return t.prompt.messageID == q.MessageID })) {
			return true
		}
		return slices.ContainsFunc(l.queue, func(t *Turn) bool { return t.ID == q.TurnID })
	})
	l.orphaned = nil
	return true
}

func (s *Session) takeOrphaned() []Queued {
	reply := make(chan []Queued, 1)
	l, _ := request(context.Background(), s, &orphans{reply}, reply) // whoever asks holds the session, so it is not closed
	return l
}

// sayOrphaned records, before the turn's own prompt, those that were queued when
// a process ended.
func (t *turn) sayOrphaned(ctx context.Context) {
	for _, q := range t.session.takeOrphaned() {
		t.say(ctx, q.MessageID, Prompt{Blocks: q.Blocks, Snapshot: t.prompt.Snapshot}, q.Steer)
	}
}

// recall makes the prompts that were queued when a process ended a part of the
// conversation: the next prompt carries them along. While a turn runs, here or in
// another process, there is nothing to do: a turn begins with that.
func (s *Session) recall(ctx context.Context) error {
	some := false
	s.inspect(func(l *sessionLoop) { some = len(l.orphaned) > 0 })
	if !some {
		return nil
	}
	err := s.acquire(ctx)
	if err == nil {
		defer s.release()
		if err = s.lock(ctx); err == nil {
			defer s.unlock()
			err = s.recallLocked(ctx)
		}
	}
	if errors.Is(err, ErrBusy) {
		return nil
	}
	return err
}

func (s *Session) recallLocked(ctx context.Context) error {
	l := s.takeOrphaned()
	if len(l) == 0 {
		return nil
	}
	var rs []record
	for _, q := range l {
		add := func(e Event) { rs = append(rs, record{Turn: q.TurnID, At: s.agent.now(), Event: e}) }
		parts, withheld := s.linked(ctx, Prompt{Blocks: q.Blocks, Snapshot: s.agent.o.Workspace.Snapshot()})
		for _, n := range withheld {
			add(n)
		}
		for _, g := range parts {
			g.MessageID = q.MessageID
			add(g)
		}
		_, aside := commandOf(Prompt{Blocks: q.Blocks})
		for _, b := range q.Blocks {
			add(UserChunk{MessageID: q.MessageID, Block: b, Steer: q.Steer, Aside: aside})
		}
	}
	rs = append(rs, record{Turn: l[len(l)-1].TurnID, At: s.agent.now(), Event: Notice{
		Severity: Info, Code: NoticeStopped, Title: "Queued prompt was not sent",
		Description: "emendo exited first; it will be sent with your next prompt.",
	}})
	for i, r := range rs {
		if shown(r.Event) {
			r.Seq = s.nextSeq()
		}
		if err := s.log.append(r, i == len(rs)-1); err != nil {
			s.reread()
			return err
		}
		s.history.add(r.Event)
	}
	return nil
}
