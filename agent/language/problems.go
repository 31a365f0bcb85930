package language

import (
	"context"
	"slices"
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/langserver"
)

// promptTime is how long a prompt waits for the problems of open files.
const promptTime = 100 * time.Millisecond

// Problems implements [state.Checker]. It asks the servers that the session has
// running. One that is busy, or does not answer in time, is left out.
func (s *Supply) Problems(ctx context.Context, snap *ide.Snapshot, open []*ide.Document) map[ide.URI][]langserver.Diagnostic {
	s.mu.Lock()
	lease, folders := s.lease, s.folders
	s.mu.Unlock()
	if lease == nil || !s.session.Trusted() || !slices.Equal(folders, s.session.Work.Roots()) {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx) // a deadline would be held against the server
	defer cancel()
	timer := time.AfterFunc(promptTime, cancel)
	defer timer.Stop()
	found := map[ide.URI][]langserver.Diagnostic{}
	view := langserver.View{Snapshot: snap.Within(s.session.Work.Tree())}
	for _, p := range s.programs() {
		var own []*ide.Document
		for _, d := range open {
			if _, known := found[d.URI]; !known && d.Path != "" && p.Serves(d.Path) && s.session.Work.Tree().Contains(d.Path) {
				own = append(own, d)
			}
		}
		if len(own) == 0 {
			continue
		}
		err := lease.TryConverse(ctx, p, view, func(ctx context.Context, c *langserver.Conversation) error {
			for _, d := range own {
				l, err := c.Diagnostics(ctx, d.Path)
				if err != nil {
					return err
				}
				found[d.URI] = l
			}
			return nil
		})
		if err != nil {
			s.session.Agent.Log.Debug("the problems of open files are not known", "session", s.session.SessionID, "program", p.Name, "err", err)
		}
	}
	return found
}
