package language

import (
	"context"
	"slices"
	"time"

	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/langserver"
	"github.com/emendo-dev/emendo/tools/code"
)

// Times of asking the editor about the errors of an edit. It tells what its language
// servers reported last, and not whether that is about the text as it is now.
const (
	beforeEdit       = 300 * time.Millisecond // for the errors before the edit
	betweenQuestions = 100 * time.Millisecond // between two questions after it
)

// prose are the languages, as editors name them, for which hardly any server reports
// errors.
var prose = []string{"", "plaintext", "text", "markdown", "gitcommit", "help", "log"}

// ErrorsBefore implements [state.Checker]: where no server of emendo's own reads a file,
// those of the editor see an edit once it is in the buffer.
func (s *Supply) ErrorsBefore(ctx context.Context, f ledger.Proposed) ([]langserver.Diagnostic, bool) {
	d := s.session.Agent.Options.Workspace.Snapshot().DocumentAt(f.Path)
	switch {
	case !s.session.Agent.Settings().Edits.Verify, f.Op != ledger.Modify, f.Verification.State != ledger.Unverified, !s.passes(code.MethodDiagnostics):
		return nil, false
	case d == nil, slices.Contains(prose, d.Language): // nobody reads it, so nothing is worth waiting for
		return nil, false
	}
	ctx, stop := context.WithTimeout(ctx, beforeEdit)
	defer stop()
	before, err := s.editorErrors(ctx, f.Path)
	return before, err == nil
}

// ErrorsSince implements [state.Checker].
func (s *Supply) ErrorsSince(ctx context.Context, f ledger.Proposed, before []langserver.Diagnostic) string {
	ctx, stop := context.WithTimeout(ctx, time.Duration(s.session.Agent.Settings().Edits.VerifyTimeout)*time.Millisecond)
	defer stop()
	for {
		d := s.session.Agent.Options.Workspace.Snapshot().DocumentAt(f.Path)
		now, err := s.editorErrors(ctx, f.Path)
		if d == nil || err != nil {
			return ""
		}
		now = slices.DeleteFunc(now, func(d langserver.Diagnostic) bool { return slices.Contains(before, d) }) // perhaps not reported again yet
		text := d.Text.String()
		if found, _ := compare(f.Base.Text.String(), text, before, now); len(found) > 0 {
			l := make([]ledger.Problem, len(found))
			for i, d := range found {
				l[i] = ledger.Problem{Range: d.Range, Message: d.Message}
			}
			return s.session.DescribeProblems(f.Path, text, l)
		}
		select {
		case <-ctx.Done():
			return ""
		case <-time.After(betweenQuestions):
		}
	}
}

// editorErrors returns the problems of a file in the editor that are errors.
func (s *Supply) editorErrors(ctx context.Context, path string) ([]langserver.Diagnostic, error) {
	all, err := s.editorDiagnostics(ctx, path)
	var l []langserver.Diagnostic
	for _, p := range all {
		for _, d := range p.Found {
			if p.Path == path && d.Severity == langserver.Error {
				l = append(l, d)
			}
		}
	}
	return l, err
}
