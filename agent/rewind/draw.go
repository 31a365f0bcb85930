package rewind

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/builds"
)

// Call is the call of a command.
type Call struct {
	TurnID, ID, Title string
	Round             int // that its session is in
}

// mostDrawn bounds the files of a command whose change the user sees as text.
const mostDrawn = 200

// Draw adds to the ledger what the command changed, for the user to review, but for these
// files. What tools of the project run by themselves comes first. It returns the paths of
// changed files that are left out because the editor has other text of them.
func (e Ended) Draw(ctx context.Context, c Call, except []Change) (left []string) {
	if e.r == nil {
		return nil
	}
	files := e.recorded(except)
	if len(files) == 0 {
		return nil
	}
	_, left, err := e.r.o.Ledger.Record(ctx, ledger.Recorded{SessionID: e.r.o.SessionID, TurnID: c.TurnID, CallID: c.ID, Title: c.Title, Origin: ledger.OfCommand, Round: c.Round, Files: files})
	if err != nil && !errors.Is(err, ledger.ErrNoChange) {
		e.r.o.Log.Error("recording what a command changed for review", "session", e.r.o.SessionID, "err", err)
	}
	return left
}

// drawn is a file that may be drawn.
type drawn struct {
	difference
	asked    bool // for the contents, which are read once
	from, to Content
	known    bool // the contents were read
}

// recorded returns the changed files in the order in which they are shown.
func (e Ended) recorded(except []Change) []ledger.RecordedFile {
	byName := func(a, b difference) int { return cmp.Compare(a.name, b.name) }
	var first, rest []*drawn
	for _, found := range slices.SortedStableFunc(slices.Values(e.found.files), byName) {
		d := &drawn{difference: found}
		switch {
		case d.checkout, slices.ContainsFunc(except, func(c Change) bool { return c.Name == d.name }):
		case e.mayRun(d):
			first = append(first, d)
		default:
			rest = append(rest, d)
		}
	}
	var files []ledger.RecordedFile
	for _, d := range append(first, rest...) {
		if f, ok := e.file(d, len(files) >= mostDrawn); ok {
			files = append(files, f)
		}
	}
	return files
}

// mayRun reports whether tools of the project may run by themselves what was changed.
func (e Ended) mayRun(d *drawn) bool {
	name := filepath.ToSlash(d.name)
	if !builds.Listed(name) {
		return false
	}
	return !e.read(d) || d.from.Binary || d.to.Binary || builds.Runs(name, d.from.Text, d.to.Text)
}

// read reads the contents of a file before and after the command. It reports whether they
// are known.
func (e Ended) read(d *drawn) bool {
	if !d.asked && !d.large {
		d.asked = true
		d.from, d.to, d.known = e.contents(d.name, d.before, d.after)
	}
	return d.known
}

// file returns what is recorded of a changed file; false if that is nothing, since the user
// or emendo changed it meanwhile, or it has the same text. many means that its text is
// omitted.
func (e Ended) file(d *drawn, many bool) (f ledger.RecordedFile, ok bool) {
	f = ledger.RecordedFile{Path: d.name, Op: ledger.Modify, Was: d.before, Is: d.after}
	switch {
	case !d.was:
		f.Op = ledger.Create
	case !d.is:
		f.Op = ledger.Delete
	}
	own, saved := e.own[d.name]
	switch {
	case many && !saved:
		f.Omitted = ledger.Many
	case !e.read(d):
		f.Omitted = ledger.Large
	case d.from.Binary || d.to.Binary:
		f.Omitted = ledger.Binary
	}
	if f.Omitted != "" {
		if f.Was.Hash == f.Is.Hash && !d.large {
			return f, false
		}
		if d.large && d.is || d.was && f.Was.Hash == "" {
			f.Final = "there is no copy of what it was before the command, so it cannot be undone"
		}
		return f, true
	}
	f.Before, f.After = d.from.Text, d.to.Text
	if saved {
		f.Before, f.Was.Hash = "", ""
		if f.Op = ledger.Create; own != nil {
			f.Before, f.Op = *own, ledger.Modify
		}
		if !d.is {
			f.Op = ledger.Delete
		}
	}
	if saved && (own != nil) == d.is && f.Before == f.After || f.Op == ledger.Modify && f.Before == f.After {
		return f, false
	}
	return f, true
}
