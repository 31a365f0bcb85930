package state

import (
	"context"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/tools"
)

// EditedFiles are the files that adjacent edit calls of a turn change, before any
// of the calls is shown. It is for use by one goroutine at a time.
type EditedFiles struct {
	Session *Session

	texts map[string]ide.File // by name, after the calls so far
	// corrected has the files whose last edit was refused because of new errors.
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

// File returns a file as it is after the added calls, and whether one of them
// changes it. name is its path, or the URI of a document that is not a file.
func (e *EditedFiles) File(name string) (ide.File, bool) {
	f, ok := e.texts[name]
	return f, ok
}

// EditCheck is the result of checking the edits of one call.
type EditCheck struct {
	Refused  *tools.Error // for the model, instead of showing the edit; nil: show it
	Problems string       // new errors in the shown text, for the model
	Formats  bool         // a formatter changed the text of the edits
}

// Check checks the combined changes of the added calls and resets e. The edits get
// their verification, and the last edit of a file may get the formatted text. Edits
// that would introduce errors are refused, but only once for each file until an
// edit of it was shown. Calls that share a file with them are refused too, because
// their texts build on each other.
func (e *EditedFiles) Check(ctx context.Context, calls []tools.Edits) []EditCheck {
	e.texts = nil
	var all []ledger.Proposed
	for _, c := range calls {
		for _, f := range c.Files {
			if !c.Hides(f) {
				all = append(all, f)
			}
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
			if !c.Hides(f) {
				last[f.Name()] = i
			}
		}
	}
	checks := make([]EditCheck, len(calls))
	for i, c := range calls {
		if isBad(c) {
			checks[i].Refused = tools.Errorf(tools.EditFailure, "Nothing was changed or shown to the user: the edit would introduce these errors (lines are those of the new text):\n%s"+
				"Correct the edit and call again; the file is unchanged. The next edit of this file will be shown even if errors remain.", strings.Join(problems, ""))
			continue
		}
		for j, f := range c.Files {
			c.Files[j].Verification = found[f.Name()].Verification
			checks[i].Problems += found[f.Name()].Problems
			if text := found[f.Name()].Formatted; text != "" && !c.Hides(f) && last[f.Name()] == i {
				c.Files[j].New, checks[i].Formats = text, true
			}
		}
	}
	return checks
}
