package walk

import (
	"context"
	"path"
	"sync"
	"sync/atomic"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
)

// ahead bounds the entries that helpers have found and that are not yielded yet.
const ahead = 1 << 15

// walker is one walk. The caller's goroutine yields the entries in order, and reads
// the next folder itself if no helper does. Helpers read ahead. So nobody waits for
// work that has not started.
type walker struct {
	ctx     context.Context // of the walk, which is one call
	tree    *disk.Tree
	dir     disk.Path
	o       Options
	helpers sync.WaitGroup

	mu      sync.Mutex
	changed *sync.Cond // next, found or stopped has
	next    []*folder  // to read, the nearest last
	found   int        // entries that are not yielded yet
	stopped bool
}

// folder is a folder of the walk.
type folder struct {
	rel   string
	above *folder
	taken atomic.Bool   // it is being read, or was
	done  chan struct{} // closed when the fields below are set

	rules   *ignore.Rules
	entries []entry
	gaps    []error
}

func (f *folder) name() string { return path.Base(f.rel) }

// entry is an entry of a folder.
type entry struct {
	File
	below *folder // of a folder to walk, until it is yielded
}

func newWalker(ctx context.Context, tree *disk.Tree, dir disk.Path, o Options) *walker {
	w := &walker{ctx: ctx, tree: tree, dir: dir, o: o}
	w.changed = sync.NewCond(&w.mu)
	return w
}

// await waits until the folder is read, and reads it or others meanwhile.
func (w *walker) await(f *folder) {
	if f.taken.CompareAndSwap(false, true) {
		w.list(f)
		return
	}
	for {
		select {
		case <-f.done:
			return
		default:
		}
		other := w.nextFolder(false)
		if other == nil {
			<-f.done
			return
		}
		w.list(other)
	}
}

// readAhead reads folders until the walk is over.
func (w *walker) readAhead() {
	for f := w.nextFolder(true); f != nil; f = w.nextFolder(true) {
		w.list(f)
	}
}

// nextFolder returns the folder to read next. If there is none, or enough entries were
// found, it waits or returns nil. It returns nil at the end of the walk.
func (w *walker) nextFolder(wait bool) *folder {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for w.found < ahead && len(w.next) > 0 && !w.stopped {
			last := len(w.next) - 1
			f := w.next[last]
			w.next[last], w.next = nil, w.next[:last]
			if f.taken.CompareAndSwap(false, true) {
				return f
			}
		}
		if !wait || w.stopped || w.ctx.Err() != nil {
			return nil
		}
		w.changed.Wait()
	}
}

// offer adds the folders that were found in f. The first is taken first.
func (w *walker) offer(f *folder) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.found += len(f.entries)
	some := false
	for i := len(f.entries) - 1; i >= 0; i-- {
		if below := f.entries[i].below; below != nil {
			w.next = append(w.next, below)
			some = true
		}
	}
	if some {
		w.changed.Broadcast()
	}
}

// forget notes that n entries have been yielded.
func (w *walker) forget(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	full := w.found >= ahead
	w.found -= n
	if full && w.found < ahead {
		w.changed.Broadcast()
	}
}

// stop ends the helpers.
func (w *walker) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.changed.Broadcast()
}
