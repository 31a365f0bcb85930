package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/paths"
)

// open reads a stored session.
func (a *Agent) open(ctx context.Context, id string) (*Session, error) {
	defer a.Process.Use()()
	path, err := a.Process.Options.Store.Find(id)
	if err != nil {
		return nil, err
	}
	l := transcript.NewLog(path, a.Process.Options.Secrets)
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
		return nil, fmt.Errorf("opening session %s: %s is not its log: %w", id, path, transcript.ErrUnknownSession)
	}
	st.Roots = transcript.RootsOf(st, rs)
	roots := slices.DeleteFunc(slices.Clone(st.Roots), func(f string) bool { return !paths.IsFolder(f) })
	s, err := a.session(st, roots, path)
	if err != nil {
		return nil, err
	}
	if len(roots) < len(st.Roots) {
		a.Process.Log.Warn("folders of a session no longer exist", "session", id, "had", st.Roots, "have", roots)
	}
	s.State.Log = l
	s.applyRecords(rs)
	restoreFindings(ctx, s.agent.Process, s.State.SessionID, rs)
	if err := s.restoreChangeSets(ctx, rs); err != nil {
		s.stop()
		return nil, errors.Join(err, s.State.Work.Close())
	}
	CommentsOf(s).follow(ctx)
	a.commits.Forget()
	if s.State.Files.Interrupted() {
		if err := s.lockLog(ctx); err == nil { // else another process uses the session
			s.State.Files.UndoInterrupted(ctx, s.State.HasForgotten)
			s.unlockLog()
		}
	}
	return s, nil
}

// Recall adds the prompts that were queued when a process ended, and are not in the queue
// again, to the conversation.
func (s *Session) Recall(ctx context.Context) error { return s.recallOrphans(ctx) }

// Load shows the whole history again, marked as a replay. During a turn, the replay
// is inserted between two of its updates.
func (s *Session) Load(ctx context.Context) error {
	if err := s.recallOrphans(ctx); err != nil {
		s.agent.Process.Log.Error("recall queued prompts", "session", s.State.SessionID, "err", err)
	}
	return s.betweenUpdates(ctx, func() error { return s.showAgain(ctx) })
}

// Follow calls begin with the past of the session and the turn that runs, if one does. Every
// update after those of the past is shown after begin has returned.
func (s *Session) Follow(ctx context.Context, begin func(past *transcript.Past, running string) error) error {
	return s.betweenUpdates(ctx, func() error {
		past, err := s.State.Log.OpenPast(s.State.SessionID)
		if err != nil {
			return err
		}
		running := ""
		s.inspect(func(l *sessionLoop) {
			if l.running != nil && !l.ending {
				running = l.running.ID
			}
		})
		return begin(past, running)
	})
}

// Replay returns the updates from the given number on, merging the chunks of each
// message, and the number of the next update.
func (s *Session) Replay(from int64) ([]transcript.Update, int64, error) {
	if err := s.flushLog(); err != nil {
		return nil, 0, err
	}
	rs, err := s.State.Read()
	if err != nil {
		return nil, 0, err
	}
	out, next := transcript.UpdatesOf(s.State.SessionID, rs, from)
	return out, next, nil
}
