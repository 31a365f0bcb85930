package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/emendo-dev/emendo/agent/checkpoint"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/diff"
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
	Kept      []Left   // not covered by checkpoints: as they are
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
	if err := s.begin(ctx, aMoment); err != nil {
		return Rewind{}, err
	}
	defer s.finish()
	s.mu.Lock()
	stored := s.stored
	s.mu.Unlock()
	if !stored {
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

// rewindPlan is what is to be done with the files.
type rewindPlan struct {
	result  Rewind
	edit    ide.Edit          // for open documents
	steps   []checkpoint.Step // for the others
	changes []fileChange      // all of it
}

// fileChange is what a rewind makes of a file.
type fileChange struct {
	name      string
	open      bool
	was, want checkpoint.Content
}

// planRewind finds out what every file would hold without what the turns did.
func (s *Session) planRewind(ctx context.Context, turns []string) (*rewindPlan, error) {
	p := &rewindPlan{edit: ide.Edit{Label: "emendo: rewind"}}
	j := s.journal()
	if j == nil {
		return nil, errors.New("rewinding files: no checkpoints are kept here; the conversation alone can be rewound")
	}
	entries, err := j.Entries(turns)
	if err != nil {
		return nil, err
	}
	changes := map[string][]checkpoint.Entry{}
	var names []string
	for _, e := range entries {
		if s.isPlan(e.Name) {
			continue // it is the session's own and no part of the workspace
		}
		if e.Gap != "" {
			p.result.Kept = append(p.result.Kept, Left{e.Name, e.Gap})
			continue
		}
		if changes[e.Name] == nil {
			names = append(names, e.Name)
		}
		changes[e.Name] = append(changes[e.Name], e)
	}
	slices.Sort(names)
	snap := s.agent.o.Workspace.Snapshot()
	for _, name := range names {
		now, err := s.content(ctx, snap, name)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		want, reason := now.content, ""
		if err == nil {
			want, reason = takenBack(j, changes[name], want)
		}
		switch {
		case err != nil:
			p.result.Conflicts = append(p.result.Conflicts, Left{name, err.Error()})
		case reason != "":
			p.result.Conflicts = append(p.result.Conflicts, Left{name, reason})
		case !want.Same(now.content) || want.Exists && want.Mode != now.content.Mode:
			if err := p.add(name, now, want); err != nil {
				p.result.Conflicts = append(p.result.Conflicts, Left{name, err.Error()})
			}
		}
	}
	return p, nil
}

// takenBack takes changes of one file back, the newest first.
func takenBack(j *checkpoint.Journal, changes []checkpoint.Entry, now checkpoint.Content) (checkpoint.Content, string) {
	for _, e := range slices.Backward(changes) {
		before, err := j.Content(e.Before)
		if err != nil {
			return now, err.Error()
		}
		if e.After == nil {
			if !now.Same(before) {
				return now, "emendo ended while it changed the file, and how far it came is not known"
			}
			continue
		}
		after, err := j.Content(*e.After)
		if err != nil {
			return now, err.Error()
		}
		var reason string
		if now, reason = checkpoint.TakeBack(before, after, now); reason != "" {
			return now, reason
		}
	}
	return now, ""
}

// content is what a name holds.
func (s *Session) content(ctx context.Context, snap *ide.Snapshot, name string) (held, error) {
	d := snap.DocumentAt(name)
	if d == nil {
		d = snap.Document(ide.ParseURI(name))
	}
	if d != nil {
		return held{content: checkpoint.Content{Exists: true, Text: d.Text.String()}, doc: d}, nil
	}
	if ide.ParseURI(name).Path() == "" && !filepath.IsAbs(name) {
		return held{}, errors.New("the document is not open any more")
	}
	p, err := s.folders().Resolve(name)
	if err != nil {
		return held{}, err
	}
	if p.Abs != name {
		return held{}, fmt.Errorf("%s: %w", name, disk.ErrMoved)
	}
	data, err := s.folders().ReadBytes(ctx, p, disk.EditLimit)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, disk.ErrNotDir) { // there is none, or a file stands in its folder's place
		return held{path: p}, nil
	}
	if err != nil {
		return held{}, err
	}
	h := held{content: checkpoint.Decode(data), path: p, data: data}
	if fi, err := s.folders().Stat(p); err == nil {
		h.content.Mode = fi.Mode().Perm()
	}
	return h, nil
}

var errReadOnly = errors.New("the file is read-only")

// add plans one file.
func (p *rewindPlan) add(name string, now held, want checkpoint.Content) error {
	if now.doc != nil {
		f := ide.FileEdit{Document: now.doc, Delete: !want.Exists}
		switch {
		case f.Delete && now.doc.Path == "":
			return errors.New("the document is no file and cannot be deleted")
		case want.Binary:
			return errors.New("the file was binary and is open in the editor; close it first")
		case want.Exists:
			for _, b := range diff.Lines(now.content.Text, want.Text) {
				f.Splices = append(f.Splices, ide.Splice{A: b.Old.A, B: b.Old.B, Text: want.Text[b.New.A:b.New.B]})
			}
		}
		p.edit.Files = append(p.edit.Files, f)
	} else {
		data, err := want.Bytes()
		if err != nil {
			return err
		}
		if same := want.Mode == now.content.Mode; same && now.data != nil && now.content.Mode&0o222 == 0 && want.Exists {
			return errReadOnly
		}
		p.steps = append(p.steps, checkpoint.Step{Path: now.path, Was: now.data, Want: data, WasMode: now.content.Mode, Mode: want.Mode})
	}
	p.changes = append(p.changes, fileChange{name, now.doc != nil, now.content, want})
	if want.Exists {
		p.result.Restored = append(p.result.Restored, name)
	} else {
		p.result.Deleted = append(p.result.Deleted, name)
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
			if c.name == f.Document.Path {
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
