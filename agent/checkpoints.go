package agent

import (
	"cmp"
	"context"

	"github.com/emendo-dev/emendo/agent/checkpoint"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// journal is where what the session's turns change is kept; nil when it is not.
func (s *Session) journal() *checkpoint.Journal {
	if s.agent.o.Checkpoints == nil {
		return nil
	}
	return s.agent.o.Checkpoints.Journal(s.id)
}

// decide has the ledger carry out decisions. What the files hold is kept before
// they are changed, and what was made of them afterwards.
func (a *Agent) decide(ctx context.Context, ds []ledger.Decision, comment string) (ledger.Resolution, error) {
	begun := a.keepBefore(ctx, ds)
	r, err := a.o.Ledger.Resolve(ctx, ds, comment)
	a.keepMade(begun, r.Made)
	return r, err
}

// keepBefore keeps the files that accepting hunks is about to change. Without
// room for that the user's decision holds all the same; a rewind will say that
// the change is not known.
func (a *Agent) keepBefore(ctx context.Context, ds []ledger.Decision) map[*Session][]checkpoint.Entry {
	all := map[*Session][]checkpoint.Entry{}
	files := map[ledger.Decision]bool{} // seen; a set of thousands of hunks has few
	for _, d := range ds {
		file := ledger.Decision{ChangeSetID: d.ChangeSetID, URI: d.URI}
		if d.Action != ledger.Accept || files[file] {
			continue
		}
		files[file] = true
		cs, err := a.o.Ledger.Get(d.ChangeSetID)
		if err != nil {
			continue
		}
		s := a.known(cs.SessionID)
		if s == nil || s.journal() == nil {
			continue
		}
		for _, f := range cs.Files {
			if d.URI != "" && d.URI != f.URI {
				continue
			}
			e := checkpoint.Entry{Turn: cs.TurnID, Name: cmp.Or(f.Path, string(f.URI))}
			if !s.covers(f.Path) || len(without(all[s], e)) < len(all[s]) {
				continue
			}
			now, err := s.content(ctx, a.o.Workspace.Snapshot(), e.Name)
			if err == nil {
				e.Before, err = s.put(now.content)
			}
			if err != nil {
				a.log.Warn("a file is not kept before it is changed", "session", s.id, "file", e.Name, "err", err)
				continue
			}
			all[s] = append(all[s], e)
		}
	}
	for s, l := range all {
		if err := s.journal().Add(l...); err != nil {
			a.log.Warn("what is about to change is not kept", "session", s.id, "err", err)
		}
	}
	return all
}

// keepMade keeps what decisions made of the files, and that nothing came of the
// other ones that were begun.
func (a *Agent) keepMade(begun map[*Session][]checkpoint.Entry, made []ledger.Made) {
	for i := len(made) - 1; i >= 0; i-- { // the oldest first
		m := made[i]
		s := a.known(m.SessionID)
		if s == nil || s.journal() == nil || !s.covers(m.Path) {
			continue
		}
		e := checkpoint.Entry{Turn: m.TurnID, Name: cmp.Or(m.Path, string(m.URI))}
		before, err := s.put(contentOf(m.Before, m.Format))
		if err == nil {
			var after checkpoint.State
			after, err = s.put(contentOf(m.After, m.Format))
			e.Before, e.After = before, &after
		}
		if err == nil {
			err = s.journal().Add(e)
		}
		if err != nil {
			a.log.Warn("what was changed is not kept", "session", s.id, "file", e.Name, "err", err)
			continue
		}
		begun[s] = without(begun[s], e)
	}
	for s, l := range begun {
		for i := range l {
			l[i].After = &l[i].Before
		}
		if err := s.journal().Add(l...); err != nil {
			a.log.Warn("that a file was not changed is not kept", "session", s.id, "err", err)
		}
	}
}

// covers says whether a file is one of the user's; the plans that are written
// in emendo's own folder are not. A document that is no file has no path.
func (s *Session) covers(path string) bool { return path == "" || s.folders().Contains(path) }

func without(l []checkpoint.Entry, e checkpoint.Entry) []checkpoint.Entry {
	var out []checkpoint.Entry
	for _, o := range l {
		if o.Turn != e.Turn || o.Name != e.Name {
			out = append(out, o)
		}
	}
	return out
}

func contentOf(text *string, f disk.Format) checkpoint.Content {
	if text == nil {
		return checkpoint.Content{}
	}
	return checkpoint.Content{Exists: true, Text: *text, Format: f}
}

// put keeps a content.
func (s *Session) put(c checkpoint.Content) (checkpoint.State, error) {
	if !c.Exists {
		return checkpoint.State{}, nil
	}
	data, err := c.Bytes()
	if err != nil {
		return checkpoint.State{}, err
	}
	hash, err := s.journal().Put(data)
	return checkpoint.State{Hash: hash, Mode: c.Mode}, err
}

// watchCommand looks at the session's folders before a command of the turn
// runs; what it gives looks again when the command is over.
func (t *turn) watchCommand(ctx context.Context) (over func()) {
	s := t.session
	j := s.journal()
	if j == nil {
		return func() {}
	}
	if t.watch == nil {
		t.watch = j.Watch(t.id, s.folders())
	}
	view, err := t.watch.Before(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.agent.log.Warn("what a command changes is not kept", "session", s.id, "err", err)
			err = j.Add(checkpoint.Entry{Turn: t.id, Name: s.started.Cwd, Gap: "a command ran, and what was there before could not be kept: " + err.Error(), Lost: true})
		}
		if err != nil {
			s.agent.log.Debug("a gap is not kept", "session", s.id, "err", err)
		}
		return func() {}
	}
	return func() {
		// A command that was cancelled has changed what it has changed.
		if err := t.watch.After(context.WithoutCancel(ctx), view); err != nil {
			s.agent.log.Warn("what a command changed is not kept", "session", s.id, "err", err)
		}
	}
}

// held is what a name holds now: in the editor, else on disk.
type held struct {
	content checkpoint.Content
	doc     *ide.Document // nil when no editor has it open
	path    disk.Path     // of a file that no editor has open
	data    []byte        // its bytes; nil when there is none
}
