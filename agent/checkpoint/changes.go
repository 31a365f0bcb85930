package checkpoint

import (
	"context"
	"errors"
)

// Changes are those of a command.
type Changes struct {
	// Removed are files of which there is no copy, as absolute paths, at most [maxGone] of a
	// folder. More: there are others.
	Removed []string
	More    bool
	// Known are the changes of files whose bytes are known before and after, ignored ones
	// included.
	Known []Entry
	// Files are the changes of files that git does not ignore, by path.
	Files []Change

	next *View // but for the commits that are checked out
}

// A Change of one file by a command.
type Change struct {
	Name     string // absolute
	Was, Is  bool   // there was, or is, a file
	Entry    *Entry // nil: the bytes of before it are not known
	After    State  // of the bytes after it, where they are known
	Large    bool   // its bytes are not known because there are too many
	Checkout bool   // git made it: the file was that of the commit before, and is that of the one now
}

// View returns the state of the folders at the end of the command, for a command of w that
// begins now or, if w is nil, for one that is still running, whose caller says what is not
// recorded. It does not look at the files again.
func (c Changes) View(ctx context.Context, w *Watch) (*View, error) {
	if c.next == nil {
		return nil, errors.New("what a command changed could not be determined")
	}
	var begun []Entry
	for i, r := range c.next.roots {
		if r.repo != nil {
			repo := *r.repo
			if err := repo.checkedOut(ctx); err != nil {
				return nil, err
			}
			c.next.roots[i].repo = &repo
		}
		if w != nil {
			begun = append(begun, Entry{Turn: w.turn, Name: r.dir.Abs, Gap: gapUnended})
		}
	}
	if w == nil {
		return c.next, nil
	}
	return c.next, w.journal.Add(begun...)
}
