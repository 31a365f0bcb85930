package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide"
)

// author is whose pending hunks belong together: those of the turns of a session, or what
// was proposed without a turn.
type author struct {
	session string
	turns   bool
}

func (s *set) author() author { return author{s.session, s.turn != ""} }

// authorOf returns the author for the turns of a session; without one, for what was proposed
// outside of all sessions.
func authorOf(sessionID string) author { return author{sessionID, sessionID != ""} }

// View returns a file as the proposals of the session's turns see it: its live text with
// their pending hunks applied. For a file with a pending deletion it returns
// [fs.ErrNotExist], for one with a pending move that and the file that it would be; one with
// a pending creation exists.
func (l *Ledger) View(ctx context.Context, sessionID, name string) (ide.File, error) {
	f, err := l.files.read(ctx, name)
	if err != nil && (f.Path == "" || !errors.Is(err, fs.ErrNotExist)) {
		return ide.File{}, err
	}
	l.mu.Lock()
	defer l.notify()
	defer l.mu.Unlock()
	key := f.Path
	if f.Document != nil {
		key = keyOfDocument(f.Document)
	}
	waited, werr := l.awaitEdit(ctx, key)
	if werr != nil {
		return ide.File{}, werr
	}
	p := l.places[key]
	if waited && p != nil && p.doc != nil {
		f.Document, f.Text, err = p.doc, p.text, nil
	}
	if p == nil {
		return f, err
	}
	if f.Document == nil {
		p.refresh(onDisk{f.Text, err == nil, stored{f.Format, f.Hash, f.Mode}})
		l.publish(p.changeSets()...)
	}
	v := p.view(authorOf(sessionID))
	switch {
	case len(v.pieces) == 0:
		return f, err
	case !v.exists:
		return p.movedFile(v), fmt.Errorf("read %s: a pending change of this session deletes it: %w", name, fs.ErrNotExist)
	}
	return ide.File{Path: p.path, Document: p.doc, Text: ide.NewText(v.text), Format: p.format, Hash: p.hash}, nil
}

// movedFile returns the file that a pending move in a view would make; none without one.
func (p *place) movedFile(v view) ide.File {
	move := v.pieces[len(v.pieces)-1].of
	if move.file.op != Rename {
		return ide.File{}
	}
	of := move.file.set.author()
	text := p.viewOf(func(h *hunk) bool { return h != move && h.file.set.author() == of }).text
	return ide.File{Path: move.file.newPath, Text: ide.NewText(text), Format: p.format}
}

// view is a place's text with an author's pending hunks applied.
type view struct {
	text   string
	exists bool    // the file does
	pieces []piece // ascending
}

// piece is where a hunk is applied: the bytes a to b of the live text are u to v of the view.
type piece struct {
	of         *hunk
	a, b, u, v int
}

func (p *place) view(by author) view {
	return p.viewOf(func(h *hunk) bool { return h.file.set.author() == by })
}

// viewOf is the view with those pending hunks that belong to it.
func (p *place) viewOf(belongs func(*hunk) bool) view {
	v := view{exists: p.exists}
	hidden := map[*hunk]bool{} // contained in a later hunk
	var top []*hunk
	for _, h := range slices.Backward(p.hunks) {
		if !h.state.proposed() || h.typed || !belongs(h) || hidden[h] {
			continue
		}
		for _, o := range p.hunks {
			hidden[o] = hidden[o] || h.needsHunk(o)
		}
		top = append(top, h)
	}
	slices.SortFunc(top, func(x, y *hunk) int { return cmp.Or(x.a-y.a, x.b-y.b, x.order-y.order) })
	text := p.text.String()
	var out strings.Builder
	at := 0
	for _, h := range top {
		if h.a < at {
			continue // an edit moved it onto another, and either may be wrong
		}
		out.WriteString(text[at:h.a])
		u := out.Len()
		out.WriteString(h.new)
		v.pieces = append(v.pieces, piece{of: h, a: h.a, b: h.b, u: u, v: out.Len()})
		at = h.b
		if h.whole {
			v.exists = h.file.op == Create || h.file.op == Modify
		}
	}
	out.WriteString(text[at:])
	v.text = out.String()
	return v
}

// viewChange replaces the bytes x to y of a view.
type viewChange struct {
	x, y      int
	old, new  string
	stale     bool // the text there is not the one any more that it was made from
	formatted bool // a formatter changed new
}

// inLiveText maps changes of the view, ascending, to the live text, extended to the pieces
// that they overlap: a hunk there depends on them. An empty change at the edge of a piece
// depends on it too, because it is unknown on which side the insertion is. What is between
// the changes belongs to them.
func (v view) inLiveText(changes ...viewChange) (wide piece, over []piece) {
	wide = piece{u: changes[0].x, v: changes[len(changes)-1].y}
	taken := func(p piece) bool {
		return slices.ContainsFunc(changes, p.meets) || p.u < changes[len(changes)-1].y && p.v > changes[0].x
	}
	for _, p := range v.pieces {
		if taken(p) {
			over = append(over, p)
			wide.u, wide.v = min(wide.u, p.u), max(wide.v, p.v)
		}
	}
	wide.a, wide.b = wide.u, wide.v
	for _, p := range v.pieces {
		grown := (p.b - p.a) - (p.v - p.u)
		switch {
		case taken(p):
			wide.b += grown
		case p.v <= wide.u && (p.u < wide.u || p.v == wide.u && wide.u < wide.v):
			wide.a += grown
			wide.b += grown
		}
	}
	return wide, over
}

// meets reports whether a change overlaps a piece, or is empty and at its edge.
func (p piece) meets(c viewChange) bool {
	if c.x == c.y {
		return p.u <= c.x && c.x <= p.v
	}
	return p.u < c.y && p.v > c.x
}

// inseparable splits changes, ascending, into groups: two that overlap one piece cannot be
// applied one without the other, since each would bring the text of that piece.
func (v view) inseparable(changes []viewChange) (groups [][]viewChange) {
	for _, c := range changes {
		n := len(groups)
		if n > 0 && !c.stale && !groups[n-1][0].stale && slices.ContainsFunc(v.pieces, func(p piece) bool {
			return p.meets(c) && slices.ContainsFunc(groups[n-1], p.meets)
		}) {
			groups[n-1] = append(groups[n-1], c)
			continue
		}
		groups = append(groups, []viewChange{c})
	}
	return groups
}
