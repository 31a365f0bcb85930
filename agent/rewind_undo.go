package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/emendo-dev/emendo/agent/checkpoint"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
)

// attempted is what the plan makes of the files, as the journal keeps it while it
// is carried out.
func (s *Session) attempted(p *rewindPlan, turnID string, scope RewindScope) (checkpoint.Attempt, error) {
	a := checkpoint.Attempt{Turn: turnID, Conversation: scope != RewindFiles}
	for _, c := range p.changes {
		f := checkpoint.AttemptedFile{Name: c.name, Open: c.open, Disk: c.disk}
		var err error
		if f.Was, err = s.put(c.was); err == nil {
			f.Want, err = s.put(c.want)
		}
		if err != nil {
			return a, err
		}
		a.Files = append(a.Files, f)
	}
	return a, nil
}

// halfRewound says whether a rewind was begun and is not over.
func (s *Session) halfRewound() bool {
	j := s.journal()
	if j == nil {
		return false
	}
	a, err := j.Interrupted()
	return a != nil || err != nil
}

// takeBackHalf takes back a rewind that a killed process has left half done: a
// file that holds what the rewind made of it gets what it held before, in the
// editor where it is open. The log is locked, so no rewind is under way.
func (s *Session) takeBackHalf(ctx context.Context) {
	j := s.journal()
	if j == nil {
		return
	}
	a, err := j.Interrupted()
	if a != nil {
		err = s.takeBack(ctx, j, *a)
	}
	if err != nil { // it is tried again when the session is used again
		s.agent.log.Error("a rewind that was left half done is not taken back", "session", s.id, "err", err)
	}
}

func (s *Session) takeBack(ctx context.Context, j *checkpoint.Journal, a checkpoint.Attempt) error {
	rs, err := s.read()
	if err != nil {
		return err
	}
	done := a.Conversation && slices.ContainsFunc(rs, func(r record) bool {
		e, ok := r.Event.(Rewound)
		return ok && e.TurnID == a.Turn
	})
	if done {
		return j.End()
	}
	p := &rewindPlan{edit: ide.Edit{Label: "emendo: undo rewind"}}
	snap := s.agent.o.Workspace.Snapshot()
	for _, f := range a.Files {
		was, err := j.Content(f.Was)
		if err != nil {
			return err
		}
		want, err := j.Content(f.Want)
		if err != nil {
			return err
		}
		now, err := s.content(ctx, snap, f.Name)
		if f.Disk {
			now, err = s.onDisk(ctx, f.Name)
		}
		inDocument := f.Open && f.Want.Hash != "" // the disk was not touched
		if err != nil || !now.content.Same(want) || inDocument && now.doc == nil {
			continue // it did not come that far, or the user has gone on with the file
		}
		if err := p.add(f.Name, now, was); err != nil {
			return err
		}
	}
	undo, err := checkpoint.Restore(ctx, s.folders(), p.steps)
	if err != nil {
		return err
	}
	if err := s.agent.o.Ledger.Apply(ctx, p.edit); err != nil {
		return errors.Join(err, undo())
	}
	return j.End()
}

// unland takes back what came into the editor of an edit. deleted are the bytes
// of the files that it was to delete.
func (s *Session) unland(ctx context.Context, before *ide.Snapshot, e ide.Edit, deleted map[ide.URI][]byte) error {
	ctx = context.WithoutCancel(ctx) // who gave up gets everything back too
	back := ide.Edit{Label: "emendo: undo rewind"}
	now := s.agent.o.Workspace.Snapshot()
	var errs []error
	for _, f := range e.Files {
		d := now.Document(f.Document.URI)
		switch {
		case f.Delete && d == nil:
			errs = append(errs, s.undelete(ctx, f.Document, deleted[f.Document.URI]))
			continue
		case f.Delete || d == nil || before.Document(f.Document.URI) == nil:
			continue
		}
		if want := f.Document.Text.Replace(f.Splices); !ide.SameButEnd(d.Text.String(), want.String()) {
			continue // it did not come, or the user typed since
		}
		back.Files = append(back.Files, ide.FileEdit{Document: d, Splices: []ide.Splice{{A: 0, B: d.Text.Len(), Text: f.Document.Text.String()}}})
	}
	return errors.Join(append(errs, s.agent.o.Ledger.Apply(ctx, back))...)
}

// undelete writes a file that the editor has deleted.
func (s *Session) undelete(ctx context.Context, d *ide.Document, data []byte) error {
	p, err := s.folders().At(d.Path)
	if err != nil {
		return fmt.Errorf("putting back what was there: %w", err)
	}
	err = s.folders().Write(ctx, p, data, disk.WriteOptions{Expect: &disk.Hash{}})
	if err != nil && !errors.Is(err, disk.ErrChanged) { // it is there, for the editor closed it alone
		return fmt.Errorf("putting back what was there: %w", err)
	}
	return nil
}
