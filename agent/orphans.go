package agent

import (
	"context"
	"errors"
	"slices"

	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/turn"
)

// orphanRecords updates the orphaned prompts from records of the log. [orphans]
// leaves out those that are queued in this process.
type orphanRecords struct {
	records []transcript.Record
	lost    []bool // removed by a rewind
	reset   bool   // forget what is known: all records follow
}

func (m *orphanRecords) handle(l *sessionLoop) bool {
	if m.reset {
		l.orphaned = nil
	}
	for i, r := range m.records {
		switch e := r.Event.(type) { //nolint:gochecksumtype // the other events do not change what is queued
		case transcript.UserChunk: // a prompt that was rewound is not queued again
			l.orphaned = slices.DeleteFunc(l.orphaned, func(q transcript.Queued) bool { return q.MessageID == e.MessageID || !q.Steer && q.TurnID == r.Turn })
		case transcript.Unqueued:
			l.orphaned = slices.DeleteFunc(l.orphaned, func(q transcript.Queued) bool { return q.MessageID == e.MessageID })
		case transcript.Queued:
			if !m.lost[i] {
				l.orphaned = append(l.orphaned, e)
			}
		}
	}
	return true
}

// orphans takes the queued prompts that no turn of this process will send.
type orphans struct{ reply chan<- []transcript.Queued }

func (m *orphans) handle(l *sessionLoop) bool {
	m.reply <- slices.DeleteFunc(l.orphaned, func(q transcript.Queued) bool {
		if t := l.running; t != nil && (t.ID == q.TurnID || slices.ContainsFunc(l.steers, func(t *Turn) bool { return t.prompt.MessageID == q.MessageID })) {
			return true
		}
		return slices.ContainsFunc(l.queue, func(t *Turn) bool { return t.ID == q.TurnID })
	})
	l.orphaned = nil
	return true
}

func (s *Session) takeOrphaned() []transcript.Queued {
	reply := make(chan []transcript.Queued, 1)
	l, _ := request(context.Background(), s, &orphans{reply}, reply) // the caller holds the session, so it is not closed
	return l
}

// recall adds the prompts that were queued when a process ended to the
// conversation, so that they are sent with the next prompt. While a turn runs, here
// or in another process, there is nothing to do: every turn starts with that.
func (s *Session) recall(ctx context.Context) error {
	some := false
	s.inspect(func(l *sessionLoop) { some = len(l.orphaned) > 0 })
	if !some {
		return nil
	}
	err := s.acquire(ctx)
	if err == nil {
		defer s.release()
		if err = s.records.lock(ctx); err == nil {
			defer s.records.unlock()
			err = s.recallLocked(ctx)
		}
	}
	if errors.Is(err, transcript.ErrBusy) {
		return nil
	}
	return err
}

func (s *Session) recallLocked(ctx context.Context) error {
	l := s.takeOrphaned()
	if len(l) == 0 {
		return nil
	}
	var rs []transcript.Record
	for _, q := range l {
		add := func(e transcript.Event) {
			rs = append(rs, transcript.Record{Turn: q.TurnID, At: s.agent.Now(), Event: e})
		}
		parts, withheld := s.Briefing.Linked(ctx, q.Blocks, s.agent.Options.Workspace.Snapshot())
		for _, n := range withheld {
			add(n)
		}
		for _, g := range parts {
			g.MessageID = q.MessageID
			add(g)
		}
		_, aside := turn.CommandOf(state.Prompt{Blocks: q.Blocks})
		for _, b := range q.Blocks {
			add(transcript.UserChunk{MessageID: q.MessageID, Block: b, Steer: q.Steer, Aside: aside})
		}
	}
	rs = append(rs, transcript.Record{Turn: l[len(l)-1].TurnID, At: s.agent.Now(), Event: transcript.Notice{
		Severity: transcript.Info, Code: transcript.NoticeStopped, Title: "Queued prompt was not sent",
		Description: "emendo exited first; it will be sent with your next prompt.",
	}})
	for i, r := range rs {
		if transcript.Shown(r.Event) {
			r.Seq = s.NextSeq()
		}
		if err := s.Log.Append(r, i == len(rs)-1); err != nil {
			s.records.reread()
			return err
		}
		s.History.Add(r.Event)
	}
	return nil
}
