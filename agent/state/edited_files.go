package state

import (
	"context"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// EditedFiles are the files that adjacent edit calls of a turn change, before any
// of the calls is shown. It is for use by one goroutine at a time.
type EditedFiles struct {
	session *Session

	texts map[string]ide.File // by name, after the calls so far
	// corrected has the files whose last edit was refused because of new errors of syntax.
	corrected map[string]bool
}

// NewEditedFiles returns the files of a turn of a session.
func NewEditedFiles(s *Session) *EditedFiles {
	return &EditedFiles{session: s, texts: map[string]ide.File{}, corrected: map[string]bool{}}
}

// Add adds the edits of a call.
func (e *EditedFiles) Add(edits tools.Edits) {
	for _, f := range edits.Files {
		if f.Op != ledger.Create && f.Op != ledger.Modify {
			continue
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
// their verification, each with the errors that its own lines have. A formatter changes
// lines that an edit changes, and only those.
//
// Nothing holds an edit back but a new error of syntax, once for each file until an edit
// of it was shown. Calls that share a file with such a one are refused too, because
// their texts build on each other.
func (e *EditedFiles) Check(ctx context.Context, calls []tools.Edits) []EditCheck {
	clear(e.texts)
	var all []ledger.Proposed
	for _, c := range calls {
		for _, f := range c.Files {
			if !c.Hides(f) {
				all = append(all, f)
			}
		}
	}
	found := e.session.verify(ctx, all)
	checks := make([]EditCheck, len(calls))
	refused := e.refuse(calls, found, checks)
	for name, v := range found {
		steps := stepsOf(calls, name)
		if refused[name] || len(steps) == 0 {
			continue
		}
		e.note(steps, v, checks)
		if v.Formatted != "" {
			for _, call := range steps.format(v.Formatted) {
				checks[call].Formats = true
			}
		}
	}
	return checks
}

// refuse refuses the calls that introduce errors of syntax for the first time, and those
// that share a file with them. It returns the files of all of them.
func (e *EditedFiles) refuse(calls []tools.Edits, found map[string]Verified, checks []EditCheck) map[string]bool {
	refused := map[string]bool{}
	var problems []string
	for name, v := range found {
		var broken []ledger.Problem
		for _, p := range v.Problems {
			if p.Syntax {
				broken = append(broken, p.Problem)
			}
		}
		refused[name] = len(broken) > 0 && !e.corrected[name]
		e.corrected[name] = refused[name]
		if steps := stepsOf(calls, name); refused[name] && len(steps) > 0 {
			problems = append(problems, e.session.DescribeProblems(name, steps[len(steps)-1].edit.New, broken))
		}
	}
	slices.Sort(problems)
	for range calls { // until no call shares a file with a refused one
		for i, c := range calls {
			if !slices.ContainsFunc(c.Files, func(f ledger.Proposed) bool { return refused[f.Name()] }) {
				continue
			}
			for _, f := range c.Files {
				refused[f.Name()] = true
			}
			checks[i].Refused = tools.Errorf(tools.EditFailure, "Nothing was changed or shown to the user: the edit would introduce these syntax errors (lines are those of the new text):\n%s"+
				"Correct the edit and call again; the file is unchanged. The next edit of this file will be shown even if errors remain.", strings.Join(problems, ""))
		}
	}
	return refused
}

// note gives each edit of a file its verification: with the errors in lines that it
// changed last, and the last edit with those elsewhere. The texts are those before the
// formatter.
func (e *EditedFiles) note(steps steps, v Verified, checks []EditCheck) {
	last := len(steps) - 1
	own := make([][]ledger.Problem, len(steps))
	for _, p := range v.Problems {
		i := steps.ofLine(int(p.Range.Start.Line))
		own[i] = append(own[i], p.Problem)
	}
	for i, s := range steps {
		s.edit.Verification = ledger.Verification{State: v.State, Reason: v.Reason, Introduced: len(own[i])}
		if i == last {
			s.edit.Verification.Resolved = v.Resolved
		}
		if v.State == ledger.Problems && len(own[i]) == 0 {
			s.edit.Verification.State = ledger.Verified
		}
		for _, p := range own[i][:min(len(own[i]), maxProblems)] {
			p.Message, _ = visible.Clip(visible.OneLine(p.Message), maxProblem)
			s.edit.Verification.Problems = append(s.edit.Verification.Problems, p)
		}
		checks[s.call].Problems += e.session.DescribeProblems(s.edit.Name(), steps[last].edit.New, own[i])
	}
}
