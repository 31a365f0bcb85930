package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
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
	from,
	to string // the paths of a rename
}

// isStale reports whether an error means that the file has changed on disk.
func isStale(err error) bool {
	return errors.Is(err, disk.ErrChanged) || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist)
}

// write applies w, unless the file was opened or changed meanwhile, and updates the
// place from the disk.
func (g *group) write(ctx context.Context, w *write) error {
	l := g.l
	l.mu.Lock()
	p := w.at
	open := p.doc != nil
	l.mu.Unlock()
	if open {
		return nil // the next attempt asks the editor
	}
	err := l.files.change(ctx, w)
	f, lerr := l.files.load(context.WithoutCancel(ctx), w.path) // the result of the write is needed in any case
	if err == nil {
		err = lerr
	}
	if lerr == nil {
		l.mu.Lock()
		if p.doc == nil && p.path == w.path {
			p.written(w, f)
			l.publish(p.sets()...)
		}
		l.mu.Unlock()
		l.notify()
	}
	return err
}

// change applies w on disk. It only changes the exact file that was decided about.
func (ws workspace) change(ctx context.Context, w *write) error {
	text, format, hash := w.base, w.format, w.hash
	tree := ws.Snapshot().Tree()
	path, err := tree.At(w.path)
	if err != nil {
		return err
	}
	from := ws.Source()
	// Another program may not keep an encoding, so only we write such a file, and only
	// we remove and rename.
	written := !w.remove && w.to == "" && format.Plain()
	if from != nil && !written && from.Document(ctx, path.Abs) != nil {
		return fmt.Errorf("the file was opened: %w", disk.ErrChanged)
	}
	was, before := text, text
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
		text, hash, before = ide.NewText(*w.text), disk.Hash{}, nil
	default:
		text = text.Replace(w.splices)
	}
	if from != nil && written {
		done, err := from.Write(ctx, path.Abs, before, text)
		if done && err == nil && before == nil && w.mode != 0 {
			err = tree.Chmod(path, w.mode) // the editor knows nothing of the file that was there
		}
		if done || err != nil {
			return err
		}
	}
	data, err := disk.Encode(text.String(), format)
	if errors.Is(err, disk.ErrEncoding) && isASCII(was) { // ASCII does not need the old encoding
		data, err = disk.Encode(text.String(), disk.Format{})
	}
	if err != nil {
		return err
	}
	return tree.Write(ctx, path, data, disk.WriteOptions{Expect: &hash, Mode: w.mode})
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
		p.keeping = p.unedited(hunksOf(w.ops))
	}
	if same {
		before, record := p.text, p.past.spans(p)
		p.move(w.splices, after)
		if after.String() != before.String() { // if splices cancel out, the text remains, but not the spans
			p.past.keep(before, record) // restored if this is undone
		}
		if m, ok := p.past.find(after); ok { // this text was expected
			p.recall(m)
		}
		p.settle()
	}
	p.refresh(f)
	p.leave(p.keeping)
	p.keeping = nil
}
