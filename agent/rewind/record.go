package rewind

import (
	"cmp"
	"context"
	"io/fs"
	"slices"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// Decide makes the ledger carry out decisions, and records what the files hold
// before and after. files has the Rewinders of the known sessions.
func Decide(ctx context.Context, l *ledger.Ledger, files map[string]*Rewinder, ds []ledger.Decision, comment string) (ledger.Resolution, error) {
	d := decisions{ledger: l, files: files, begun: map[*Rewinder][]Entry{}, held: map[*Rewinder]func(){}}
	defer d.release()
	d.before(ctx, ds)
	r, err := l.Resolve(ctx, ds, comment)
	d.after(r.Made)
	for _, cs := range r.ChangeSets {
		if rewinder := files[cs.SessionID]; rewinder != nil {
			rewinder.wrote(ctx, cs)
		}
	}
	return r, err
}

// decisions are being recorded.
type decisions struct {
	ledger *ledger.Ledger
	files  map[string]*Rewinder  // of sessions
	begun  map[*Rewinder][]Entry // changes whose end is not recorded
	held   map[*Rewinder]func()  // releases what is stored of a session
}

// rewinder returns the Rewinder of a session; nil if it is not known. What it stores is kept
// until its entries are added.
func (d decisions) rewinder(session string) *Rewinder {
	r := d.files[session]
	if r != nil && d.held[r] == nil {
		d.held[r] = r.o.Journal.Hold()
	}
	return r
}

func (d decisions) release() {
	for _, release := range d.held {
		release()
	}
}

// before records the files that accepting hunks is about to change. When that
// fails the user's decision holds all the same; a rewind will report that the
// change is not known.
func (d decisions) before(ctx context.Context, ds []ledger.Decision) {
	seen := map[ledger.Decision]bool{} // by file: thousands of hunks are in a few
	for _, dec := range ds {
		file := ledger.Decision{ChangeSetID: dec.ChangeSetID, URI: dec.URI}
		if dec.Action != ledger.Accept || seen[file] {
			continue
		}
		seen[file] = true
		cs, err := d.ledger.Get(dec.ChangeSetID)
		if err != nil {
			continue
		}
		r := d.rewinder(cs.SessionID)
		if r == nil {
			continue
		}
		for _, f := range cs.Files {
			if dec.URI != "" && dec.URI != f.URI {
				continue
			}
			d.begin(ctx, r, cs.TurnID, f.Path, f.URI)
			if f.NewPath != "" {
				d.begin(ctx, r, cs.TurnID, f.NewPath, "")
			}
		}
	}
	for r, l := range d.begun {
		if err := r.o.Journal.Add(l...); err != nil {
			r.o.Log.Warn("recording changes before they are made", "session", r.o.SessionID, "err", err)
		}
	}
}

// begin notes what a file holds before it is changed, once for each turn.
func (d decisions) begin(ctx context.Context, r *Rewinder, turn, path string, uri ide.URI) {
	e := Entry{Turn: turn, Name: cmp.Or(path, string(uri))}
	if _, known := d.find(r, turn, e.Name); known || !r.covers(path) {
		return
	}
	now, err := r.current(ctx, r.o.Workspace.Snapshot(), e.Name)
	if err == nil {
		e.Before, err = r.store(now.content)
		e.Before.Mode = cmp.Or(e.Before.Mode, r.mode(path))
	}
	if err != nil {
		r.o.Log.Warn("recording a file before it is changed", "session", r.o.SessionID, "file", e.Name, "err", err)
		return
	}
	d.begun[r] = append(d.begun[r], e)
}

// find returns the change of a file that has begun.
func (d decisions) find(r *Rewinder, turn, name string) (Entry, bool) {
	i := slices.IndexFunc(d.begun[r], func(e Entry) bool { return e.Turn == turn && e.Name == name })
	if i < 0 {
		return Entry{}, false
	}
	return d.begun[r][i], true
}

// after records what the decisions made of the files, and that the other files
// stayed as they were.
func (d decisions) after(made []ledger.Made) {
	for i := len(made) - 1; i >= 0; i-- { // the oldest first
		m := made[i]
		r := d.rewinder(m.SessionID)
		if r == nil || !r.covers(m.Path) {
			continue
		}
		if m.RenamedTo != "" {
			d.renamed(r, m)
			continue
		}
		e := Entry{Turn: m.TurnID, Name: cmp.Or(m.Path, string(m.URI))}
		begun, _ := d.find(r, e.Turn, e.Name)
		before, err := r.store(contentOf(m.Before, m.Format, begun.Before.Mode))
		if err == nil {
			var after State
			after, err = r.store(contentOf(m.After, m.Format, begun.Before.Mode))
			e.Before, e.After = before, &after
		}
		if err == nil {
			err = r.o.Journal.Add(e)
		}
		if err != nil {
			r.o.Log.Warn("recording a change", "session", r.o.SessionID, "file", e.Name, "err", err)
			continue
		}
		d.begun[r] = without(d.begun[r], e)
	}
	for r, l := range d.begun {
		for i := range l {
			l[i].After = &l[i].Before
		}
		if err := r.o.Journal.Add(l...); err != nil {
			r.o.Log.Warn("recording that a file was not changed", "session", r.o.SessionID, "err", err)
		}
	}
}

// renamed records that a file was moved: it is gone at its old path, and is what it
// was at the new one.
func (d decisions) renamed(r *Rewinder, m ledger.Made) {
	old, known := d.find(r, m.TurnID, m.Path)
	if !known {
		return // that was logged
	}
	was := old.Before
	entries := []Entry{
		{Turn: m.TurnID, Name: m.Path, Before: was, After: &State{}},
		{Turn: m.TurnID, Name: m.RenamedTo, After: &was},
	}
	if err := r.o.Journal.Add(entries...); err != nil {
		r.o.Log.Warn("recording a move", "session", r.o.SessionID, "file", m.Path, "err", err)
		return
	}
	for _, e := range entries {
		d.begun[r] = without(d.begun[r], e)
	}
}

func without(l []Entry, e Entry) []Entry {
	return slices.DeleteFunc(l, func(o Entry) bool { return o.Turn == e.Turn && o.Name == e.Name })
}

// mode returns the permissions of a file on disk, or zero.
func (r *Rewinder) mode(path string) fs.FileMode {
	p, err := r.o.Place.Tree().At(path)
	if err != nil {
		return 0
	}
	fi, err := r.o.Place.Tree().Stat(p)
	if err != nil {
		return 0
	}
	return fi.Mode().Perm()
}

func contentOf(text *string, f disk.Format, mode fs.FileMode) Content {
	if text == nil {
		return Content{}
	}
	return Content{Exists: true, Text: *text, Format: f, Mode: mode}
}

// wrote notes what decisions left in the closed files of a change set.
func (r *Rewinder) wrote(ctx context.Context, cs ledger.ChangeSet) {
	for _, f := range cs.Files {
		if f.Open || f.Path == "" {
			continue
		}
		for _, path := range []string{f.Path, f.NewPath} {
			if path == "" {
				continue
			}
			r.o.Meanwhile.note(path, func() *string {
				if now, err := r.onDisk(ctx, path); err == nil && now.content.Exists {
					return &now.content.Text
				}
				return nil
			})
		}
	}
}

// covers reports whether a file is one of the user's. The plans in emendo's own
// folder are not. A document that is not a file has no path.
func (r *Rewinder) covers(path string) bool { return path == "" || r.o.Place.Tree().Contains(path) }

// store stores a content.
func (r *Rewinder) store(c Content) (State, error) {
	if !c.Exists {
		return State{}, nil
	}
	data, err := c.Bytes()
	if err != nil {
		return State{}, err
	}
	hash, err := r.o.Journal.Put(data)
	return State{Hash: hash, Mode: c.Mode}, err
}

// NotCovered records why something that a turn did in the session's folder is
// not covered by checkpoints.
func (r *Rewinder) NotCovered(turn, why string) { r.gap(Entry{Turn: turn, Gap: why}) }

func (r *Rewinder) gap(e Entry) {
	e.Name = r.o.Dir
	if err := r.o.Journal.Add(e); err != nil {
		r.o.Log.Debug("recording a gap in the checkpoints", "session", r.o.SessionID, "err", err)
	}
}
