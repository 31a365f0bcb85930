package ledger

import (
	"context"
	"fmt"
)

// Compare returns the text of a file, named by its path or the URI of a document, before and
// after what waits in it, whoever proposed it: what it is and would be with all pending hunks,
// or with applied, what it would be without the hunks that are to be reviewed, and is. A file
// that does not exist has no text.
func (l *Ledger) Compare(ctx context.Context, name string, applied bool) (before, after string, err error) {
	l.mu.Lock()
	p := l.places[name]
	closed := p != nil && p.doc == nil && p.path != ""
	l.mu.Unlock()
	if p == nil {
		return "", "", fmt.Errorf("%s: %w", name, ErrUnknown)
	}
	var found onDisk
	if closed {
		if found, err = l.files.load(ctx, name); err != nil {
			return "", "", err
		}
	}
	l.mu.Lock()
	defer l.notify()
	defer l.mu.Unlock()
	if closed && p.doc == nil && p.path == name {
		p.refresh(found)
		l.publish(p.changeSets()...)
	}
	if !applied {
		v := p.viewOf(func(*hunk) bool { return true })
		switch {
		case v.exists:
			after = v.text
		case len(v.pieces) > 0 && v.pieces[len(v.pieces)-1].of.file.op == Rename:
			after = p.movedFile(v).Text.String()
		}
		return p.text.String(), after, nil
	}
	taken := map[*hunk]bool{}
	for _, h := range p.hunks {
		if h.unreviewed() {
			taken[h] = true
		}
	}
	if text := p.without(nil, taken); text != nil {
		before = *text
	}
	return before, p.text.String(), nil
}
