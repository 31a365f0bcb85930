package state

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/langserver"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// A Checker is a supply that knows, from language servers, what is wrong with files.
type Checker interface {
	// Problems returns the problems of the open documents for which they are known, in the
	// snapshot's text. It starts nothing to find out, and returns almost at once.
	Problems(ctx context.Context, snap *ide.Snapshot, open []*ide.Document) map[ide.URI][]langserver.Diagnostic
	// Expect prepares for an edit of a file, without waiting.
	Expect(path string)
	// Verify checks the text of edits before the user sees them. It returns the results by
	// the name of each file that it checks. It keeps its own time limit.
	Verify(ctx context.Context, files []ledger.Proposed) map[string]Verified
	// ErrorsBefore returns the errors of an open file before its edit, to be compared with
	// those once it is applied; false: they are not to be.
	ErrorsBefore(ctx context.Context, f ledger.Proposed) ([]langserver.Diagnostic, bool)
	// ErrorsSince waits, after the edit, for errors of the file that it had not before, and
	// describes them for the model. It keeps its own time limit.
	ErrorsSince(ctx context.Context, f ledger.Proposed, before []langserver.Diagnostic) string
}

// Checker returns the session's checker; nil if it has none.
func (s *Session) Checker() Checker { return supplyOf[Checker](s) }

// openProblems returns the known problems of open files.
func (s *Session) openProblems(ctx context.Context, snap *ide.Snapshot, open []*ide.Document) map[ide.URI][]langserver.Diagnostic {
	if c := s.Checker(); c != nil {
		return c.Problems(ctx, snap, open)
	}
	return nil
}

// Verified is the result of checking one file, from its first text to its last.
type Verified struct {
	State    ledger.Verdict
	Reason   string // as in [ledger.Verification]
	Resolved int    // errors of the first text that the last one does not have
	Problems []NewProblem
	// Formatted is the last text after the formatter of its language server; empty if it
	// has none to be used.
	Formatted string
}

// NewProblem is an error that the edits of a file introduce.
type NewProblem struct {
	ledger.Problem

	Syntax bool // known to be one of syntax
}

// Limits of what is said of the problems of one file.
const (
	maxProblems = 10
	maxProblem  = 300 // characters of a message and of a line
)

// DescribeProblems lists problems of a file's text for the model, each with its line. It
// returns the empty string if there are none.
func (s *Session) DescribeProblems(path, text string, found []ledger.Problem) string {
	if len(found) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s:\n", tools.Shown(s.Work.Near(path)))
	lines := strings.Split(text, "\n")
	for _, d := range found[:min(len(found), maxProblems)] {
		message, _ := visible.Clip(visible.OneLine(d.Message), maxProblem)
		fmt.Fprintf(&b, "- line %d: %s", d.Range.Start.Line+1, tools.Shown(message))
		if n := int(d.Range.Start.Line); n < len(lines) {
			line, _ := visible.Clip(strings.TrimSpace(lines[n]), maxProblem)
			fmt.Fprintf(&b, " (in: %s)", tools.Shown(line))
		}
		b.WriteByte('\n')
	}
	if n := len(found) - maxProblems; n > 0 {
		fmt.Fprintf(&b, "- %d more\n", n)
	}
	return b.String()
}

// verify checks the files after all edits together. A file that is edited more than
// once counts as edited once, from the first text to the last. The result has every
// file that is created or modified.
func (s *Session) verify(ctx context.Context, edits []ledger.Proposed) map[string]Verified {
	var files []ledger.Proposed
	at := map[string]int{}
	for _, f := range edits {
		if f.Op != ledger.Create && f.Op != ledger.Modify {
			continue
		}
		i, again := at[f.Name()]
		if !again {
			i = len(files)
			at[f.Name()] = i
			files = append(files, f)
		}
		files[i].New = f.New
	}
	found := map[string]Verified{}
	for _, f := range files {
		found[f.Name()] = Verified{State: ledger.Unverified} // unless a verifier checks it
	}
	if c := s.Checker(); c != nil && len(files) > 0 {
		maps.Copy(found, c.Verify(ctx, files))
	}
	return found
}
