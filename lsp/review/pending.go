package review

import (
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/lsp/client"
)

// CountPending returns the number of pending hunks.
func (v *Review) CountPending() int { return len(v.pending("")) }

// Diff returns the old and new lines of a pending hunk, marked with - and +. It
// reports false if there is none of that ID.
func (v *Review) Diff(id string) (diff string, ok bool) {
	for _, h := range v.pending("") {
		if h.ID == id {
			return h.diff(), true
		}
	}
	return "", false
}

// pending is a hunk that is to be decided, and where it is.
type pending struct {
	ledger.Hunk
	set  ledger.ChangeSet
	file ledger.FileChange
	last *ide.Range // for a hunk that adds lines after the last line: that line; else nil
}

func (p pending) uri() string { return spelling(p.file) }

// pending returns the pending hunks of a document, or of all for the empty URI.
// Without a host there are none.
func (v *Review) pending(u ide.URI) []pending {
	h := v.c.Host.Current()
	if h == nil {
		return nil
	}
	var l []pending
	now := v.c.Workspace.Snapshot()
	for _, cs := range h.Ledger.List("", u, ledger.Pending) {
		for _, f := range cs.Files {
			if u != "" && f.URI != u && ide.ParseURI(f.Spelling) != u {
				continue
			}
			d := now.Document(f.URI)
			l = slices.Grow(l, len(f.Hunks))
			for _, x := range f.Hunks {
				if x.State.Waits() {
					l = append(l, pending{x, cs, f, v.lineBefore(d, x)})
				}
			}
		}
	}
	return l
}

// lineBefore returns the last line of a document for a hunk that adds lines after
// it, where some editors do not let the cursor go; nil for other hunks.
func (v *Review) lineBefore(d *ide.Document, h ledger.Hunk) *ide.Range {
	if d == nil || h.OldText != "" {
		return nil
	}
	n := d.Text.Lines() - 1
	if n == 0 || int(h.Range.Start.Line) != n || d.Text.LineStart(n) != d.Text.Len() {
		return nil
	}
	r := client.LineAround(d.Text, d.Text.LineStart(n-1), v.c.Workspace.Encoding())
	return &r
}

// touches reports whether a hunk and a range share a line. A range that ends at
// the start of a line does not include that line.
func (p pending) touches(r ide.Range) bool {
	if p.last != nil && p.last.Start.Line >= r.Start.Line && p.last.Start.Line <= LastLine(r) {
		return true
	}
	return p.Range.Start.Line <= LastLine(r) && r.Start.Line <= LastLine(p.Range)
}

// touched returns the hunks that share a line with a range. If none does, a hunk that
// begins where the range ends counts: the region of some editors ends at the cursor, which
// the user has put there.
func touched(hunks []pending, r ide.Range) []pending {
	var l, behind []pending
	for _, h := range hunks {
		switch {
		case h.touches(r):
			l = append(l, h)
		case h.Range.Start.Line == r.End.Line:
			behind = append(behind, h)
		}
	}
	if l == nil {
		return behind
	}
	return l
}

// LastLine returns the last line of a range. One that ends at the start of a line
// does not include that line.
func LastLine(r ide.Range) uint32 {
	if r.End.Character == 0 && r.End.Line > r.Start.Line {
		return r.End.Line - 1
	}
	return r.End.Line
}

// summary describes in one line what the hunk does.
func (p pending) summary() string {
	switch p.file.Op {
	case ledger.Create:
		return "create this file with " + client.Lines(p.NewText)
	case ledger.Delete:
		return "delete this file"
	case ledger.Rename:
		return "rename this file to " + visible.OneLine(visible.Text(p.file.NewPath))
	case ledger.Modify:
	}
	switch {
	case p.OldText == "":
		return "insert " + client.Lines(p.NewText)
	case p.NewText == "":
		return "delete " + client.Lines(p.OldText)
	}
	return "replace " + client.Lines(p.OldText) + " with " + client.Lines(p.NewText)
}

// titled is the summary with the beginning of the text that is added, or of what is removed
// if nothing is: not every editor shows more of a hunk than the titles of its actions.
func (p pending) titled() string {
	mark, text := "+", p.NewText
	if text == "" || p.file.Op == ledger.Delete {
		mark, text = "-", p.OldText
	}
	if p.file.Op == ledger.Rename {
		text = ""
	}
	for text != "" {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		if line = strings.TrimSpace(line); line != "" {
			return p.summary() + ": " + mark + " " + visible.ShortLine(line, titleWidth)
		}
	}
	return p.summary()
}

// visibleRange returns the range to mark for a hunk. It excludes the last line
// end, so that editors do not underline the next line too. For lines added after
// the last line it is that line.
func (v *Review) visibleRange(h pending) ide.Range {
	if h.last != nil {
		return *h.last
	}
	r := h.Range
	if r.End.Character > 0 || r.End.Line <= r.Start.Line || h.OldText == "" {
		return r
	}
	t := ide.NewText(strings.TrimRight(h.OldText, "\r\n"))
	end := t.Position(t.Len(), v.c.Workspace.Encoding())
	end.Line += r.Start.Line
	if end.Line < r.End.Line {
		r.End = end
	}
	return r
}

func (p pending) diff() string { return withMark("-", p.OldText) + withMark("+", p.NewText) }

// withMark puts a mark before every line of a text, of which it keeps at most
// maxHover bytes.
func withMark(mark, text string) string {
	if text == "" {
		return ""
	}
	cut := ""
	if len(text) > maxHover {
		text, cut = strings.ToValidUTF8(text[:maxHover], ""), mark+"…\n"
	}
	l := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	return mark + strings.Join(l, "\n"+mark) + "\n" + cut
}
