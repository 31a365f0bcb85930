package agent

import (
	"context"
	"fmt"
	"time"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// unwritten is a group of events to record between turns.
type unwritten struct {
	events []transcript.Event
	at     time.Time
	sync   bool         // sync to disk before done
	done   chan<- error // buffered; nil: log a failure
}

// record records events: in the running turn if there is one, else between turns.
func (l *sessionLoop) record(es ...transcript.Event) {
	if l.running == nil {
		l.unwritten = append(l.unwritten, unwritten{events: es, at: l.session.agent.Process.Now()})
		return
	}
	for _, e := range es {
		l.running.Conversation().Outbox.PutNow(e)
	}
}

// recordNow records events between turns in a session that is stored. written waits for it,
// and for the disk if sync is set.
func (l *sessionLoop) recordNow(sync bool, es ...transcript.Event) (written func() error) {
	done := make(chan error, 1)
	l.unwritten = append(l.unwritten, unwritten{es, l.session.agent.Process.Now(), sync, done})
	return func() error { return <-done }
}

// write starts writing the events recorded between turns.
func (l *sessionLoop) write() {
	if l.writing || len(l.unwritten) == 0 || l.ended {
		return
	}
	batch := l.unwritten
	l.unwritten, l.writing = nil, true
	go func() { // stop waits for it
		for _, w := range batch {
			l.session.writeUnwritten(w)
		}
		l.session.send(func(l *sessionLoop) error { l.writing = false; return nil })
	}()
}

// writeUnwritten writes a group of events.
func (s *Session) writeUnwritten(w unwritten) {
	var err error
	for i := 0; i < len(w.events) && err == nil; i++ {
		err = s.State.Log.Append(transcript.Record{At: w.at, Event: w.events[i]}, w.sync)
	}
	switch {
	case w.done != nil:
		w.done <- err
	case err != nil:
		s.agent.Process.Log.Error("write a record", "session", s.State.SessionID, "err", err)
	}
}

// keepEvent records an event that is not shown. It does not wait for the client or the
// disk.
func (s *Session) keepEvent(e transcript.Event) {
	if !s.send(func(l *sessionLoop) error { l.record(e); return nil }) {
		s.agent.Process.Log.Error("write a record: the session is closed", "session", s.State.SessionID, "kind", transcript.KindOf(e))
	}
}

// awaitWrites waits until everything recorded between turns is written. The returned
// function waits until this and the running turn's events are on disk.
func (s *Session) awaitWrites() (synced func() error) {
	synced = s.State.Log.Sync
	_ = s.ask(context.Background(), func(l *sessionLoop) error {
		switch {
		case l.running != nil:
			out := l.running.Conversation().Outbox
			p := out.Enqueue(nil)
			synced = func() error { return out.Wait(p) }
		case l.writing || len(l.unwritten) > 0:
			return errLater
		}
		return nil
	})
	return synced
}

// flushLog syncs all records to disk.
func (s *Session) flushLog() error { return s.awaitWrites()() }

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
	if err := s.restoreChangeSets(ctx, rs); err != nil {
		s.agent.Process.Log.Error("restore the change sets of another process", "session", s.State.SessionID, "err", err)
	}
	for _, r := range transcript.Surviving(rs) {
		if r.Seq == 0 || r.Event == nil {
			continue
		}
		if err := s.agent.Process.Client.Show(ctx, transcript.Update{SessionID: s.State.SessionID, Seq: r.Seq, TurnID: r.Turn, Replay: true, At: r.At, Event: r.Event}); err != nil {
			s.agent.Process.Log.Debug("show an update of another process", "session", s.State.SessionID, "seq", r.Seq, "err", err)
		}
	}
	return nil
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
