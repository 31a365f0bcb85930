package agent

import (
	"context"
	"fmt"
	"slices"

	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// noteChangeSet records a new change set, or decisions about a known one. The
// ledger calls it in order and also from the read loop, so it must not block.
func (a *Agent) noteChangeSet(cs ledger.ChangeSet, rangesOnly bool) {
	if rangesOnly || cs.Gone {
		return
	}
	s := a.known(cs.SessionID)
	if s == nil {
		return
	}
	s.mu.Lock()
	before, known := s.recorded[cs.ID]
	s.recorded[cs.ID] = cs.Version
	s.mu.Unlock()
	if !known || cs.Renamed { // the last record wins
		s.State.Outbox.PutNow(transcript.Proposals{ChangeSets: []ledger.ChangeSet{cs}})
		return
	}
	d := transcript.Decisions{ChangeSetID: cs.ID}
	for _, h := range cs.DecidedSince(before) {
		d.Hunks = append(d.Hunks, transcript.StateOf(h))
	}
	if len(d.Hunks) > 0 {
		s.State.Outbox.PutNow(d)
	}
}

// Resolve applies the user's decisions about hunks. They are on disk when it
// returns.
func (a *Agent) Resolve(ctx context.Context, ds []ledger.Decision, comment string) (ledger.Resolution, error) {
	r, err := a.Decide(ctx, ds, comment)
	if err != nil {
		return r, err
	}
	for _, cs := range r.ChangeSets {
		s := a.known(cs.SessionID)
		if s == nil {
			continue
		}
		if err := s.flushLog(); err != nil {
			return r, err
		}
		if len(cs.Hunks(func(h ledger.Hunk) bool { return slices.Contains(r.Applied, h.ID) })) > 0 {
			s.State.Applied(ctx, cs)
		}
	}
	return r, nil
}

// Decide implements [state.Hunks].
func (a *Agent) Decide(ctx context.Context, ds []ledger.Decision, comment string) (ledger.Resolution, error) {
	files := map[string]*rewind.Rewinder{}
	a.mu.Lock()
	for id, s := range a.sessions {
		files[id] = s.State.Files
	}
	a.mu.Unlock()
	return rewind.Decide(ctx, a.Process.Options.Ledger, files, ds, comment)
}

// storedFiles has the versions of files that commands changed.
type storedFiles struct{ a *Agent }

// PutBack implements [ledger.StoredFiles].
func (f storedFiles) PutBack(ctx context.Context, session, path string, from, to ledger.Version) error {
	s := f.a.known(session)
	if s == nil {
		return fmt.Errorf("%s: %w", session, transcript.ErrUnknownSession)
	}
	return s.State.Files.Exchange(ctx, path, from, to)
}
