package rewind

import (
	"strings"

	"github.com/emendo-dev/emendo/ide/diff"
)

// Why a change cannot be reverted.
const (
	reasonLines  = "the lines were changed again since"
	reasonGone   = "the file is gone"
	reasonMade   = "the file was created again since"
	reasonBinary = "the file is binary and was changed again since"
)

// revert returns what a file that holds now would hold without the change from
// before to after; other changes stay. When that is ambiguous, conflict is the
// reason.
func revert(before, after, now Content) (without Content, conflict string) {
	without, conflict = revertText(before, after, now)
	if without.Exists && now.Exists { // the permissions are reverted in the same way
		without.Mode = now.Mode
		if before.Mode != 0 && after.Mode != 0 && now.Mode == after.Mode {
			without.Mode = before.Mode
		}
	}
	return without, conflict
}

func revertText(before, after, now Content) (without Content, conflict string) {
	switch {
	case now.Same(after):
		return before, ""
	case now.Same(before):
		return now, ""
	case !now.Exists:
		return now, reasonGone
	case !after.Exists:
		return now, reasonMade
	case before.Binary || after.Binary || now.Binary:
		return now, reasonBinary
	}
	text, ok := Merge(after.Text, now.Text, before.Text)
	if !ok {
		return now, reasonLines
	}
	if text == "" && !before.Exists {
		return Content{}, ""
	}
	now.Text = text
	return now, ""
}

// replaced reports whether a change left so little of a file that another file may
// have been put in its place.
func replaced(before, after Content) bool {
	if !before.Exists || !after.Exists || before.Binary || after.Binary {
		return !before.Same(after)
	}
	stayed := len(before.Text)
	for _, b := range diff.Lines(before.Text, after.Text) {
		stayed -= b.Old.B - b.Old.A
	}
	return !before.Same(after) && 2*stayed < len(before.Text)
}

// Merge merges, line by line, two texts that were made from the same base. It
// reports false when both changed the same or adjoining lines in different ways.
func Merge(base, ours, theirs string) (string, bool) {
	a, b := diff.Lines(base, ours), diff.Lines(base, theirs)
	var out strings.Builder
	at := 0
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && before(a[0], b[0]):
			at = splice(&out, base, ours, at, a[0])
			a = a[1:]
		case len(a) == 0 || before(b[0], a[0]):
			at = splice(&out, base, theirs, at, b[0])
			b = b[1:]
		case a[0].Old == b[0].Old && text(ours, a[0]) == text(theirs, b[0]):
			at = splice(&out, base, ours, at, a[0])
			a, b = a[1:], b[1:]
		default:
			return "", false
		}
	}
	out.WriteString(base[at:])
	return out.String(), true
}

// before reports whether an unchanged line is between a and b.
func before(a, b diff.Block) bool { return a.Old.End < b.Old.Line }

func text(of string, b diff.Block) string { return of[b.New.A:b.New.B] }

func splice(out *strings.Builder, base, from string, at int, b diff.Block) int {
	out.WriteString(base[at:b.Old.A])
	out.WriteString(text(from, b))
	return b.Old.B
}
