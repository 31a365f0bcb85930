package ledger

import (
	"context"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/diff"
)

// ReviewFile is a file with hunks that are to be reviewed, none of which is known to be in a
// commit.
type ReviewFile struct {
	Path    string // absolute, links resolved
	NewPath string // to which the file was renamed; empty: it was not
	Open    bool
}

// InCommit says what of a [ReviewFile] is in a commit.
type InCommit struct {
	ReviewFile
	Exists  bool    // there is such a file: at its new path, if it was renamed
	Removed bool    // its path has no file, and had one in a commit before
	Same    bool    // the file on disk is the same
	Text    *string // nil: unknown
	Loose   bool    // line ends make no difference
}

// ToReview returns the files with hunks that a commit may have.
func (l *Ledger) ToReview() (files []ReviewFile) {
	l.mu.Lock()
	defer l.mu.Unlock()
	known := map[ReviewFile]bool{}
	for _, s := range l.sets {
		for _, f := range s.files {
			r := f.reviewed()
			if r.Path == "" || known[r] || !slices.ContainsFunc(f.hunks, (*hunk).mayBeCommitted) {
				continue
			}
			known[r] = true
			files = append(files, r)
		}
	}
	return files
}

func (f *file) reviewed() ReviewFile {
	r := ReviewFile{Path: f.place.path, Open: f.place.doc != nil}
	if f.op == Rename {
		r.NewPath = f.newPath
	}
	return r
}

func (h *hunk) mayBeCommitted() bool {
	return h.effectFor(onCommit) == keep && !h.committed && !h.awaited && h.goal.state == ""
}

// NoteCommit notes which hunks that are to be reviewed are in a commit, with the three lines
// around each. One of the user's counts as their review. It reports whether it could look at all
// files: not while they are being edited.
func (l *Ledger) NoteCommit(ctx context.Context, files []InCommit, users bool) (all bool) {
	defer l.notify()
	all = true
	for _, f := range files {
		found, err := l.files.load(ctx, f.Path)
		if all = all && ctx.Err() == nil; ctx.Err() != nil {
			break
		}
		all = l.noteCommit(f, found, err == nil, users) && all
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.publish(l.sets...) // once: a set may have hunks in hundreds of files
	return all
}

// noteCommit does it for one file. read is whether it could be read as text.
func (l *Ledger) noteCommit(c InCommit, found onDisk, read, users bool) (looked bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.places[c.Path]
	switch {
	case p == nil:
		return true
	case p.sent != nil:
		return false
	case read:
		p.refresh(found)
	}
	var same func(a, b int) bool
	if c.Text != nil {
		same = agreement(*c.Text, p.text, c.Loose)
	}
	for _, s := range l.sets {
		for _, f := range s.files {
			if f.place != p || f.reviewed().NewPath != c.NewPath || f.omitted == "" && !read {
				continue
			}
			for _, h := range f.hunks {
				if h.mayBeCommitted() && h.isCommitted(c, same) {
					h.verdict.reviewed, h.committed, s.changed = users, !users, true
				}
			}
		}
	}
	return true
}

// isCommitted reports whether a commit has the hunk. same reports whether lines are the same there;
// nil: the commit's text is unknown.
func (h *hunk) isCommitted(c InCommit, same func(a, b int) bool) bool {
	p := h.file.place
	closed := p.doc == nil
	switch {
	case h.file.op == Delete:
		return c.Removed && !p.exists
	case h.file.op == Rename:
		return c.Removed && c.Exists && !p.exists && c.Same
	case !c.Exists:
		return false
	case h.file.omitted != "":
		return c.Same && closed
	case !p.exists || !h.followed:
		return false
	case c.Same && closed:
		return true
	case same == nil:
		return false
	case h.whole:
		return same(0, p.text.Len())
	}
	a, b := wholeLines(p.text, h.a, h.b)
	return same(a, b)
}

// agreement compares a text with a commit's. The function that it returns reports whether the
// lines of a span, and the three around it, are the same in both.
func agreement(committed string, now *ide.Text, loose bool) func(a, b int) bool {
	there, here := lines(ide.NewText(committed), loose), lines(now, loose)
	var differ []diff.Span // lines of here; an empty one is between two lines
	for _, k := range diff.Elements(there, here) {
		at := diff.Span{Line: k.New.Line, End: k.New.End}
		up, down := 0, 0 // by how much the same difference can be said to be elsewhere
		switch {
		case k.Old.Line == k.Old.End:
			up, down = slide(here, k.New)
		case k.New.Line == k.New.End:
			up, down = slide(there, k.Old)
		}
		at.Line, at.End = at.Line-up, at.End+down
		differ = append(differ, at)
	}
	return func(a, b int) bool {
		from, to := now.LineAt(a)-diff.Between, now.LineAt(b)+diff.Between
		if b == now.Len() {
			to = len(here) + diff.Between
		}
		return !slices.ContainsFunc(differ, func(d diff.Span) bool { return d.Line < to && from < d.End })
	}
}

// lines returns the lines of a text with their ends, which are the same if they make no
// difference.
func lines(t *ide.Text, loose bool) (l []string) {
	for n := range t.Lines() {
		line := t.Slice(t.LineStart(n), t.LineStart(n+1))
		if rest, ok := strings.CutSuffix(line, "\r\n"); ok && loose {
			line = rest + "\n"
		}
		if line != "" { // else the text ends with a line end
			l = append(l, line)
		}
	}
	return l
}

// slide returns how far up and down added lines can move without another result.
func slide(lines []string, at diff.Span) (up, down int) {
	for at.Line-up > 0 && lines[at.Line-up-1] == lines[at.End-up-1] {
		up++
	}
	for at.End+down < len(lines) && lines[at.Line+down] == lines[at.End+down] {
		down++
	}
	return up, down
}
