package agent

import (
	"context"
	"errors"
	"slices"

	"github.com/emendo-dev/emendo/agent/slash"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// followOrphans updates the orphaned prompts from records of the log, including prompts that
// are queued in this process. lost are those that a rewind removed.
func (l *sessionLoop) followOrphans(rs []transcript.Record, lost []bool) {
	gone := map[string]bool{} // message IDs of prompts that were sent or removed
	for i, r := range rs {
		switch e := r.Event.(type) { //nolint:gochecksumtype // the other events do not change what is queued
		case transcript.UserChunk: // a prompt that was rewound is not queued again
			l.orphaned = slices.DeleteFunc(l.orphaned, func(q transcript.Queued) bool { return q.MessageID == e.MessageID || !q.Steer && q.TurnID == r.Turn })
			gone[e.MessageID] = true
		case transcript.Unqueued:
			l.orphaned = slices.DeleteFunc(l.orphaned, func(q transcript.Queued) bool { return q.MessageID == e.MessageID })
			gone[e.MessageID] = true
		case transcript.Queued:
			delete(gone, e.MessageID)
			if !lost[i] {
				l.orphaned = append(l.orphaned, e)
			}
		}
	}
	l.dropRestored(gone)
}

// takeOrphans takes the queued prompts that no turn of this process sends; with restores not
// those that steered a turn.
func (s *Session) takeOrphans(restores bool) (taken []transcript.Queued) {
	s.inspect(func(l *sessionLoop) { // the caller holds the session, so it is not closed
		var stay []transcript.Queued
		for _, q := range l.orphaned {
			t := l.running
			switch {
			case t != nil && (t.ID == q.TurnID || slices.ContainsFunc(l.steers, func(t *Turn) bool { return t.prompt.MessageID == q.MessageID })):
			case slices.ContainsFunc(l.queue, func(t *Turn) bool { return t.ID == q.TurnID }):
			case restores && q.Steer:
				stay = append(stay, q)
			default:
				taken = append(taken, q)
			}
		}
		l.orphaned = stay
	})
	return taken
}

// recallOrphans adds the prompts that were queued when a process ended to the
// conversation, so that they are sent with the next prompt. It does nothing while a
// turn runs, here or in another process: every turn recalls them when it starts.
func (s *Session) recallOrphans(ctx context.Context) error {
	return s.whileOrphans(ctx, func() error { return s.recallLockedOrphans(ctx) })
}

// whileOrphans calls f if there are such prompts and no turn runs. The session is held
// and its log is locked during the call.
func (s *Session) whileOrphans(ctx context.Context, f func() error) error {
	some := false
	s.inspect(func(l *sessionLoop) { some = len(l.orphaned) > 0 })
	if !some {
		return nil
	}
	err := s.acquire(ctx)
	if err == nil {
		defer s.release()
		if err = s.lockLog(ctx); err == nil {
			defer s.unlockLog()
			err = f()
		}
	}
	if errors.Is(err, transcript.ErrBusy) {
		return nil
	}
	return err
}

func (s *Session) recallLockedOrphans(ctx context.Context) error {
	l := s.takeOrphans(false)
	if len(l) == 0 {
		return nil
	}
	var rs []transcript.Record
	for _, q := range l {
		add := func(e transcript.Event) {
			rs = append(rs, transcript.Record{Turn: q.TurnID, At: s.agent.Process.Now(), Event: e})
		}
		parts, withheld := s.State.Briefing.Linked(ctx, q.Blocks, s.agent.Process.Options.Workspace.Snapshot())
		for _, n := range withheld {
			add(n)
		}
		for _, g := range parts {
			g.MessageID = q.MessageID
			add(g)
		}
		aside := slash.Is(ctx, s.State, state.Prompt{Blocks: q.Blocks})
		for _, b := range q.Blocks {
			add(transcript.UserChunk{MessageID: q.MessageID, Block: b, Steer: q.Steer, Aside: aside})
		}
	}
	rs = append(rs, transcript.Record{Turn: l[len(l)-1].TurnID, At: s.agent.Process.Now(), Event: transcript.Notice{
		Severity: transcript.Info, Code: transcript.NoticeStopped, Title: "Queued prompt was not sent",
		Description: "emendo exited first; it will be sent with your next prompt.",
	}})
	for i, r := range rs {
		if transcript.Shown(r.Event) {
			r.Seq = s.State.Record.NextSeq()
		}
		if err := s.State.Log.Append(r, i == len(rs)-1); err != nil {
			s.rereadLog()
			return err
		}
		s.State.Record.Add(r.Event)
	}
	return nil
}
