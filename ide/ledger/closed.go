package ledger

import (
	"context"
	"errors"
	"io/fs"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
)

// write is what has to be done with a file that no editor has open.
type write struct {
	at      *place
	ops     []*op
	splices []ide.Splice
	text    *string // of a new file
	remove  bool
	from,
	to string // the paths of a rename
}

// isStale says whether an error means that the file is not what it was.
func isStale(err error) bool {
	return errors.Is(err, disk.ErrChanged) || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist)
}

// write carries it out, unless the file was opened or changed meanwhile, and
// takes in what the disk holds then.
func (l *Ledger) write(ctx context.Context, w *write) error {
	l.mu.Lock()
	p := w.at
	open, text, hash, format := p.doc != nil, p.text, p.hash, p.format
	l.mu.Unlock()
	if open {
		return nil // the next try asks the editor
	}
	err := l.toDisk(ctx, w, text, format, hash)
	f, lerr := l.load(context.WithoutCancel(ctx), p.path) // what was written must be known
	if err == nil {
		err = lerr
	}
	if lerr == nil {
		l.mu.Lock()
		if p.doc == nil {
			p.written(w, f)
			l.publish(p.sets()...)
		}
		l.mu.Unlock()
		l.tell()
	}
	return err
}

// toDisk reaches the place that was decided about, or none.
func (l *Ledger) toDisk(ctx context.Context, w *write, text *ide.Text, format disk.Format, hash disk.Hash) error {
	tree := l.o.Workspace.Snapshot().Tree()
	path, err := tree.At(w.at.path)
	if err != nil {
		return err
	}
	was := text
	switch {
	case w.remove:
		return tree.Remove(ctx, path, &hash)
	case w.to != "":
		from, err := tree.At(w.from)
		if err != nil {
			return err
		}
		to, err := tree.At(w.to)
		if err != nil {
			return err
		}
		return tree.Rename(ctx, from, to)
	case w.text != nil:
		text, hash = ide.NewText(*w.text), disk.Hash{}
	default:
		text = text.Replace(w.splices)
	}
	data, err := disk.Encode(text.String(), format)
	if errors.Is(err, disk.ErrEncoding) && isASCII(was) { // nothing in it holds it to that encoding
		data, err = disk.Encode(text.String(), disk.Format{})
	}
	if err != nil {
		return err
	}
	return tree.Write(ctx, path, data, disk.WriteOptions{Expect: &hash})
}

// written takes in what the disk holds after a write. When it is the text that
// was wanted, the hunks are where the splices put them.
func (p *place) written(w *write, f onDisk) {
	after := p.text
	if len(w.splices) > 0 && f.exists {
		after = p.text.Replace(w.splices)
	}
	if len(w.splices) > 0 && after.String() == f.text.String() {
		before, record := p.text, p.past.draw(p)
		p.move(w.splices, after)
		p.past.keep(before, record)          // it comes back when this is taken back
		if m, ok := p.past.find(after); ok { // the place expected it
			p.recall(m)
		}
		p.settle()
	}
	p.refresh(f)
}
