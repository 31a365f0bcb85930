package ignore

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/internal/gitdir"
)

// tracked are the files that git tracks in a repository: those in its index, which
// git's rules do not ignore. They are read when they are first asked about.
type tracked struct {
	top  string // of the work tree
	once sync.Once
	list *listing
}

// has reports whether git tracks the file at a slash-separated path from the top, or
// anything in the folder there. In a submodule, what the submodule tracks counts.
func (t *tracked) has(path string, isDir bool) bool {
	if t == nil {
		return false
	}
	t.once.Do(func() { t.list = listings.listingOf(t.top) })
	l := t.list
	if l == nil {
		return false
	}
	for inner, sub := range l.submodules {
		if path == inner || isDir && strings.HasPrefix(inner, path+"/") {
			return true
		}
		if rest, in := strings.CutPrefix(path, inner+"/"); in {
			return sub.has(rest, isDir)
		}
	}
	if isDir {
		path += "/"
	}
	at, found := slices.BinarySearch(l.files, path)
	return found || isDir && at < len(l.files) && strings.HasPrefix(l.files[at], path)
}

// listing has the entries of an index.
type listing struct {
	files      []string // sorted
	submodules map[string]*tracked

	top   string
	index os.FileInfo // of the index that was read
}

// Bounds of the listings that are kept: how many there are, and how large an index is
// read, in bytes. With a larger index no file counts as tracked.
const (
	mostListings = 8
	mostIndex    = 64 << 20
)

// listings are the indexes that were read last. Reading one takes longer than the rest
// of a decision, and files are asked about one by one.
var listings kept

type kept struct {
	mu   sync.Mutex
	last []*listing // the one that was used last is at the end
}

// listingOf returns what the index of a repository lists now; nil if it has none that can be
// read.
func (k *kept) listingOf(top string) *listing {
	r, ok := gitdir.At(top)
	if !ok {
		return nil
	}
	index, err := os.Stat(filepath.Join(r.Git, "index"))
	if err != nil || index.Size() > mostIndex {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	var l *listing
	if at := slices.IndexFunc(k.last, func(l *listing) bool { return l.top == top }); at >= 0 {
		l = k.last[at]
		k.last = slices.Delete(k.last, at, at+1)
	}
	if l == nil || !os.SameFile(l.index, index) || !l.index.ModTime().Equal(index.ModTime()) || l.index.Size() != index.Size() {
		l = &listing{top: top, index: index, submodules: map[string]*tracked{}}
		if r.Index(l.add) != nil {
			return nil
		}
		if !slices.IsSorted(l.files) { // it is in two files, or damaged
			slices.Sort(l.files)
		}
	}
	if len(k.last) == mostListings {
		k.last = slices.Delete(k.last, 0, 1)
	}
	k.last = append(k.last, l)
	return l
}

func (l *listing) add(e gitdir.Entry) {
	if e.Mode == gitdir.Submodule {
		l.submodules[e.Path] = &tracked{top: filepath.Join(l.top, filepath.FromSlash(e.Path))}
		return
	}
	l.files = append(l.files, e.Path)
}
