package rewind

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/emendo-dev/emendo/agent/checkpoint"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/builds"
)

// Call is the call of a command.
type Call struct{ TurnID, ID, Title string }

// mostDrawn bounds the files of a command whose change the user sees as text.
const mostDrawn = 200

// Draw adds to the ledger what the command changed, for the user to review, but for these
// files. What tools of the project run by themselves comes first. It returns the paths of
// changed files that are left out because the editor has other text of them.
func (e Ended) Draw(ctx context.Context, c Call, except []Changed) (left []string) {
	if e.r == nil {
		return nil
	}
	files := e.recorded(except)
	if len(files) == 0 {
		return nil
	}
	_, left, err := e.r.o.Ledger.Record(ctx, ledger.Recorded{SessionID: e.r.o.SessionID, TurnID: c.TurnID, CallID: c.ID, Title: c.Title, Origin: ledger.OfCommand, Files: files})
	if err != nil && !errors.Is(err, ledger.ErrNoChange) {
		e.r.o.Log.Error("recording what a command changed for review", "session", e.r.o.SessionID, "err", err)
	}
	return left
}

// drawing is a file that may be drawn.
type drawing struct {
	checkpoint.Change
	before, after checkpoint.Content
	known         bool // the contents were read
	runs          bool
}

// recorded returns the changed files in the order in which they are shown.
func (e Ended) recorded(except []Changed) []ledger.RecordedFile {
	var l []*drawing
	for _, c := range e.found.Files {
		if c.Checkout || slices.ContainsFunc(except, func(x Changed) bool { return x.Path == c.Name }) {
			continue
		}
		d := &drawing{Change: c}
		if builds.Listed(filepath.ToSlash(c.Name)) {
			d.runs = !e.read(d) || d.before.Binary || d.after.Binary || builds.Runs(filepath.ToSlash(c.Name), d.before.Text, d.after.Text)
		}
		l = append(l, d)
	}
	slices.SortStableFunc(l, func(a, b *drawing) int {
		if a.runs != b.runs {
			if a.runs {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Name, b.Name)
	})
	var files []ledger.RecordedFile
	for _, d := range l {
		if f, ok := e.file(d, len(files) >= mostDrawn); ok {
			files = append(files, f)
		}
	}
	return files
}

// read reads the contents of a file before and after the command. It reports whether they
// are known.
func (e Ended) read(d *drawing) bool {
	if d.known || d.Large {
		return d.known
	}
	var before checkpoint.State
	if d.Entry != nil {
		before = d.Entry.Before
	}
	d.before, d.after, d.known = e.contents(d.Name, before, d.After)
	return d.known
}

// file returns what is recorded of a changed file; false if that is nothing, since the user
// or emendo changed it meanwhile, or it has the same text. many means that its text is
// omitted.
func (e Ended) file(d *drawing, many bool) (f ledger.RecordedFile, ok bool) {
	f = ledger.RecordedFile{Path: d.Name, Op: ledger.Modify, Is: ledger.Version(d.After)}
	switch {
	case !d.Was:
		f.Op = ledger.Create
	case !d.Is:
		f.Op = ledger.Delete
	}
	if d.Entry != nil {
		f.Was = ledger.Version(d.Entry.Before)
	}
	own, saved := e.own[d.Name]
	switch {
	case many && !saved:
		f.Omitted = ledger.Many
	case !e.read(d):
		f.Omitted = ledger.Large
	case d.before.Binary || d.after.Binary:
		f.Omitted = ledger.Binary
	}
	if f.Omitted != "" {
		if f.Was.Hash == f.Is.Hash && !d.Large {
			return f, false
		}
		if d.Large && d.Is || d.Was && f.Was.Hash == "" {
			f.Final = "there is no copy of what it was before the command, so it cannot be undone"
		}
		return f, true
	}
	f.Before, f.After = d.before.Text, d.after.Text
	if saved {
		f.Before, f.Was.Hash = "", ""
		if f.Op = ledger.Create; own != nil {
			f.Before, f.Op = *own, ledger.Modify
		}
		if !d.Is {
			f.Op = ledger.Delete
		}
	}
	if saved && (own != nil) == d.Is && f.Before == f.After || f.Op == ledger.Modify && f.Before == f.After {
		return f, false
	}
	return f, true
}
