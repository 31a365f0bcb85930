package state

import (
	"context"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// A Verifier checks the text of edits before the user sees them. A [Supply] may be
// one.
type Verifier interface {
	// Verify returns the results by the name of each file that it checks. It keeps
	// its own time limit.
	Verify(ctx context.Context, files []ledger.Proposed) map[string]Verified
	// Expect prepares for an edit of a file, without waiting.
	Expect(path string)
}

// A Rechecker knows the errors that an edit of an open file introduces once it is
// applied. A [Supply] may be one.
type Rechecker interface {
	// Recheck notes what is wrong with a file before its edit. After the edit,
	// introduced waits for its errors and returns them for the model; it keeps its own
	// time limit. nil: the file is not rechecked.
	Recheck(ctx context.Context, f ledger.Proposed) (introduced func(context.Context) string)
}

// Recheck is that of the first supply that rechecks the file.
func (s *Session) Recheck(ctx context.Context, f ledger.Proposed) (introduced func(context.Context) string) {
	for _, supply := range s.Supplies {
		if o, ok := supply.(Rechecker); ok {
			if introduced := o.Recheck(ctx, f); introduced != nil {
				return introduced
			}
		}
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
	for _, supply := range s.Supplies {
		if v, ok := supply.(Verifier); ok && len(files) > 0 {
			for name, result := range v.Verify(ctx, files) {
				found[name] = result
			}
		}
	}
	return found
}

// expectEdit prepares for an edit of a file that a call has read.
func (s *Session) expectEdit(path string) {
	for _, supply := range s.Supplies {
		if v, ok := supply.(Verifier); ok {
			v.Expect(path)
		}
	}
}
