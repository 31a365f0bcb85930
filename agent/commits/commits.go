// Package commits finds out which commits have the changes that are to be reviewed, and
// whether the user made them, which counts as their review. It owns the record of where the
// user's emendo processes work and have worked, and of the commits that were made meanwhile.
// It knows neither sessions nor turns.
package commits

import (
	"context"
	"path/filepath"
	"sync"

	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/gitdir"
)

// Commits looks at the repositories that have files with changes that are to be reviewed. It is
// safe for concurrent use.
type Commits struct {
	process *state.Process
	journal journal

	looking chan struct{}     // a semaphore: one look at a time
	heads   map[string]string // what HEAD was, by the folder of the work tree's git

	mu      sync.Mutex
	forced  bool // the next look counts even where HEAD has not moved
	again   bool // another look that nobody waits for is to follow
	running bool // such looks are
	closed  bool
	life    context.Context // of them
	end     context.CancelFunc
	looks   sync.WaitGroup
}

// New returns Commits that have not looked at anything.
func New(p *state.Process) *Commits {
	c := &Commits{process: p, journal: journal{folder: p.Options.WorkDir, log: p.Log}, looking: make(chan struct{}, 1), heads: map[string]string{}}
	c.life, c.end = context.WithCancel(context.Background()) //nolint:containedctx // ends with Close
	return c
}

// Close waits for looks that were begun.
func (c *Commits) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.end()
	c.looks.Wait()
	c.journal.close()
}

// Forget has the next look count also where HEAD has not moved: there are changes of an earlier
// process.
func (c *Commits) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forced = true
}

// CheckSoon looks, and does not wait for it.
func (c *Commits) CheckSoon() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.again = true
	if c.running || c.closed {
		return
	}
	c.running = true
	c.looks.Go(func() {
		for c.isToLook() {
			c.Check(c.life)
		}
	})
}

// isToLook reports whether another look is to follow.
func (c *Commits) isToLook() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = c.again && !c.closed
	c.again = false
	return c.running
}

// Check finds out which changes commits have. It starts git only where HEAD has moved and there
// is something to review.
func (c *Commits) Check(ctx context.Context) {
	if !c.process.Options.Git.Found() {
		return
	}
	select {
	case c.looking <- struct{}{}:
		defer func() { <-c.looking }()
	case <-ctx.Done():
		return
	}
	files := c.process.Options.Ledger.ToReview()
	if len(files) == 0 {
		return
	}
	c.mu.Lock()
	forced := c.forced
	c.forced = false
	c.mu.Unlock()
	for _, r := range holding(files) {
		looked, err := c.checkIn(ctx, r, forced)
		if err != nil && ctx.Err() == nil {
			c.process.Log.Debug("looking for commits of what is to be reviewed", "repository", r.Tree, "err", err)
		}
		if forced && !looked {
			c.Forget()
		}
	}
}

// inRepository is a repository, with those of some files that are in it.
type inRepository struct {
	gitdir.Repository
	files []ledger.ReviewFile
}

// holding returns the repositories of files.
func holding(files []ledger.ReviewFile) (l []*inRepository) {
	byFolder, byGit := map[string]*inRepository{}, map[string]*inRepository{}
	for _, f := range files {
		folder := filepath.Dir(f.Path)
		r, known := byFolder[folder]
		if !known {
			if at, ok := gitdir.Holding(f.Path); ok {
				if r = byGit[at.Git]; r == nil {
					r = &inRepository{Repository: at}
					byGit[at.Git], l = r, append(l, r)
				}
			}
			byFolder[folder] = r
		}
		if r != nil {
			r.files = append(r.files, f)
		}
	}
	return l
}

// checkIn looks at one repository, and reports whether it could.
func (c *Commits) checkIn(ctx context.Context, r *inRepository, forced bool) (looked bool, err error) {
	head, last := r.Head(), c.heads[r.Git]
	switch {
	case head == "" || head == last && !forced:
		return true, nil
	case r.Rebasing():
		return false, nil
	}
	name := head
	if !gitdir.IsCommit(head) {
		name = "HEAD"
	}
	commit, err := rewind.CommitAt(ctx, c.process.Options.Git, r.Tree, name)
	if commit == nil || err != nil {
		return false, err
	}
	users, somebodys := c.journal.around([]string{r.Tree, r.Common}, commit.Hash, c.process.Now()).whose(commit)
	if !users && last != "" && head != last {
		somebodys = true
	}
	if users && c.process.Settings().Review.KeepOnCommit || somebodys {
		files, err := contents(ctx, c.process.Options.Git, r, commit, last)
		if err != nil {
			return false, err
		}
		if !c.process.Options.Ledger.NoteCommit(ctx, files, users) {
			return false, nil
		}
	}
	c.heads[r.Git] = head
	return true, nil
}
