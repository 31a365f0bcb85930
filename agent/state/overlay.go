package state

import (
	"cmp"
	"context"
	"errors"
	"io/fs"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/tools/proposed"
)

// Over returns a snapshot of the workspace as the session sees it: with the edits of its
// turns in place that the user has not decided on. Everything that reads for the model uses
// it. The proposals of other sessions, and those that no turn made, are no part of it.
func (s *Session) Over(ctx context.Context, snap *ide.Snapshot) *ide.Snapshot {
	l := s.Agent.Options.Ledger
	var pending []ide.Pending
	seen := map[string]bool{}
	for _, cs := range l.List(s.SessionID, "", ledger.Pending) {
		for _, f := range cs.Files {
			name := cmp.Or(f.Path, string(f.URI))
			if cs.TurnID == "" || seen[name] || !f.Waits() {
				continue
			}
			seen[name] = true
			now, err := l.View(ctx, s.SessionID, name)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				pending = append(pending, ide.Pending{Path: f.Path})
				if now.Path != "" { // it is moved there
					pending = append(pending, asProposed(now))
				}
			case err != nil, now.Document != nil && now.Document.Text == now.Text: // the user is typing into the hunk
			default:
				pending = append(pending, asProposed(now))
			}
		}
	}
	return snap.With(pending)
}

// asProposed returns a file with its proposed text.
func asProposed(f ide.File) ide.Pending {
	d := ide.Document{URI: ide.FileURI(f.Path), Spelling: string(ide.FileURI(f.Path)), Path: f.Path}
	if f.Document != nil {
		d = *f.Document
	}
	d.Text = f.Text
	return ide.Pending{Path: f.Path, Document: &d}
}

// Snapshot returns the workspace as the session sees it now, see [Session.Over].
func (s *Session) Snapshot(ctx context.Context) *ide.Snapshot {
	return s.Over(ctx, s.Agent.Options.Workspace.Snapshot().Within(s.Work.Tree()))
}

// Undecided returns the names of the files whose proposed edits a program does not see that
// reads the disk, as the model knows them.
func (s *Session) Undecided(ctx context.Context) (names []string) {
	return proposed.Files(s.Snapshot(ctx), s.Work.Near)
}
