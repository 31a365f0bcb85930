package ledger

import (
	"context"
	"io/fs"

	"github.com/emendo-dev/emendo/ide"
)

// write is a change of a file that is not open.
type write struct {
	at      *place
	path    string    // of the file; the user may rename it
	base    *ide.Text // of the file, which the splices are for
	stored            // the file with that text
	ops     []*op
	splices []ide.Splice
	text    *string // of a new file
	remove  bool
	chmod   fs.FileMode // if not zero, the permissions from then on
	from,
	to string // the paths of a rename
}

// write applies w, unless the file was opened or changed meanwhile, and updates the
// place from the disk.
func (l *Ledger) write(ctx context.Context, w *write) error {
	l.mu.Lock()
	p := w.at
	open := p.doc != nil
	l.mu.Unlock()
	if open {
		return nil // the next attempt asks the editor
	}
	err := l.files.carryOut(ctx, w)
	f, lerr := l.files.load(context.WithoutCancel(ctx), w.path) // the result of the write is needed in any case
	if err == nil {
		err = lerr
	}
	if lerr == nil {
		l.mu.Lock()
		if p.doc == nil && p.path == w.path {
			p.written(w, f)
			l.publish(p.changeSets()...)
		}
		l.mu.Unlock()
		l.notify()
	}
	return err
}

// written updates the place after a write. If the disk has the wanted text, the
// hunks are where the splices moved them, unless something else has read the file.
func (p *place) written(w *write, f onDisk) {
	after := p.text
	same := len(w.splices) > 0 && f.exists && p.text.String() == w.base.String()
	if same {
		after = p.text.Replace(w.splices)
	}
	same = same && after.String() == f.text.String()
	if same || w.remove && !f.exists || w.text != nil && f.text.String() == *w.text {
		p.keeping = p.uneditedBy(hunksOf(w.ops))
	}
	if same {
		before, record := p.text, p.spans()
		p.move(w.splices, after)
		if after.String() != before.String() { // if splices cancel out, the text remains, but not the spans
			p.past.remember(before, record) // restored if this is undone
		}
		if m, ok := p.past.find(after); ok { // this text was expected
			p.restoreSpans(m)
		}
		p.completeChange()
	}
	p.refresh(f)
	p.recordLeft(p.keeping)
	p.keeping = nil
}
