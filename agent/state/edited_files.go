package state

import (
	"context"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/tools"
)

// EditedFiles are those that adjoining edit calls of a turn change, before any of the
// calls is shown. It is used by one goroutine at a time.
type EditedFiles struct {
	Session *Session

	texts map[string]ide.File // by name, as the calls so far leave them
	// corrected has the files of which the model was last told of new errors instead
	// of the user being shown the edit.
	corrected map[string]bool
}

// Add adds the edits of a call.
func (e *EditedFiles) Add(edits tools.Edits) {
	for _, f := range edits.Files {
		if f.Op != ledger.Create && f.Op != ledger.Modify {
			continue
		}
		if e.texts == nil {
			e.texts = map[string]ide.File{}
		}
		text := f.Base
		text.Text = ide.NewText(f.New)
		e.texts[f.Name()] = text
	}
}

// File returns a file as the calls that were added leave it, and whether one of them
// changes it. name is its path, or the URI of a document that is not a file.
func (e *EditedFiles) File(name string) (ide.File, bool) {
	f, ok := e.texts[name]
	return f, ok
}

// EditCheck is the result of checking the edits of one call.
type EditCheck struct {
	Refused  *tools.Error // for the model, instead of showing the edit; nil: show it
	Problems string       // new errors that the shown text has, for the model
	Formats  bool         // the edits have the text as a formatter leaves it
}

// Check checks what calls would change together, and forgets what was added. The
// edits get their verification, and the last edit of a file may get the text as its
// formatter leaves it. Edits that would introduce errors are refused: once
// for each file, and then not before an edit of it was shown. Calls that share a file
// with one of them are refused too, since their texts build on each other.
func (e *EditedFiles) Check(ctx context.Context, calls []tools.Edits) []EditCheck {
	e.texts = nil
	var all []ledger.Proposed
	for _, c := range calls {
		if !c.Hidden {
			all = append(all, c.Files...)
		}
	}
	found := e.Session.Verify(ctx, all)
	bad := map[string]bool{}
	if e.corrected == nil {
		e.corrected = map[string]bool{}
	}
	for name, v := range found {
		bad[name] = v.Problems != "" && !e.corrected[name]
		e.corrected[name] = bad[name]
	}
	isBad := func(c tools.Edits) bool {
		return slices.ContainsFunc(c.Files, func(f ledger.Proposed) bool { return bad[f.Name()] })
	}
	for range calls { // until no call shares a file with a bad one
		for _, c := range calls {
			if isBad(c) {
				for _, f := range c.Files {
					bad[f.Name()] = true
				}
			}
		}
	}
	var problems []string
	for name, v := range found {
		if bad[name] && v.Problems != "" {
			problems = append(problems, v.Problems)
		}
	}
	slices.Sort(problems)
	last := map[string]int{} // the last call that edits a file
	for i, c := range calls {
		for _, f := range c.Files {
			if !c.Hidden {
				last[f.Name()] = i
			}
		}
	}
	checks := make([]EditCheck, len(calls))
	for i, c := range calls {
		if isBad(c) {
			checks[i].Refused = tools.Errorf(tools.EditFailure, "Nothing was changed or shown to the user: the edit would introduce these errors (lines are those of the new text):\n%s"+
				"Correct the edit and call again, against the file as it is. The next edit of the file is shown whatever is left.", strings.Join(problems, ""))
			continue
		}
		for j, f := range c.Files {
			c.Files[j].Verification = found[f.Name()].Verification
			checks[i].Problems += found[f.Name()].Problems
			if text := found[f.Name()].Formatted; text != "" && !c.Hidden && last[f.Name()] == i {
				c.Files[j].New, checks[i].Formats = text, true
			}
		}
	}
	return checks
}
