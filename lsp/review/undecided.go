package review

import (
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/lsp/client"
)

// Diff returns the old and new lines of an undecided hunk, marked with - and +. It
// reports false for an unknown ID.
func (v *Review) Diff(id string) (diff string, ok bool) {
	for _, h := range v.undecided("") {
		if h.ID == id {
			return h.diff(), true
		}
	}
	return "", false
}

// undecided is a hunk that is to be decided, or that was applied and is to be reviewed, and
// where it is.
type undecided struct {
	ledger.Hunk
	set  ledger.ChangeSet
	file ledger.FileChange
	last *ide.Range // for a hunk at the end of the text, after the last line: that line; else nil
}

// uri returns the URI of the file that has the hunk's text.
func (u undecided) uri() string {
	if u.Unreviewed() && u.file.Op == ledger.Rename {
		return string(ide.FileURI(u.file.NewPath))
	}
	return spelling(u.file)
}

// canBeShown reports whether there is a text in which the user can see the hunk.
func (u undecided) canBeShown() bool {
	return !u.Lost && !(u.Unreviewed() && (u.file.Op == ledger.Delete || u.file.Omitted != "" && !u.file.Open))
}

// text returns what is in the file now: the old text of a proposed hunk, the new one of one that was applied.
func (u undecided) text() string {
	if u.Unreviewed() {
		return u.NewText
	}
	return u.OldText
}

// undecided returns the undecided hunks of a document, or of all for the empty URI.
// Without a host there are none.
func (v *Review) undecided(u ide.URI) []undecided {
	h := v.c.Host.Current()
	if h == nil {
		return nil
	}
	var l []undecided
	now := v.c.Workspace.Snapshot()
	for _, cs := range h.Ledger.Undecided(u) {
		for _, f := range cs.Files {
			d := now.Document(f.URI)
			l = slices.Grow(l, len(f.Hunks))
			for _, x := range f.Hunks {
				h := undecided{Hunk: x, set: cs, file: f}
				h.last = v.lineBefore(d, h)
				l = append(l, h)
			}
		}
	}
	return l
}

// shown returns the undecided hunks that a document shows. Those that were applied are shown
// while it is open.
func (v *Review) shown(u ide.URI) []undecided {
	return slices.DeleteFunc(v.undecided(u), func(h undecided) bool {
		return h.Unreviewed() && (!h.file.Open || !h.canBeShown())
	})
}

// lineBefore returns the last line of a document for a hunk without text after it, where
// some editors do not let the cursor go; nil for other hunks.
func (v *Review) lineBefore(d *ide.Document, h undecided) *ide.Range {
	if d == nil || h.text() != "" {
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
func (u undecided) touches(r ide.Range) bool {
	if u.last != nil && u.last.Start.Line >= r.Start.Line && u.last.Start.Line <= LastLine(r) {
		return true
	}
	return u.Range.Start.Line <= LastLine(r) && r.Start.Line <= LastLine(u.Range)
}

// touched returns the hunks that share a line with a range. If none does, a hunk that
// begins where the range ends counts: the region of some editors ends at the cursor, which
// the user has put there.
func touched(hunks []undecided, r ide.Range) []undecided {
	var l, behind []undecided
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

// visibleRange returns the range to mark for a hunk. It excludes the last line
// end, so that editors do not underline the next line too. For a hunk without text after
// the last line it is that line.
func (v *Review) visibleRange(h undecided) ide.Range {
	if h.last != nil {
		return *h.last
	}
	r := h.Range
	if r.End.Character > 0 || r.End.Line <= r.Start.Line || h.text() == "" {
		return r
	}
	t := ide.NewText(strings.TrimRight(h.text(), "\r\n"))
	end := t.Position(t.Len(), v.c.Workspace.Encoding())
	end.Line += r.Start.Line
	if end.Line < r.End.Line {
		r.End = end
	}
	return r
}

func (u undecided) diff() string { return withMark("-", u.OldText) + withMark("+", u.NewText) }

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
