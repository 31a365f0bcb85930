package agent

import (
	"context"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// Quotation is lines of a file as a chat document quotes them.
type Quotation struct {
	URI         string
	First, Last int      // the lines, from one
	Lines       []string // as of [transcript.Comment.QuotedLines]
}

// FromQuotation returns a comment on lines that a chat document quotes: on those of the file, or of
// a hunk of the session, wherever they are by now. It is an error if the session may not comment
// on the file.
func (l Comments) FromQuotation(ctx context.Context, snapshot *ide.Snapshot, q Quotation, text string) (transcript.Comment, error) {
	f, name, err := l.read(ctx, snapshot, q.URI)
	if err != nil {
		return transcript.Comment{}, err
	}
	c := transcript.Comment{ID: l.session.agent.Process.Options.NewID(), URI: q.URI, Path: f.Path, Name: name, Text: text}
	if h, ok := l.quotedHunk(f, q); ok {
		c.HunkID, c.Range, c.Quoted = h.ID, h.Range, h.NewText
		return c, nil
	}
	e := l.session.agent.Process.Options.Workspace.Encoding()
	first, ok := findLines(f.Text, q)
	if !ok {
		c.Stale, c.Quoted = true, strings.Join(q.Lines, "\n")+"\n"
		at := f.Text.LineStart(min(q.First-1, f.Text.Lines()))
		c.Range = f.Text.Range(at, at, e)
		return c, nil
	}
	a, b := f.Text.LineStart(first), f.Text.LineStart(first+q.Last-q.First+1)
	c.Range, c.Quoted = f.Text.Range(a, b, e), f.Text.Slice(a, b)
	return c, nil
}

// quotedHunk returns the last hunk of the session in a file that has the quoted lines and no others.
func (l Comments) quotedHunk(f ide.File, q Quotation) (found ledger.Hunk, ok bool) {
	for _, cs := range l.session.agent.Process.Options.Ledger.List(l.session.ID(), "", "") {
		for _, c := range cs.Files {
			for _, h := range c.Hunks {
				if f.Path != "" && c.Path == f.Path && h.State.Waits() && slices.Equal(transcript.Comment{Quoted: h.NewText}.QuotedLines(), q.Lines) {
					found, ok = h, true
				}
			}
		}
	}
	return found, ok
}

// findLines returns the first of the quoted lines in a text, from zero: where they were, else where they
// occur once.
func findLines(text *ide.Text, q Quotation) (first int, ok bool) {
	n := q.Last - q.First + 1
	is := func(i int) bool {
		return i+n <= text.Lines() && strings.TrimRight(text.Line(i), " \t\r\n") == q.Lines[0] && slices.Equal(transcript.Comment{Quoted: text.Slice(text.LineStart(i), text.LineStart(i+n))}.QuotedLines(), q.Lines)
	}
	if len(q.Lines) == 0 {
		return 0, false
	}
	if is(q.First - 1) {
		return q.First - 1, true
	}
	for i := range text.Lines() {
		if is(i) {
			if ok {
				return 0, false
			}
			first, ok = i, true
		}
	}
	return first, ok
}
