package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// open reads a stored session.
func (a *Agent) open(ctx context.Context, id string) (*Session, error) {
	path, err := a.o.Store.Find(id)
	if err != nil {
		return nil, err
	}
	l := transcript.NewLog(path, a.o.Secrets)
	rs, err := l.CatchUp()
	if err != nil {
		return nil, err
	}
	var st transcript.Started
	for _, r := range rs {
		if e, ok := r.Event.(transcript.Started); ok {
			st = e
			break
		}
	}
	if st.SessionID != id {
		return nil, fmt.Errorf("opening session %s: %s does not begin as its log: %w", id, path, transcript.ErrUnknownSession)
	}
	st.Roots = transcript.RootsOf(st, rs)
	roots := existing(st.Roots)
	s, err := a.session(st, roots, path)
	if err != nil {
		return nil, err
	}
	if len(roots) < len(st.Roots) {
		a.log.Warn("folders of a session are gone", "session", id, "had", st.Roots, "there", roots)
	}
	s.log = l
	s.take(rs)
	if err := s.restore(ctx, rs); err != nil {
		s.stop(false)
		return nil, errors.Join(err, s.work.Close())
	}
	if s.files.Interrupted() {
		if err := s.lock(ctx); err == nil { // else another process is at it
			s.files.UndoInterrupted(ctx, s.hasForgotten)
			s.unlock()
		}
	}
	return s, nil
}

// take folds in records, of this session's past or of another process.
func (s *Session) take(rs []transcript.Record) {
	gone := transcript.Lost(rs)
	defer s.send(&orphanRecords{records: rs, lost: gone}) // with mu unlocked
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, r := range rs {
		if r.Seq >= s.seq {
			s.seq = r.Seq + 1
		}
		if r.Event == nil {
			continue
		}
		if f, ok := r.Event.(transcript.FoldersAdded); ok {
			s.work.Name(f.Folders)
		}
		if gone[i] {
			s.lose(r)
			continue
		}
		s.info.Fold(r)
		s.history.Add(r.Event)
		if _, ok := r.Event.(transcript.Started); ok {
			s.stored = true
		}
		if x, ok := r.Event.(transcript.Excluded); ok {
			s.left = s.left.With(x)
		}
		if g, ok := r.Event.(transcript.Given); ok && g.Context != nil {
			s.briefing.Sent(g.Context)
		}
		if e, ok := r.Event.(transcript.Shortened); ok && e.Summary != "" {
			s.briefing.Forget()
		}
	}
}

// restore hands the change sets of records to the ledger.
func (s *Session) restore(ctx context.Context, rs []transcript.Record) error {
	var sets []ledger.ChangeSet
	at := map[string]int{}
	for _, r := range rs {
		switch e := r.Event.(type) { //nolint:gochecksumtype // the other events do not concern change sets
		case transcript.Proposals:
			var l []ledger.ChangeSet
			if err := json.Unmarshal(e.ChangeSets, &l); err != nil {
				return fmt.Errorf("opening session %s: its change sets: %w", s.id, err)
			}
			for _, cs := range l {
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
	return s.agent.o.Ledger.Restore(ctx, sets)
}

// Load shows the whole history again, marked as a replay. While a turn runs,
// that comes between two of its updates.
func (s *Session) Load(ctx context.Context) error {
	if err := s.recall(ctx); err != nil {
		s.agent.log.Error("queued prompts were not recalled", "session", s.id, "err", err)
	}
	return s.betweenUpdates(ctx, func() error { return s.replay(ctx) })
}

func (s *Session) replay(ctx context.Context) error {
	rs, err := s.read()
	if err != nil {
		return err
	}
	updates, _ := transcript.UpdatesOf(s.id, rs, 0)
	for _, u := range updates {
		u.Replay = true
		if err := s.agent.client.Show(ctx, u); err != nil {
			return fmt.Errorf("replaying session %s: %w", s.id, err)
		}
	}
	return nil
}

// Replay returns the updates from a number on, as they were sent but with the
// chunks of one message merged, and the number of the next one to come.
func (s *Session) Replay(from int64) ([]transcript.Update, int64, error) {
	if err := s.flush(); err != nil {
		return nil, 0, err
	}
	rs, err := s.read()
	if err != nil {
		return nil, 0, err
	}
	out, next := transcript.UpdatesOf(s.id, rs, from)
	return out, next, nil
}

// read returns all records. It has a reader of its own: that of the session is
// where the turn is.
func (s *Session) read() ([]transcript.Record, error) {
	return transcript.NewLog(s.log.Path(), nil).CatchUp()
}
