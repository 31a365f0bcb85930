package ledger

import (
	"context"
	"slices"
)

// Forget drops the change sets of a session after rejecting the pending ones, and
// notifies watchers. It waits for decisions that are being applied.
func (l *Ledger) Forget(ctx context.Context, sessionID string) error {
	select {
	case l.group <- struct{}{}:
		defer func() { <-l.group }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	l.reject(sessionID)
	l.mu.Lock()
	defer l.notify()
	defer l.mu.Unlock()
	of := func(h *hunk) bool { return h.file.set.session == sessionID }
	for key, p := range l.places {
		p.unfollow(of, l.encoding)
		p.unseen = slices.DeleteFunc(p.unseen, of)
		p.past.forget(of)
		if len(p.hunks)+len(p.marks)+len(p.unseen) == 0 && !l.usedBeside(p, sessionID) {
			delete(l.places, key)
		}
	}
	l.sets = slices.DeleteFunc(l.sets, func(s *set) bool {
		if s.session == sessionID {
			delete(l.byID, s.id)
			l.outbox = append(l.outbox, note{cs: ChangeSet{ID: s.id, SessionID: sessionID, Version: s.version + 1, Gone: true}})
		}
		return s.session == sessionID
	})
	close(l.bump) // wakes those who wait for them
	l.bump = make(chan struct{})
	return nil
}

// reject rejects all pending hunks of a session.
func (l *Ledger) reject(sessionID string) {
	l.mu.Lock()
	defer l.notify()
	defer l.mu.Unlock()
	for _, s := range l.sets {
		if s.session != sessionID {
			continue
		}
		for h := range s.hunks() {
			if h.state.proposed() {
				h.verdict.rejected = true
				h.setState(Rejected, "")
			}
		}
		l.completeChanges(s)
	}
}

// usedBeside reports whether another session has a change set with a file at the place.
func (l *Ledger) usedBeside(p *place, except string) bool {
	return slices.ContainsFunc(l.sets, func(s *set) bool {
		return s.session != except && slices.ContainsFunc(s.files, func(f *file) bool { return f.place == p })
	})
}

// forget removes hunks from the remembered texts.
func (p *past) forget(of func(*hunk) bool) {
	for i := range p.known {
		m := &p.known[i]
		m.spans = slices.DeleteFunc(m.spans, func(s spanOf) bool { return of(s.h) })
		m.wants = slices.DeleteFunc(m.wants, of)
	}
}
