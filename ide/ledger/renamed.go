package ledger

import (
	"path/filepath"
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/paths"
)

// renames moves hunks when the user renames files.
type renames struct{ *Ledger }

// follow moves the hunks of a file, or of all files in a folder, to the new path.
// It runs on the read loop and does not access the disk.
func (l renames) follow(from, to string) {
	l.mu.Lock()
	defer l.notify()
	defer l.mu.Unlock()
	for _, p := range l.placesIn(from) {
		rest, _ := filepath.Rel(from, p.path) // p.path is below from
		l.move(p, filepath.Join(to, rest))
	}
}

// placesIn returns the places of a path and of everything below it.
func (l renames) placesIn(path string) (in []*place) {
	for _, p := range l.places {
		if p.path != "" && paths.Within(p.path, path) {
			in = append(in, p)
		}
	}
	return in
}

// move changes the path of a place, unless hunks are followed at the new path, or
// the rename is itself a proposed change. The caller holds l.mu.
func (l renames) move(p *place, path string) {
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
		p.opened(d)
	} else {
		p.taken++
		p.unsaved = false
		l.readClosed(p, pauseWait) // the editor may be about to open it
	}
	l.publish(sets...)
}

// repoint moves the decided change sets of one place to another. The caller holds
// l.mu.
func (l renames) repoint(from, to *place) {
	for _, s := range l.sets {
		for _, f := range s.files {
			if f.place == from {
				f.place = to
			}
		}
	}
}

// rest waits for d or until closing is closed.
func rest(d time.Duration, closing <-chan struct{}) {
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
