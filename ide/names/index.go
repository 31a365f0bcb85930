package names

import (
	"context"
	"io/fs"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/ide/walk"
)

const (
	// mostNames bounds the list of one folder.
	mostNames = 200_000
	// batch is the number of names after which those of a first walk can be seen.
	batch = 2048
	// freshFor is how long a list is not read again, and freshTimes how much longer
	// than the walk took.
	freshFor   = 2 * time.Second
	freshTimes = 20
)

// Options of an [Index]. All are needed.
type Options struct {
	// Rules returns the rules that hide files, as they are now.
	Rules func() ignore.Options
	// Hidden reports whether an absolute path is left out whatever the rules say.
	Hidden func(path string) bool
	// Go runs a walk on a goroutine that the caller waits for, with a context that
	// ends when it is to stop. It returns false without running it at the end.
	Go func(walk func(context.Context)) bool
}

// Index keeps lists of the names below folders. It is safe for concurrent use.
type Index struct {
	o Options

	mu    sync.Mutex
	lists map[string]*list // by the absolute path of the folder
}

// list has the names below one folder.
type list struct {
	names   []Name // of the last walk that ended, or of the first one so far
	ended   bool   // a walk has ended
	cut     bool   // there were more than mostNames
	at      time.Time
	took    time.Duration
	walking chan struct{} // closed at the end of the walk under way, or nil
}

// NewIndex returns an index without lists.
func NewIndex(o Options) *Index { return &Index{o: o, lists: map[string]*list{}} }

// Below returns the names of the files and folders below one of the tree's folders,
// and whether that is all of them. The first call for a folder waits for the walk, or
// until ctx ends; later ones return the last list at once, and bring it up to date
// for the next call if it is old. The list must not be changed.
func (x *Index) Below(ctx context.Context, tree *disk.Tree, folder string) (names []Name, complete bool) {
	walking := x.begin(tree, folder)
	if walking != nil {
		select {
		case <-walking:
		case <-ctx.Done():
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	l := x.lists[folder]
	return l.names, l.ended && !l.cut
}

// begin starts a walk if the folder's list is old. It returns a channel to wait for
// while there is no list.
func (x *Index) begin(tree *disk.Tree, folder string) (wait <-chan struct{}) {
	x.mu.Lock()
	defer x.mu.Unlock()
	l := x.lists[folder]
	if l == nil {
		l = &list{}
		x.lists[folder] = l
	}
	old := !l.ended || time.Since(l.at) > max(freshFor, freshTimes*l.took)
	if l.walking == nil && old {
		walking := make(chan struct{})
		if x.o.Go(func(ctx context.Context) { x.walk(ctx, tree, folder, l, walking) }) {
			l.walking = walking
		}
	}
	if l.ended {
		return nil
	}
	return l.walking
}

// walk reads a folder.
func (x *Index) walk(ctx context.Context, tree *disk.Tree, folder string, l *list, walking chan struct{}) {
	start := time.Now()
	var names []Name
	show := func(ended, cut bool) {
		x.mu.Lock()
		defer x.mu.Unlock()
		if ended || !l.ended {
			l.names = names[:len(names):len(names)]
		}
		if ended {
			l.ended, l.cut, l.at, l.took = true, cut, time.Now(), time.Since(start)
		}
	}
	defer func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		l.walking = nil
		close(walking)
	}()
	top := disk.Path{Abs: folder, Root: folder, Rel: "."}
	rules, err := ignore.Load(ctx, tree, top, x.o.Rules())
	if err != nil { // more would be shown than the user wants
		return
	}
	for f, err := range walk.Files(ctx, tree, top, walk.Options{Rules: rules, Exclude: walk.DefaultExclude, Folders: true, Workers: 1}) {
		if ctx.Err() != nil {
			return
		}
		if err != nil || x.o.Hidden(top.Join(f.Rel).Abs) {
			continue
		}
		if !f.Type.IsDir() && !f.Type.IsRegular() && f.Type&fs.ModeSymlink == 0 {
			continue // a pipe, a socket or a device
		}
		if len(names) == mostNames {
			show(true, true)
			return
		}
		names = append(names, New(f.Rel, f.Type.IsDir()))
		if len(names)%batch == 0 {
			show(false, false)
		}
	}
	show(true, false)
}
