package rewind

import (
	"cmp"
	"context"
	"io/fs"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/checkpoint"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/tools"
)

// Decide makes the ledger carry out decisions, and records what the files hold
// before and after. of returns the Rewinder of a session; nil when the session is
// not known.
func Decide(ctx context.Context, l *ledger.Ledger, of func(session string) *Rewinder, ds []ledger.Decision, comment string) (ledger.Resolution, error) {
	d := decisions{ledger: l, of: of, begun: map[*Rewinder][]checkpoint.Entry{}, held: map[*Rewinder]func(){}}
	defer d.release()
	d.before(ctx, ds)
	r, err := l.Resolve(ctx, ds, comment)
	d.after(r.Made)
	for _, cs := range r.ChangeSets {
		if rewinder := of(cs.SessionID); rewinder != nil {
			rewinder.wrote(ctx, cs)
		}
	}
	return r, err
}

// decisions are being recorded.
type decisions struct {
	ledger *ledger.Ledger
	of     func(session string) *Rewinder
	begun  map[*Rewinder][]checkpoint.Entry // changes whose end is not recorded
	held   map[*Rewinder]func()             // releases what is stored of a session
}

// rewinder returns the Rewinder of a session whose changes are recorded; else nil. What it
// stores is kept until its entries are added.
func (d decisions) rewinder(session string) *Rewinder {
	r := d.of(session)
	if !r.records() {
		return nil
	}
	if d.held[r] == nil {
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
	e := checkpoint.Entry{Turn: turn, Name: cmp.Or(path, string(uri))}
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
func (d decisions) find(r *Rewinder, turn, name string) (checkpoint.Entry, bool) {
	i := slices.IndexFunc(d.begun[r], func(e checkpoint.Entry) bool { return e.Turn == turn && e.Name == name })
	if i < 0 {
		return checkpoint.Entry{}, false
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
		e := checkpoint.Entry{Turn: m.TurnID, Name: cmp.Or(m.Path, string(m.URI))}
		begun, _ := d.find(r, e.Turn, e.Name)
		before, err := r.store(contentOf(m.Before, m.Format, begun.Before.Mode))
		if err == nil {
			var after checkpoint.State
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
	entries := []checkpoint.Entry{
		{Turn: m.TurnID, Name: m.Path, Before: was, After: &checkpoint.State{}},
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

func without(l []checkpoint.Entry, e checkpoint.Entry) []checkpoint.Entry {
	var out []checkpoint.Entry
	for _, o := range l {
		if o.Turn != e.Turn || o.Name != e.Name {
			out = append(out, o)
		}
	}
	return out
}

// mode returns the permissions of a file on disk, or zero.
func (r *Rewinder) mode(path string) fs.FileMode {
	p, err := r.o.Folders().At(path)
	if err != nil {
		return 0
	}
	fi, err := r.o.Folders().Stat(p)
	if err != nil {
		return 0
	}
	return fi.Mode().Perm()
}

func contentOf(text *string, f disk.Format, mode fs.FileMode) checkpoint.Content {
	if text == nil {
		return checkpoint.Content{}
	}
	return checkpoint.Content{Exists: true, Text: *text, Format: f, Mode: mode}
}

// records reports whether changes are recorded; r may be nil.
func (r *Rewinder) records() bool { return r != nil && r.o.Journal != nil }

// covers reports whether a file is one of the user's. The plans in emendo's own
// folder are not. A document that is not a file has no path.
func (r *Rewinder) covers(path string) bool { return path == "" || r.o.Folders().Contains(path) }

// store stores a content.
func (r *Rewinder) store(c checkpoint.Content) (checkpoint.State, error) {
	if !c.Exists {
		return checkpoint.State{}, nil
	}
	data, err := c.Bytes()
	if err != nil {
		return checkpoint.State{}, err
	}
	hash, err := r.o.Journal.Put(data)
	return checkpoint.State{Hash: hash, Mode: c.Mode}, err
}

// NotCovered records why something that a turn did in the session's folder is
// not covered by checkpoints.
func (r *Rewinder) NotCovered(turn, why string) { r.gap(checkpoint.Entry{Turn: turn, Gap: why}) }

func (r *Rewinder) gap(e checkpoint.Entry) {
	if !r.records() {
		return
	}
	e.Name = r.o.Dir
	if err := r.o.Journal.Add(e); err != nil {
		r.o.Log.Debug("recording a gap in the checkpoints", "session", r.o.SessionID, "err", err)
	}
}

// Removed are files that a command removed and of which there is no copy.
type Removed struct {
	Files []string // absolute, some of them
	More  bool     // there are others
}

// Note describes them for the model; empty if there are none. near returns a path as the
// model knows it.
func (r Removed) Note(near func(path string) string) string {
	if len(r.Files) == 0 {
		return ""
	}
	var names []string
	for _, f := range r.Files {
		names = append(names, tools.ShownLine(near(f), 200))
	}
	if r.More {
		names = append(names, "and others")
	}
	return "\nNote: the command removed files of which there is no copy, so they cannot be brought back: " + strings.Join(names, ", ") + "."
}
