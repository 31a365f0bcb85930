package ledger

import (
	"context"
	"time"

	"github.com/emendo-dev/emendo/ide"
)

// event applies an event of an open document. It runs on the read loop and does not
// access the disk. A place created after the snapshot showed the event already has
// the new text.
func (l *Ledger) event(e ide.Event) {
	d := e.After
	if d == nil {
		d = e.Before
	}
	l.mu.Lock()
	defer l.notify()
	defer l.mu.Unlock()
	p := l.places[keyOfDocument(d)]
	if p == nil || p.doc == e.After {
		return
	}
	if e.Kind != ide.Opened && (p.doc == nil || p.doc.URI != d.URI) {
		return // the file is open under another name
	}
	switch e.Kind {
	case ide.Opened:
		p.endEdit() // no more of the edit will arrive
		p.switchToDocument(d)
	case ide.Changed:
		p.doc = d
		p.typing = true
		p.followChange(e.Splices, d.Text)
		p.typing = false
		l.awaitPause(p)
	case ide.Saved:
		p.doc, p.unsaved = d, false
		return
	case ide.Closed:
		p.endEdit()
		if other := l.files.document(p); other != nil {
			p.switchToDocument(other) // under the other name
			break
		}
		p.dropDocument(l.encoding)
		l.readClosed(p, 0)
	default:
		panic("ledger: unknown kind of event")
	}
	if p.sent == nil {
		l.publish(p.changeSets()...)
	}
	l.marksMoved = l.marksMoved || len(p.marks) > 0
}

// readClosed updates the place of a closed file from the disk after a wait, unless
// something else does so first. Until then its hunks stay where they were in the
// document; everything that acts on them reads the file itself. Waiting lets the
// editor report that a missing file was renamed. The caller holds l.mu.
func (l *Ledger) readClosed(p *place, wait time.Duration) {
	if l.closed {
		return
	}
	if p.path == "" || len(p.hunks)+len(p.marks) == 0 {
		p.refresh(noFile())
		return
	}
	at, path := p.taken, p.path
	l.reads.Go(func() {
		pause(wait, l.closing)
		f, _ := l.files.load(context.Background(), path) // Close waits for it; an unreadable file counts as missing
		if !f.exists && wait == 0 {
			pause(pauseWait, l.closing)
			f, _ = l.files.load(context.Background(), path)
		}
		l.mu.Lock()
		defer l.notify()
		defer l.mu.Unlock()
		if p.taken == at {
			p.refresh(f)
			l.publish(p.changeSets()...)
			l.marksMoved = l.marksMoved || len(p.marks) > 0
		}
	})
}

// switchToDocument switches to the editor's text.
func (p *place) switchToDocument(d *ide.Document) {
	p.unsaved = p.doc == nil && !p.exists
	p.doc = d
	p.taken++
	p.replaceText(d.Text, true)
	unseen := p.unseen
	p.unseen = nil
	for _, h := range unseen {
		if !h.followed && h.state.Applied() {
			p.followAccepted(h)
		}
	}
	p.followBelow()
	for _, s := range p.changeSets() {
		s.changed = true // its document is open now
	}
}

// dropDocument drops the editor's text. Decided hunks keep their state and are no longer
// followed, unless they are to be reviewed.
func (p *place) dropDocument(e ide.Encoding) {
	p.doc, p.unsaved = nil, false
	p.endTyping()
	for _, s := range p.changeSets() {
		s.changed = true
	}
	p.unfollow(func(h *hunk) bool { return h.settled() && h.goal.state == "" }, e)
}

// refresh switches to the text on disk, unless the file is open.
func (p *place) refresh(f onDisk) {
	if f.mode != 0 { // an open file, too, has permissions
		p.mode = f.mode
	}
	if p.doc == nil {
		p.taken++
		p.noteBytes(f)
		p.replaceText(f.text, f.exists)
	}
}

// noteBytes records the hash and format of the file. It keeps the format if the bytes
// do not show it: if the file is gone, or had a guessed encoding and is now plain ASCII.
func (s *stored) noteBytes(f onDisk) {
	s.hash = f.hash
	if !f.exists || s.format.Guessed() && f.format.Plain() && isASCII(f.text) {
		return
	}
	s.format = f.format
}
