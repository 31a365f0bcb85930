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
	d := decisions{files, map[string]*recording{}}
	defer d.release()
	d.before(ctx, l, ds)
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
	files      map[string]*Rewinder
	recordings map[string]*recording // by session
}

// recording has the changes of one session that decisions make.
type recording struct {
	r     *Rewinder
	begun []Entry
	open  map[fileOfTurn]int // indexes in begun of the changes whose end is not recorded
}

// of returns the recording of a session; nil if it is not known. What it stores is kept until
// release.
func (d decisions) of(session string) *recording {
	if r := d.files[session]; r != nil && d.recordings[session] == nil {
		r.o.Journal.held.RLock()
		d.recordings[session] = &recording{r: r, open: map[fileOfTurn]int{}}
	}
	return d.recordings[session]
}

func (d decisions) release() {
	for _, c := range d.recordings {
		c.r.o.Journal.held.RUnlock()
	}
}

// before records the files that accepting hunks is about to change. When that
// fails the user's decision holds all the same; a rewind will report that the
// change is not known.
func (d decisions) before(ctx context.Context, l *ledger.Ledger, ds []ledger.Decision) {
	seen := map[ledger.Decision]bool{} // by file: thousands of hunks are in a few
	for _, dec := range ds {
		file := ledger.Decision{ChangeSetID: dec.ChangeSetID, URI: dec.URI}
		if dec.Action != ledger.Accept || seen[file] {
			continue
		}
		seen[file] = true
		cs, err := l.Get(dec.ChangeSetID)
		if err != nil {
			continue
		}
		c := d.of(cs.SessionID)
		if c == nil {
			continue
		}
		for _, f := range cs.Files {
			if dec.URI != "" && dec.URI != f.URI {
				continue
			}
			c.begin(ctx, cs.TurnID, f.Path, f.URI)
			if f.NewPath != "" {
				c.begin(ctx, cs.TurnID, f.NewPath, "")
			}
		}
	}
	for _, c := range d.recordings {
		if err := c.r.o.Journal.Add(c.begun...); err != nil {
			c.warn("recording changes before they are made", "", err)
		}
	}
}

func (c *recording) warn(doing, file string, err error) {
	c.r.o.Log.Warn(doing, "session", c.r.o.SessionID, "file", file, "err", err)
}

// begin notes what a file holds before it is changed, once for each turn.
func (c *recording) begin(ctx context.Context, turn, path string, uri ide.URI) {
	r, e := c.r, Entry{Turn: turn, Name: cmp.Or(path, string(uri))}
	if _, known := c.open[e.file()]; known || !r.covers(path) {
		return
	}
	now, err := r.current(ctx, r.o.Workspace.Snapshot(), e.Name)
	if err == nil {
		e.Before, err = r.store(now.content)
		if now.doc != nil { // the editor knows no permissions, and there may be no file
			now, _ = r.onDisk(ctx, path)
			e.Before.Mode = now.content.Mode
		}
	}
	if err != nil {
		c.warn("recording a file before it is changed", e.Name, err)
		return
	}
	c.open[e.file()] = len(c.begun)
	c.begun = append(c.begun, e)
}

// end records changes that have begun.
func (c *recording) end(doing string, l ...Entry) {
	if err := c.r.o.Journal.Add(l...); err != nil {
		c.warn(doing, l[0].Name, err)
		return
	}
	for _, e := range l {
		delete(c.open, e.file())
	}
}

// after records what the decisions made of the files, and that the other files
// stayed as they were.
func (d decisions) after(made []ledger.Made) {
	for _, m := range slices.Backward(made) { // the oldest first
		c := d.of(m.SessionID)
		if c == nil || !c.r.covers(m.Path) {
			continue
		}
		e := Entry{Turn: m.TurnID, Name: cmp.Or(m.Path, string(m.URI))}
		var was State
		i, known := c.open[e.file()]
		if known {
			was = c.begun[i].Before
		}
		if m.RenamedTo != "" {
			if known { // else that was logged
				e.Before, e.After = was, &State{} // it is gone at its old path, and is what it was at the new one
				c.end("recording a move", e, Entry{Turn: m.TurnID, Name: m.RenamedTo, After: &was})
			}
			continue
		}
		before, err := c.r.store(contentOf(m.Before, m.Format, was.Mode))
		if err == nil {
			var after State
			after, err = c.r.store(contentOf(m.After, m.Format, was.Mode))
			e.Before, e.After = before, &after
		}
		if err != nil {
			c.warn("recording a change", e.Name, err)
			continue
		}
		c.end("recording a change", e)
	}
	for _, c := range d.recordings {
		var l []Entry
		for _, e := range c.begun {
			if _, open := c.open[e.file()]; open {
				e.After = &e.Before
				l = append(l, e)
			}
		}
		if len(l) > 0 {
			c.end("recording that a file was not changed", l...)
		}
	}
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
