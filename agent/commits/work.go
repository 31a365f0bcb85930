package commits

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/internal/gitdir"
	"github.com/emendo-dev/emendo/internal/paths"
)

// Work is something that may make commits in folders.
type Work struct {
	c       *Commits
	folders []string
	places  []string // with git's folders
	heads   map[string]head
	begun   time.Time
	ended   sync.Once
}

// head is what HEAD of a repository was.
type head struct {
	gitdir.Repository
	is    string
	moves int64
}

// Begin looks, and notes that work begins in folders.
func (c *Commits) Begin(ctx context.Context, folders []string) *Work {
	c.Check(ctx)
	w := &Work{c: c, folders: folders, places: slices.Clone(folders), heads: map[string]head{}, begun: c.process.Now()}
	for _, r := range w.repositories() {
		w.heads[r.Git] = head{r, r.Head(), r.Moves()}
		if !slices.Contains(w.places, r.Common) { // work trees elsewhere share it
			w.places = append(w.places, r.Common)
		}
	}
	c.journal.begin(w.places)
	return w
}

// repositories returns those around the folders, and those in them that have changes to review.
func (w *Work) repositories() (l []gitdir.Repository) {
	for _, f := range w.folders {
		if r, ok := gitdir.Holding(filepath.Join(f, "x")); ok {
			l = append(l, r)
		}
	}
	for _, r := range holding(w.c.process.Options.Ledger.ToReview()) {
		if paths.WithinAny(r.Tree, w.folders) {
			l = append(l, r.Repository)
		}
	}
	return l
}

// End notes that the work has ended, and which commits were made meanwhile, and looks, which it
// does not wait for. It has an effect once.
func (w *Work) End() {
	w.ended.Do(func() {
		w.c.journal.finish(w.places, w.c.process.Now(), w.commitsMade())
		w.c.CheckSoon()
	})
}

// commitsMade returns the commits that were made meanwhile, or may have been.
func (w *Work) commitsMade() (commits []string) {
	for _, was := range w.heads {
		if now := was.Head(); now != was.is && gitdir.IsCommit(now) {
			commits = append(commits, now)
		}
		commits = append(commits, was.MovedSince(was.moves)...)
	}
	for _, r := range w.repositories() {
		if _, known := w.heads[r.Git]; !known && !r.LastMove().Before(w.begun) {
			commits = append(commits, r.Head())
		}
	}
	return commits
}
