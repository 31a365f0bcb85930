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
	"github.com/emendo-dev/emendo/ide/ledger/closed"
	"github.com/emendo-dev/emendo/ide/ledger/span"
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
	f, err := l.files.Read(ctx, name)
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
		p.refresh(closed.State{Text: f.Text, Exists: err == nil, Format: f.Format, Hash: f.Hash, Mode: f.Mode})
		l.publish(p.sets()...)
	}
	v := p.view(authorOf(sessionID))
	switch {
	case len(v.Pieces) == 0:
		return f, err
	case !v.Exists:
		return p.moved(v), fmt.Errorf("read %s: a pending change of this session deletes it: %w", name, fs.ErrNotExist)
	}
	return ide.File{Path: p.path, Document: p.doc, Text: ide.NewText(v.Text), Format: p.format, Hash: p.hash}, nil
}

// moved returns the file that a pending move in a view would make; none without one.
func (p *place) moved(v view) ide.File {
	move := v.Pieces[len(v.Pieces)-1].Of
	if move.file.op != Rename {
		return ide.File{}
	}
	of := move.file.set.author()
	text := p.viewOf(func(h *hunk) bool { return h != move && h.file.set.author() == of }).Text
	return ide.File{Path: move.file.newPath, Text: ide.NewText(text), Format: p.format}
}

// view is a place's text with an author's pending hunks applied.
type view = span.View[*hunk]

func (p *place) view(by author) view {
	return p.viewOf(func(h *hunk) bool { return h.file.set.author() == by })
}

// viewOf is the view with those pending hunks that belong to it.
func (p *place) viewOf(belongs func(*hunk) bool) view {
	v := view{Exists: p.exists}
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
		v.Pieces = append(v.Pieces, span.Piece[*hunk]{Of: h, A: h.a, B: h.b, U: u, V: out.Len()})
		at = h.b
		if h.whole {
			v.Exists = h.file.op == Create || h.file.op == Modify
		}
	}
	out.WriteString(text[at:])
	v.Text = out.String()
	return v
}
