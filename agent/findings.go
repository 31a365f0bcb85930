package agent

import (
	"context"

	"github.com/emendo-dev/emendo/agent/finding"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/tools"
)

// Dismiss removes a finding for good: that is on disk before anyone sees it. For an unknown
// finding it does nothing.
func (a *Agent) Dismiss(ctx context.Context, id string) error {
	f, ok := a.Process.Findings.Get(id)
	if !ok {
		return nil
	}
	s, err := a.Session(ctx, f.SessionID)
	if err != nil {
		return err
	}
	s.State.Outbox.PutNow(transcript.Dismissed{FindingID: id})
	if err := s.flushLog(); err != nil {
		return err
	}
	a.Process.Findings.Remove(id)
	return nil
}

// restoreFindings takes over the findings of records of a session, and what was dismissed of them.
func restoreFindings(ctx context.Context, p *state.Process, sessionID string, rs []transcript.Record) {
	gone := map[string]bool{}
	for _, r := range rs {
		if e, ok := r.Event.(transcript.Dismissed); ok {
			gone[e.FindingID] = true
			p.Findings.Remove(e.FindingID)
		}
	}
	for _, r := range rs {
		e, ok := r.Event.(transcript.Found)
		if !ok || gone[e.ID] {
			continue
		}
		at := ide.Passage{First: e.Line - 1, Text: e.Lines}
		if f, err := p.Options.Workspace.Snapshot().Read(ctx, e.Path); err == nil { // it may have changed since
			at = locateFinding(p, at, f.Text)
		}
		p.Findings.Add(finding.Finding{
			Finding: tools.Finding{Path: e.Path, Severity: e.Severity, Title: e.Title, Message: e.Message},
			ID:      e.ID, SessionID: sessionID, TurnID: r.Turn, Lines: at,
		})
	}
}

// locateFinding returns the lines of a record in the text of their file. Secrets are hidden in
// records, so those of the file are hidden for the search.
func locateFinding(p *state.Process, at ide.Passage, text *ide.Text) ide.Passage {
	is := text.String()
	known := p.Options.Secrets.Known(is)
	hidden := ide.NewText(known)
	if known == is || hidden.Lines() != text.Lines() {
		return at.FindIn(text).Closed()
	}
	if at = at.FindIn(hidden).Closed(); !at.Gone {
		return ide.NewPassage(text, at.First, at.Last())
	}
	return at
}
