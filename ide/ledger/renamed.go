package ledger

import (
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/paths"
)

// followRename moves the hunks of a file, or of all files in a folder, to the new path.
// It runs on the read loop and does not access the disk.
func (l *Ledger) followRename(from, to string) {
	l.mu.Lock()
	defer l.notify()
	defer l.mu.Unlock()
	for _, p := range slices.Collect(maps.Values(l.places)) {
		if p.path != "" && paths.Within(p.path, from) {
			rest, _ := filepath.Rel(from, p.path) // p.path is below from
			l.movePlace(p, filepath.Join(to, rest))
		}
	}
}

// movePlace changes the path of a place, unless hunks are followed at the new path, or
// the rename is itself a proposed change. The caller holds l.mu.
func (l *Ledger) movePlace(p *place, path string) {
	if path == p.path {
		return
	}
	var sets []*set
	for _, s := range l.sets {
		for _, f := range s.files {
			switch {
			case f.place != p:
			case f.op == Rename && f.newPath == path:
				return
			default:
				sets = append(sets, s)
			}
		}
	}
	if there := l.places[path]; there != nil {
		if len(there.hunks)+len(there.unseen) > 0 {
			return
		}
		l.repoint(there, p)
	}
	p.endEdit()
	p.endTyping()
	delete(l.places, p.path)
	p.path, p.uri = path, ide.FileURI(path)
	l.places[path] = p
	for _, s := range sets {
		s.changed, s.renamed = true, true
	}
	p.doc = nil
	if d := l.files.document(p); d != nil {
		p.switchToDocument(d)
	} else {
		p.taken++
		p.unsaved = false
		l.readClosed(p, pauseWait) // the editor may be about to open it
	}
	l.publish(sets...)
}

// repoint moves the decided change sets and the marks of one place to another. The caller holds
// l.mu.
func (l *Ledger) repoint(from, to *place) {
	for _, s := range l.sets {
		for _, f := range s.files {
			if f.place == from {
				f.place = to
			}
		}
	}
	for _, m := range from.marks {
		m.place = to
	}
	to.marks = append(to.marks, from.marks...)
}

// pause waits for d or until closing is closed.
func pause(d time.Duration, closing <-chan struct{}) {
	if d == 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-closing:
	}
}
