package agent

import (
	"context"
	"fmt"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// record records events, in the running turn if there is one.
func (l *sessionLoop) record(es ...transcript.Event) {
	for _, e := range es {
		l.session.State.Outbox.PutNow(e)
	}
}

// awaitWrites waits until everything recorded so far is written.
func (s *Session) awaitWrites() {
	s.inspect(func(*sessionLoop) {}) // records what it was asked for before
	_ = s.State.Outbox.Delivered()   // an error is the turn's
}

// flushLog syncs all records to disk.
func (s *Session) flushLog() error {
	s.inspect(func(*sessionLoop) {}) // as above
	return s.State.Outbox.Flush(nil)
}

// applyRecords applies records of the log to the session's state.
func (s *Session) applyRecords(rs []transcript.Record) {
	gone := transcript.Lost(rs)
	s.State.Record.Apply(rs, gone)
	for i, r := range rs {
		if f, ok := r.Event.(transcript.FoldersAdded); ok {
			s.State.Work.Name(f.Folders)
		}
		if gone[i] {
			continue
		}
		if g, ok := r.Event.(transcript.Given); ok && g.Context != nil {
			s.State.Briefing.Sent(g.Context)
		}
		if e, ok := r.Event.(transcript.Shortened); ok && e.Summary != "" {
			s.State.Briefing.Forget()
		}
	}
	s.send(func(l *sessionLoop) error { l.followOrphans(rs, gone); return nil })
}

// restoreChangeSets adds the change sets of records to the ledger.
func (s *Session) restoreChangeSets(ctx context.Context, rs []transcript.Record) error {
	var sets []ledger.ChangeSet
	at := map[string]int{}
	for _, r := range rs {
		switch e := r.Event.(type) { //nolint:gochecksumtype // the other events do not concern change sets
		case transcript.Proposals:
			if e.Err != nil {
				return fmt.Errorf("open session %s: its change sets: %w", s.State.SessionID, e.Err)
			}
			for _, cs := range e.ChangeSets {
				if i, ok := at[cs.ID]; ok { // recorded again: a file of it was renamed
					sets[i] = cs
					continue
				}
				at[cs.ID] = len(sets)
				sets = append(sets, cs)
			}
		case transcript.Decisions:
			if i, ok := at[e.ChangeSetID]; ok {
				e.Apply(&sets[i])
			}
		}
	}
	s.mu.Lock()
	for _, cs := range sets {
		s.recorded[cs.ID] = cs.Version
	}
	s.mu.Unlock()
	if len(sets) == 0 {
		return nil
	}
	return s.agent.Process.Options.Ledger.Restore(ctx, sets)
}

func (s *Session) showAgain(ctx context.Context) error {
	rs, err := s.State.Read()
	if err != nil {
		return err
	}
	updates, _ := transcript.UpdatesOf(s.State.SessionID, rs, 0)
	for _, u := range updates {
		u.Replay = true
		if err := s.agent.Process.Client.Show(ctx, u); err != nil {
			return fmt.Errorf("replaying session %s: %w", s.State.SessionID, err)
		}
	}
	return nil
}

// lockLog locks the log and shows the updates that other processes have appended. The
// caller holds the session.
func (s *Session) lockLog(ctx context.Context) error {
	s.awaitWrites()
	rs, err := s.State.Log.Lock()
	if err != nil {
		return err
	}
	if transcript.Rewinds(rs) {
		s.rereadLog()
	} else {
		s.applyRecords(rs)
	}
	restoreFindings(ctx, s.agent.Process, s.State.SessionID, rs)
	if err := s.restoreChangeSets(ctx, rs); err != nil {
		s.agent.Process.Log.Error("restore the change sets of another process", "session", s.State.SessionID, "err", err)
	}
	gone := transcript.Lost(rs)
	redone := 0
	for _, r := range rs {
		if _, ok := r.Event.(transcript.Redone); ok {
			redone++
		}
	}
	for i, r := range rs {
		if _, ok := r.Event.(transcript.Redone); ok {
			redone--
		}
		s.tellRewound(r.Event, redone)
		if r.Seq == 0 || r.Event == nil || gone[i] {
			continue
		}
		if err := s.agent.Process.Client.Show(ctx, transcript.Update{SessionID: s.State.SessionID, Seq: r.Seq, TurnID: r.Turn, Replay: true, At: r.At, Event: r.Event}); err != nil {
			s.agent.Process.Log.Debug("show an update of another process", "session", s.State.SessionID, "seq", r.Seq, "err", err)
		}
	}
	return nil
}

// tellRewound tells a client that keeps conversations of a rewind, or its redo, after which so many
// others were redone.
func (s *Session) tellRewound(e transcript.Event, later int) {
	c, ok := s.agent.Process.Client.(frontend.Rewinder)
	if !ok {
		return
	}
	switch e := e.(type) { //nolint:gochecksumtype // the others are no rewinds
	case transcript.Rewound:
		c.Rewound(s.State.SessionID, transcript.Back{TurnID: e.TurnID})
	case transcript.Redone:
		rs, err := s.State.Read()
		if err != nil {
			s.agent.Process.Log.Error("read what was redone", "session", s.State.SessionID, "err", err)
			return
		}
		c.Rewound(s.State.SessionID, transcript.RedoneBy(s.State.SessionID, rs, later))
	}
}

func (s *Session) unlockLog() {
	if err := s.State.Log.Unlock(); err != nil {
		s.agent.Process.Log.Error("unlock a session's log", "session", s.State.SessionID, "err", err)
	}
}

// rereadLog rebuilds the session's state from its log after an event could not be
// recorded: unrecorded events do not count.
func (s *Session) rereadLog() {
	rs, err := s.State.Read()
	if err != nil {
		s.agent.Process.Log.Error("reread a session", "session", s.State.SessionID, "err", err)
		return
	}
	s.State.Record.Reset()
	s.State.Briefing.Forget()
	s.send(func(l *sessionLoop) error { l.orphaned = nil; return nil })
	s.applyRecords(rs)
}
