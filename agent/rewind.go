package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/emendo-dev/emendo/agent/checkpoint"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// RewindScope says what a rewind takes back.
type RewindScope string

// The scopes.
const (
	RewindFiles        RewindScope = "files"
	RewindConversation RewindScope = "conversation"
	RewindBoth         RewindScope = "both"
)

// ParseRewindScope reads a scope.
func ParseRewindScope(s string) (RewindScope, error) {
	switch r := RewindScope(s); r {
	case RewindFiles, RewindConversation, RewindBoth:
		return r, nil
	}
	return "", fmt.Errorf("the scope of a rewind is files, conversation or both, not %q", s)
}

// Rewind is what a rewind did with files, or would do. Paths are absolute; a
// document that is no file has its URI.
type Rewind struct {
	Restored  []string
	Deleted   []string // made by the turns and not changed since
	Kept      []Left   // not covered by checkpoints, or the only ones that may hold what is not: as they are
	Conflicts []Left   // changed again since, in a way that cannot be told apart: as they are
}

// Left is a file that a rewind leaves as it is.
type Left struct {
	Path   string
	Reason string
}

// rewindTries is how often a rewind is planned anew because the user typed.
const rewindTries = 3

// Rewind goes back to before a turn's prompt. What the user changed since stays
// in the files. With an error everything is as it was.
func (s *Session) Rewind(ctx context.Context, turnID string, scope RewindScope, dryRun bool) (Rewind, error) {
	if err := s.acquire(ctx); err != nil {
		return Rewind{}, err
	}
	defer s.release()
	if !s.isStored() {
		return Rewind{}, fmt.Errorf("%q: %w", turnID, ErrUnknownTurn)
	}
	if err := s.lock(ctx); err != nil {
		return Rewind{}, err
	}
	defer s.unlock()
	rs, err := s.read()
	if err != nil {
		return Rewind{}, err
	}
	turns := turnsFrom(rs, turnID)
	if len(turns) == 0 {
		return Rewind{}, fmt.Errorf("%q: %w", turnID, ErrUnknownTurn)
	}
	s.takeBackHalf(ctx)
	if scope == RewindConversation {
		if dryRun {
			return Rewind{}, nil
		}
		return Rewind{}, s.forget(turnID)
	}
	var p *rewindPlan
	for range rewindTries {
		if p, err = s.planRewind(ctx, turns); err != nil || dryRun {
			break
		}
		if err = s.carryOut(ctx, p, turnID, scope); !p.moved(s.agent.o.Workspace.Snapshot(), err) {
			break
		}
	}
	if err != nil {
		return Rewind{}, err
	}
	if !dryRun {
		s.afterRewind(ctx, p, turns)
	}
	return p.result, nil
}

// forget records that a turn and those after it are no part of the session any
// more.
func (s *Session) forget(turnID string) error {
	defer s.reread()
	if err := s.log.append(record{At: s.agent.now(), Event: Rewound{turnID}}, true); err != nil {
		return err
	}
	s.reread()
	i := s.Info()
	if err := s.log.append(record{At: s.agent.now(), Event: i.summary()}, false); err != nil {
		s.agent.log.Warn("a session's summary was not written", "session", s.id, "err", err)
	}
	return nil
}

// moved says whether a plan failed because something was changed meanwhile.
func (p *rewindPlan) moved(now *ide.Snapshot, err error) bool {
	return err != nil && (errors.Is(err, disk.ErrChanged) ||
		slices.ContainsFunc(p.edit.Files, func(f ide.FileEdit) bool { return now.Document(f.Document.URI) != f.Document }))
}

// carryOut does what was planned, or leaves everything as it was. The journal
// knows of it meanwhile, for the process may be killed.
func (s *Session) carryOut(ctx context.Context, p *rewindPlan, turnID string, scope RewindScope) error {
	j := s.journal()
	deleted, err := s.toDelete(ctx, p)
	if err != nil {
		return fmt.Errorf("rewinding files: %w", err)
	}
	if len(p.changes) > 0 {
		a, err := s.attempted(p, turnID, scope)
		if err == nil {
			err = j.Begin(a)
		}
		if err != nil {
			return fmt.Errorf("rewinding files: %w", err)
		}
	}
	forget := func() error { return nil }
	if scope == RewindBoth {
		forget = func() error { return s.forget(turnID) }
	}
	err, left := s.inOrder(ctx, p, forget, deleted)
	if left != nil { // what is left is taken back when the session is used again
		return errors.Join(err, left)
	}
	if eerr := j.End(); eerr != nil {
		s.agent.log.Warn("that a rewind is over is not kept", "session", s.id, "err", eerr)
	}
	return err
}

// inOrder restores the closed files, then the open ones, and then has the
// session forget. After an error nothing of it is left, or left says why.
func (s *Session) inOrder(ctx context.Context, p *rewindPlan, forget func() error, deleted map[ide.URI][]byte) (err, left error) {
	undo, err := checkpoint.Restore(ctx, s.folders(), p.steps)
	if err != nil {
		return fmt.Errorf("rewinding files: %w", err), nil
	}
	before := s.agent.o.Workspace.Snapshot()
	if err := s.agent.o.Ledger.Apply(ctx, p.edit); err != nil {
		return fmt.Errorf("rewinding files: %w", err), errors.Join(undo(), s.unland(ctx, before, p.edit, deleted))
	}
	if err := forget(); err != nil {
		return fmt.Errorf("rewinding the conversation: %w", err), errors.Join(undo(), s.unland(ctx, before, p.edit, deleted))
	}
	return nil, nil
}

// toDelete reads the open files that the editor is to delete: what they hold on
// disk, else in the editor.
func (s *Session) toDelete(ctx context.Context, p *rewindPlan) (map[ide.URI][]byte, error) {
	all := map[ide.URI][]byte{}
	for _, f := range p.edit.Files {
		if !f.Delete {
			continue
		}
		path, err := s.folders().Resolve(f.Document.Path)
		if err != nil {
			return nil, err
		}
		data, err := s.folders().ReadBytes(ctx, path, disk.EditLimit)
		if errors.Is(err, fs.ErrNotExist) {
			data, err = []byte(f.Document.Text.String()), nil
		}
		if err != nil {
			return nil, err
		}
		all[f.Document.URI] = data
		for i, c := range p.changes {
			if c.open && c.name == f.Document.Path {
				p.changes[i].was = checkpoint.Decode(data)
			}
		}
	}
	return all, nil
}

// afterRewind notes what was taken back, and rejects what the turns had still
// proposed: nobody waits for it.
func (s *Session) afterRewind(ctx context.Context, p *rewindPlan, turns []string) {
	if len(p.result.Conflicts) == 0 { // else the user may mend them and ask again
		if err := s.journal().Add(checkpoint.Entry{Undone: turns}); err != nil {
			s.agent.log.Warn("that files were rewound is not kept", "session", s.id, "err", err)
		}
	}
	for _, st := range p.steps {
		// The ledger looks at the disk anew; whether there is a file is all one.
		_, _ = s.agent.o.Ledger.View(ctx, s.id, st.Path.Abs)
	}
	var ds []ledger.Decision
	for _, cs := range s.agent.o.Ledger.List(s.id, "", "") {
		if !slices.Contains(turns, cs.TurnID) {
			continue
		}
		for _, f := range cs.Files {
			for _, h := range f.Hunks {
				if h.State == ledger.Pending {
					ds = append(ds, ledger.Decision{ChangeSetID: cs.ID, HunkID: h.ID, Action: ledger.Reject})
				}
			}
		}
	}
	if len(ds) == 0 {
		return
	}
	if _, err := s.agent.o.Ledger.Resolve(ctx, ds, ""); err != nil {
		s.agent.log.Warn("what was proposed before a rewind is still open", "session", s.id, "err", err)
	}
}
