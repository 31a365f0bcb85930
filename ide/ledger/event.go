package ledger

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
)

// event follows what happened to an open document. It runs on the read loop.
func (l *Ledger) event(e ide.Event) {
	d := e.After
	if d == nil {
		d = e.Before
	}
	key := keyOfDocument(d)
	var found onDisk
	if e.Kind == ide.Closed && l.follows(key) {
		// The read loop has no context of its own; the file is small or refused.
		found, _ = l.load(context.Background(), d.Path)
	}
	l.mu.Lock()
	defer l.tell()
	defer l.mu.Unlock()
	p := l.places[key]
	switch e.Kind {
	case ide.Opened:
		l.docs[key] = d
		if p != nil {
			p.land() // what there was of an edit is in the text, or is not
			p.opened(d)
		}
	case ide.Changed:
		l.docs[key] = d
		if p != nil {
			p.doc = d
			p.typing = true
			p.change(e.Splices, d.Text)
			p.typing = false
			l.awaitPause(p)
		}
	case ide.Saved:
		l.docs[key] = d
		if p != nil {
			p.doc, p.unsaved = d, false
		}
		return
	case ide.Closed:
		if now := l.docs[key]; now == nil || now.URI != d.URI {
			return // the file is open under another name
		}
		delete(l.docs, key)
		if p != nil {
			p.land()
			p.closed(found, l.encoding())
		}
	default:
		panic("ledger: unknown kind of event")
	}
	if p != nil && p.flight == nil {
		l.publish(p.sets()...)
	}
}

func (l *Ledger) follows(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.places[key]
	return p != nil && len(p.hunks) > 0
}

// opened takes in the editor's text.
func (p *place) opened(d *ide.Document) {
	p.unsaved = p.doc == nil && !p.exists
	p.doc = d
	p.become(d.Text, true)
	unseen := p.unseen
	p.unseen = nil
	for _, h := range unseen {
		if !h.followed && h.state == Accepted {
			p.regain(h)
		}
	}
	for _, s := range p.sets() {
		s.changed = true // its document is open now
	}
}

// closed takes in the disk's text. What was decided stays as it is and is not
// followed any more.
func (p *place) closed(f onDisk, e ide.Encoding) {
	p.doc, p.unsaved = nil, false
	p.finish()
	for _, s := range p.sets() {
		s.changed = true
	}
	p.drop(func(h *hunk) bool { return h.state != Pending && h.goal == "" }, e)
	p.found(f)
	p.become(f.text, f.exists)
}

// onDisk is what a path holds on the disk.
type onDisk struct {
	text   *ide.Text
	exists bool
	format disk.Format
	hash   disk.Hash
}

// load reads a file of the workspace; one that does not exist is empty, and so
// is one to which a link has come to lead.
func (l *Ledger) load(ctx context.Context, path string) (onDisk, error) {
	none := onDisk{text: ide.NewText("")}
	if path == "" {
		return none, nil
	}
	tree := l.o.Workspace.Snapshot().Tree()
	p, err := tree.At(path)
	if err != nil {
		return none, err
	}
	t, err := tree.ReadText(ctx, p)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, disk.ErrMoved):
		return none, nil
	case err != nil:
		return none, err
	}
	return onDisk{ide.NewText(t.Text), true, t.Format, t.Hash}, nil
}

// refresh takes in what the disk holds, unless the file is open.
func (p *place) refresh(f onDisk) {
	if p.doc == nil {
		p.found(f)
		p.become(f.text, f.exists)
	}
}

// found notes how the file is written. What cannot be told from its bytes stays
// as it was: of a file that is gone, and of one in Latin-1 that holds nothing any
// more by which it would differ from UTF-8.
func (p *place) found(f onDisk) {
	p.hash = f.hash
	if !f.exists || p.format.Encoding == disk.Latin1 && f.format == (disk.Format{Encoding: disk.UTF8}) && isASCII(f.text) {
		return
	}
	p.format = f.format
}

func isASCII(t *ide.Text) bool {
	return !strings.ContainsFunc(t.String(), func(r rune) bool { return r >= utf8.RuneSelf })
}
