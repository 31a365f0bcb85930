package ledger

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/diff"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ledger/closed"
	"github.com/emendo-dev/emendo/ide/ledger/span"
	"github.com/emendo-dev/emendo/internal/builds"
)

// Propose adds a change set. Its hunks are pending, or conflicted if their old text
// has changed since the proposal's base was read. A new text that the file's
// encoding cannot represent is an error.
func (l *Ledger) Propose(ctx context.Context, p Proposal) (ChangeSet, error) {
	s := &set{id: l.newID(), session: p.SessionID, turn: p.TurnID, call: p.CallID, title: p.Title, origin: cmp.Or(p.Origin, OfEdit), changed: true}
	found := make([]closed.State, len(p.Files))
	for i, f := range p.Files {
		var err error
		if found[i], err = l.files.check(ctx, f); err != nil {
			return ChangeSet{}, fmt.Errorf("propose a change of %s: %w", nameOf(f), err)
		}
	}
	l.mu.Lock()
	for _, f := range p.Files {
		if _, err := l.awaitEdit(ctx, keyOfPlace(f.Path, f.URI)); err != nil {
			l.mu.Unlock()
			return ChangeSet{}, err
		}
	}
	for i, f := range p.Files {
		at := l.placeFor(f.Path, f.URI)
		at.refresh(found[i])
		if f.Op == Create && !at.exists && f.Base.Format != (disk.Format{}) {
			at.format = f.Base.Format
		}
		if f.Op == Create && at.mode == 0 {
			at.mode = f.Base.Mode
		}
		l.cutter.cut(s, at, f)
	}
	if s.state() == "" {
		l.mu.Unlock()
		return ChangeSet{}, ErrNoChange
	}
	l.sets = append(l.sets, s)
	l.byID[s.id] = s
	l.prune()
	cs := s.value(l.files.Encoding(), true)
	l.publish(s.touched()...)
	l.mu.Unlock()
	l.notify()
	return cs, nil
}

func nameOf(f Proposed) string {
	if f.Path == "" {
		return string(f.URI)
	}
	return f.Path
}

// check validates a file of a proposal and reads it.
func (w workspace) check(ctx context.Context, f Proposed) (closed.State, error) {
	switch f.Op {
	case Create, Modify, Delete:
	case Rename:
		if f.NewPath == "" || f.Base.Text != nil && f.New != f.Base.Text.String() {
			return closed.State{}, fmt.Errorf("a rename needs a new path and must not change the text; propose text changes separately")
		}
	default:
		return closed.State{}, fmt.Errorf("unknown operation %q", f.Op)
	}
	if f.Path == "" {
		return closed.None(), nil
	}
	if _, err := disk.Encode(f.New, f.Base.Format); err != nil && f.Base.Document == nil {
		return closed.State{}, err
	}
	found, err := w.Load(ctx, f.Path)
	if err != nil && w.Snapshot().DocumentAt(f.Path) == nil {
		return closed.State{}, err
	}
	return found, nil
}

// placeFor returns a place, and creates it if needed. l.mu is held.
func (l *Ledger) placeFor(path string, uri ide.URI) *place {
	key := keyOfPlace(path, uri)
	p := l.places[key]
	if p == nil {
		if path != "" {
			uri = ide.FileURI(path)
		}
		p = &place{path: path, uri: uri, text: ide.NewText("")}
		if d := l.files.document(p); d != nil {
			p.doc, p.text, p.exists = d, d.Text, true
		}
		l.places[key] = p
	}
	return p
}

// Runs reports whether the proposal changes what tools of a project run by themselves.
func (f Proposed) Runs() bool {
	before, after := "", f.New
	if f.Base.Text != nil && f.Op != Create {
		before = f.Base.Text.String()
	}
	if f.Op == Delete {
		after = ""
	}
	return builds.Runs(filepath.ToSlash(f.Path), before, after) || f.NewPath != "" && builds.Runs(filepath.ToSlash(f.NewPath), "", after)
}

// cutter splits proposed files into hunks.
type cutter struct {
	files  workspace
	orders int // hunks so far
}

// cut splits a proposed file into hunks. The ledger's mu is held.
func (c *cutter) cut(s *set, at *place, f Proposed) {
	base := ""
	if f.Base.Text != nil {
		base = f.Base.Text.String()
	}
	in := &file{set: s, place: at, op: f.Op, runs: f.Runs(), verification: f.Verification}
	if f.Op == Rename {
		in.newPath = f.NewPath
	}
	if d := f.Base.Document; d != nil {
		in.version, in.wasOpen = d.Version, true
	}
	in.diff = c.unified(f.Op, f.Path, cmp.Or(in.newPath, f.Path), f.URI, base, f.New)
	s.files = append(s.files, in)
	v := at.view(s.author())
	if f.Op != Modify || !at.exists && len(v.Pieces) > 0 {
		c.cutWhole(in, v, base, f)
		return
	}
	stale := ide.NewMapping(ide.LineSplices(base, v.Text, 0)...)
	text := ide.NewText(v.Text)
	var changes []span.Change
	for _, k := range diff.Hunks(base, f.New) {
		x, y, how := stale.Span(k.Old.A, k.Old.B, text)
		changes = append(changes, span.Change{X: x, Y: y, Old: base[k.Old.A:k.Old.B], New: f.New[k.New.A:k.New.B], Stale: how == ide.Inside || !at.exists, Formatted: f.formats(k.New.A, k.New.B)})
	}
	for _, group := range v.Inseparable(changes) {
		wide, over := v.Live(group...)
		h := c.newHunk(in)
		end := wide.U
		for _, k := range group {
			h.formatted = h.formatted || k.Formatted
			same := v.Text[end:k.X]
			h.old, h.new, end = h.old+same+k.Old, h.new+same+k.New, k.Y
		}
		h.old, h.new = h.old+v.Text[end:wide.V], h.new+v.Text[end:wide.V]
		for _, o := range over {
			h.needs = append(h.needs, need{o.Of, o.U - wide.U, o.Of.new})
		}
		if group[0].Stale {
			h.needs, h.unplaced, h.unmatched = nil, true, true
			h.old, h.new = group[0].Old, group[0].New
			h.set(Conflicted, reasonStale)
		}
		at.follow(h, wide.A, wide.B)
	}
}

// cutWhole makes the single hunk of a file that is created, deleted or renamed, or
// modified while its creation is pending.
func (c *cutter) cutWhole(in *file, v view, base string, f Proposed) {
	h := c.newHunk(in)
	h.whole, h.formatted = true, len(f.Formatted) > 0
	switch f.Op {
	case Create:
		h.new = f.New
	case Modify:
		h.old, h.new = base, f.New
	case Delete:
		h.old = base
	case Rename:
	default:
		panic("ledger: unknown operation " + string(f.Op))
	}
	if len(v.Pieces) == 1 && v.Pieces[0].Of.whole && f.Op != Create {
		h.needs = []need{{v.Pieces[0].Of, 0, v.Pieces[0].Of.new}}
	}
	at := in.place
	at.follow(h, 0, at.text.Len())
	at.judgeOne(h)
	if !h.state.proposed() {
		why := reasonStale
		switch {
		case f.Op == Create:
			why = reasonCreated
		case !at.exists:
			why = reasonMissing
		}
		h.set(Conflicted, why)
	}
}

// unified returns the diff of a file, which moves to newPath.
func (c *cutter) unified(op Op, path, newPath string, uri ide.URI, before, after string) string {
	a, b := c.files.DiffName(path, uri, "a"), c.files.DiffName(newPath, uri, "b")
	if op == Create {
		a = noFile
	}
	if op == Delete {
		b = noFile
	}
	return diff.Unified(a, b, before, after)
}

// noFile is the name in a diff of a file that does not exist.
const noFile = "/dev/null"

// formats reports whether a formatter has changed bytes of the new text from a to b, or
// removed some there.
func (f Proposed) formats(a, b int) bool {
	return slices.ContainsFunc(f.Formatted, func(s Bytes) bool { return s.A <= b && a <= s.B })
}

func (c *cutter) newHunk(in *file) *hunk {
	c.orders++
	n := 1
	for _, f := range in.set.files {
		n += len(f.hunks)
	}
	h := &hunk{id: fmt.Sprintf("%s.%d", in.set.id, n), order: c.orders, file: in, state: Pending}
	in.hunks = append(in.hunks, h)
	return h
}

// touched returns the change set and those that share a place with it.
func (s *set) touched() []*set {
	list := []*set{s}
	for _, f := range s.files {
		for _, o := range f.place.sets() {
			if o != s {
				list = append(list, o)
			}
		}
	}
	return list
}

// maxDecided bounds the decided hunks that are followed. Those to be reviewed do not count.
const maxDecided = 1000

// prune stops following the oldest decided hunks. l.mu is held.
func (l *Ledger) prune() {
	n := 0
	for _, s := range l.sets {
		for _, f := range s.files {
			for _, h := range f.hunks {
				if h.followed && h.settled() {
					n++
				}
			}
		}
	}
	for _, s := range l.sets {
		for _, f := range s.files {
			if n <= maxDecided {
				return
			}
			f.place.drop(func(h *hunk) bool {
				drop := n > maxDecided && h.file == f && h.settled() && h.goal.state == ""
				if drop {
					n--
				}
				return drop
			}, l.files.Encoding())
		}
	}
}
