package rewind

import (
	"context"
	"errors"
)

// A Change of one file, by a command or by a rewind.
type Change struct {
	Name          string // the absolute path, or the URI of a document that is not a file
	Open          bool   // of a rewind: the editor has it open, and changes it
	Before, After Content

	disk  bool  // of a rewind: it is open, and yet its missing file is written
	entry Entry // of a command
}

// changes are those of a command.
type changes struct {
	// removed are files of which there is no copy, as absolute paths, at most [maxGone] of a
	// folder. more: there are others.
	removed []string
	more    bool
	// known are the changes of files whose bytes are known before and after, ignored ones
	// included.
	known []Entry
	// files are the changes of files that git does not ignore, by path.
	files []difference

	next *view // but for the commits that are checked out
}

// A difference is a change of one file by a command, for review.
type difference struct {
	name          string // absolute
	was, is       bool   // there was, or is, a file
	before, after State  // of its bytes, where they are known
	large         bool   // its bytes are not known because there are too many
	checkout      bool   // git made it: the file was that of the commit before, and is that of the one now
}

// view returns the state of the folders at the end of the command, for a command of w that
// begins now or, if w is nil, for one that is still running, whose caller says what is not
// recorded. It does not look at the files again.
func (c changes) view(ctx context.Context, w *Watch) (*view, error) {
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
