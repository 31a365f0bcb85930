package walk

import (
	"context"
	"path"
	"sync"
	"sync/atomic"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
)

// ahead is how many entries the helpers may have found that are not yielded
// yet.
const ahead = 1 << 15

// walker is one walk. Whoever walks yields the entries in order and reads
// what comes next if nobody does; helpers read ahead of that. So nobody waits
// for work that is not under way.
type walker struct {
	ctx     context.Context // of the walk, which is one call
	tree    *disk.Tree
	dir     disk.Path
	o       Options
	helpers sync.WaitGroup

	mu      sync.Mutex
	changed *sync.Cond // next, found or stopped has
	next    []*folder  // to be read, the nearest last
	found   int        // entries not yielded yet
	stopped bool
}

// folder of the walk.
type folder struct {
	rel   string
	above *folder
	taken atomic.Bool   // somebody reads it or has
	done  chan struct{} // closed when what follows is known

	rules   *ignore.Rules
	entries []entry
	gaps    []error
}

func (f *folder) name() string { return path.Base(f.rel) }

// entry of a folder.
type entry struct {
	File
	below *folder // of a folder that is entered, until it is yielded
}

func newWalker(ctx context.Context, tree *disk.Tree, dir disk.Path, o Options) *walker {
	w := &walker{ctx: ctx, tree: tree, dir: dir, o: o}
	w.changed = sync.NewCond(&w.mu)
	return w
}

// await returns when the folder is read, and reads it, or others, meanwhile.
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
		other := w.take(false)
		if other == nil {
			<-f.done
			return
		}
		w.list(other)
	}
}

// help reads folders until the walk is over.
func (w *walker) help() {
	for f := w.take(true); f != nil; f = w.take(true) {
		w.list(f)
	}
}

// take gives a folder that is to be read next. When there is none, or enough
// is found, it waits for one or gives nil, as it does at the end.
func (w *walker) take(wait bool) *folder {
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

// offer adds the folders that were found in f, the first to be taken first.
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

// stop sends the helpers home.
func (w *walker) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.changed.Broadcast()
}
