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
	"github.com/emendo-dev/emendo/internal/builds"
)

// Propose adds a change set. Its hunks are pending, or conflicted if their old text
// has changed since the proposal's base was read. A new text that the file's
// encoding cannot represent is an error.
func (l *Ledger) Propose(ctx context.Context, p Proposal) (ChangeSet, error) {
	s := &set{id: l.o.NewID(), session: p.SessionID, turn: p.TurnID, call: p.CallID, title: p.Title, origin: cmp.Or(p.Origin, OfEdit), round: p.Round, applies: p.Applies, changed: true}
	found := make([]onDisk, len(p.Files))
	for i, f := range p.Files {
		var err error
		if found[i], err = l.files.check(ctx, f); err != nil {
			return ChangeSet{}, fmt.Errorf("propose a change of %s: %w", f.Name(), err)
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
		l.cutIntoHunks(s, at, f)
	}
	if s.state() == "" {
		l.mu.Unlock()
		return ChangeSet{}, ErrNoChange
	}
	l.prune()
	s.since = l.roundBefore(s)
	cs := s.value(l.encoding, true)
	l.addSet(s)
	l.mu.Unlock()
	l.notify()
	return cs, nil
}

// addSet adds a change set. l.mu is held.
func (l *Ledger) addSet(s *set) {
	l.sets = append(l.sets, s)
	l.byID[s.id] = s
	l.publish(s.touched()...)
}

// roundBefore returns the last round before that of a change set in which its session changed
// one of its files.
func (l *Ledger) roundBefore(s *set) (round int) {
	for _, o := range l.sets {
		if o.session == s.session && s.session != "" && o.round < s.round && slices.ContainsFunc(o.files, func(f *file) bool {
			return slices.ContainsFunc(s.files, func(own *file) bool { return own.place == f.place })
		}) {
			round = max(round, o.round)
		}
	}
	return round
}

// Name returns the path of the file, or the URI of a document that is not a file.
func (f Proposed) Name() string { return cmp.Or(f.Path, string(f.URI)) }

// check validates a file of a proposal and reads it.
func (w files) check(ctx context.Context, f Proposed) (onDisk, error) {
	switch f.Op {
	case Create, Modify, Delete:
	case Rename:
		if f.NewPath == "" || f.Base.Text != nil && f.New != f.Base.Text.String() {
			return onDisk{}, fmt.Errorf("a rename needs a new path and must not change the text; propose text changes separately")
		}
	default:
		return onDisk{}, fmt.Errorf("unknown operation %q", f.Op)
	}
	if f.Path == "" {
		return noFile(), nil
	}
	if _, err := disk.Encode(f.New, f.Base.Format); err != nil && f.Base.Document == nil {
		return onDisk{}, err
	}
	found, err := w.load(ctx, f.Path)
	if err != nil && w.workspace.Snapshot().DocumentAt(f.Path) == nil {
		return onDisk{}, err
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

// cutIntoHunks splits a proposed file into hunks. l.mu is held.
func (l *Ledger) cutIntoHunks(s *set, at *place, f Proposed) {
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
	in.diff = l.files.unified(f.Op, f.Path, cmp.Or(in.newPath, f.Path), f.URI, base, f.New)
	s.files = append(s.files, in)
	v := at.view(s.author())
	if f.Op != Modify || !at.exists && len(v.pieces) > 0 {
		l.cutWhole(in, v, base, f)
		return
	}
	stale := ide.NewMapping(ide.LineSplices(base, v.text, 0)...)
	text := ide.NewText(v.text)
	var changes []viewChange
	for _, k := range diff.Hunks(base, f.New) {
		x, y, how := stale.Span(k.Old.A, k.Old.B, text)
		changes = append(changes, viewChange{x: x, y: y, old: base[k.Old.A:k.Old.B], new: f.New[k.New.A:k.New.B], stale: how == ide.Inside || !at.exists, formatted: f.formats(k.New.A, k.New.B)})
	}
	for _, group := range v.inseparable(changes) {
		wide, over := v.inLiveText(group...)
		h := l.newHunk(in)
		end := wide.u
		for _, k := range group {
			h.formatted = h.formatted || k.formatted
			same := v.text[end:k.x]
			h.old, h.new, end = h.old+same+k.old, h.new+same+k.new, k.y
		}
		h.old, h.new = h.old+v.text[end:wide.v], h.new+v.text[end:wide.v]
		var needs []need
		for _, o := range over {
			needs = append(needs, need{o.of, o.u - wide.u, o.of.new})
		}
		if group[0].stale {
			needs, h.unplaced, h.unmatched = nil, true, true
			h.old, h.new = group[0].old, group[0].new
			h.setState(Conflicted, reasonStale)
		}
		h.basedOn(needs)
		at.follow(h, wide.a, wide.b)
	}
}

// cutWhole makes the single hunk of a file that is created, deleted or renamed, or
// modified while its creation is pending.
func (l *Ledger) cutWhole(in *file, v view, base string, f Proposed) {
	h := l.newHunk(in)
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
	if len(v.pieces) == 1 && v.pieces[0].of.whole && f.Op != Create {
		h.basedOn([]need{{v.pieces[0].of, 0, v.pieces[0].of.new}})
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
		h.setState(Conflicted, why)
	}
}

// formats reports whether a formatter has changed bytes of the new text from a to b, or
// removed some there.
func (f Proposed) formats(a, b int) bool {
	return slices.ContainsFunc(f.Formatted, func(s Bytes) bool { return s.A <= b && a <= s.B })
}

func (l *Ledger) newHunk(in *file) *hunk {
	l.orders++
	h := &hunk{id: fmt.Sprintf("%s.%d", in.set.id, len(in.set.hunkByID)+1), order: l.orders, file: in, state: Pending}
	in.add(h)
	return h
}

// add adds a hunk to the file.
func (f *file) add(h *hunk) {
	f.hunks = append(f.hunks, h)
	if f.set.hunkByID == nil {
		f.set.hunkByID = map[string]*hunk{}
	}
	f.set.hunkByID[h.id] = h
}

// touched returns the change set and those that share a place with it.
func (s *set) touched() []*set {
	list := []*set{s}
	for _, f := range s.files {
		for _, o := range f.place.changeSets() {
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
		for h := range s.hunks() {
			if h.followed && h.settled() {
				n++
			}
		}
	}
	for _, s := range l.sets {
		for _, f := range s.files {
			if n <= maxDecided {
				return
			}
			f.place.unfollow(func(h *hunk) bool {
				drop := n > maxDecided && h.file == f && h.settled() && h.goal.state == ""
				if drop {
					n--
				}
				return drop
			}, l.encoding)
		}
	}
}
