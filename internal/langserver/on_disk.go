package langserver

import (
	"context"
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/ide/walk"
)

// Limits on checking for changes on disk.
const (
	maxWatched = 50_000 // files
	// lookShare limits the time spent on checks: after a slow check, the next one
	// waits this many times as long as the check took.
	lookShare = 10
	freeLook  = 50 * time.Millisecond // a faster check does not delay the next one
)

// onDisk is the last known state of the files that a server is notified about.
// Servers do not watch files themselves, and changes on disk by the user, commands
// and accepted edits do not show in the documents.
type onDisk struct {
	seen map[string]stamp // by absolute path; nil: never checked
	next time.Time        // time of the next check
}

// stamp identifies a state of a file.
type stamp struct {
	changed time.Time
	size    int64
}

// tellChanged notifies the server of files that have changed on disk since the last
// call. The first call only records their state.
func (s *server) tellChanged(ctx context.Context, view View) error {
	begun := time.Now()
	if begun.Before(s.disk.next) {
		return nil
	}
	now := statesOnDisk(ctx, s.program, view.Snapshot.Tree(), s.folders)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	before := s.disk.seen
	s.disk.seen = now
	if took := time.Since(begun); took > freeLook {
		s.disk.next = time.Now().Add(lookShare * took)
	}
	if before == nil {
		return nil
	}
	type change struct {
		URI  ide.URI `json:"uri"`
		Type int     `json:"type"` // 1 created, 2 changed, 3 deleted
	}
	var changes []change
	for path, is := range now {
		switch was, ok := before[path]; {
		case !ok:
			changes = append(changes, change{ide.FileURI(path), 1})
		case was != is:
			changes = append(changes, change{ide.FileURI(path), 2})
		}
	}
	for path := range before {
		if _, ok := now[path]; !ok {
			changes = append(changes, change{ide.FileURI(path), 3})
		}
	}
	if len(changes) == 0 {
		return nil
	}
	return s.conn.Notify(ctx, "workspace/didChangeWatchedFiles", map[string]any{"changes": changes})
}

// statesOnDisk returns the states of the files below the folders that a program is notified
// about.
func statesOnDisk(ctx context.Context, p Program, tree *disk.Tree, folders []string) map[string]stamp {
	seen := map[string]stamp{}
	for path := range files(ctx, p, tree, folders) {
		info, err := tree.Stat(path)
		if err != nil {
			continue
		}
		if seen[path.Abs] = (stamp{info.ModTime(), info.Size()}); len(seen) >= maxWatched {
			break
		}
	}
	return seen
}

// files yields the files below the folders that a program is notified about, except
// ignored ones.
func files(ctx context.Context, p Program, tree *disk.Tree, folders []string) func(func(disk.Path) bool) {
	return func(yield func(disk.Path) bool) {
		for _, folder := range folders {
			at, err := tree.Resolve(folder)
			if err != nil {
				continue
			}
			rules, err := ignore.Load(ctx, tree, at, ignore.Options{NoGemini: true})
			if err != nil {
				rules = nil // without rules, include all files
			}
			for f, err := range walk.Files(ctx, tree, at, walk.Options{Rules: rules, Exclude: walk.DefaultExclude}) {
				if err != nil || !p.watches(f.Rel) {
					continue // skip what cannot be listed
				}
				if !yield(at.Join(f.Rel)) {
					return
				}
			}
		}
	}
}

// Sample returns a file below the folders that the program serves; empty if a short
// search finds none.
func (p Program) Sample(ctx context.Context, tree *disk.Tree, folders []string) string {
	for path := range files(ctx, p, tree, folders) {
		if p.Serves(path.Abs) {
			return path.Abs
		}
	}
	return ""
}
