package language

import (
	"regexp"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide/diff"
	"github.com/emendo-dev/emendo/internal/langserver"
)

// compare returns the problems of the new text that the old one does not have, and
// how many of the old one are gone. A problem is the same if it has the same message
// on the line to which the edit moved it, or in the lines that replace its own.
func compare(oldText, newText string, before, after []langserver.Diagnostic) (introduced []langserver.Diagnostic, resolved int) {
	blocks := diff.Lines(oldText, newText)
	left := slices.Clone(before)
	for _, d := range after {
		found := slices.IndexFunc(left, func(b langserver.Diagnostic) bool {
			first, last := moved(blocks, int(b.Range.Start.Line))
			return sameMessage(b, d) && first <= int(d.Range.Start.Line) && int(d.Range.Start.Line) <= last
		})
		if found < 0 {
			introduced = append(introduced, d)
			continue
		}
		left = slices.Delete(left, found, found+1)
	}
	return introduced, len(left)
}

// moved returns the lines of the new text, first and last, that have the content of a
// line of the old one, or replace it.
func moved(blocks []diff.Block, line int) (first, last int) {
	shift := 0
	for _, b := range blocks {
		switch {
		case line < b.Old.Line:
			return line + shift, line + shift
		case line < b.Old.End:
			return b.New.Line, max(b.New.Line, b.New.End-1)
		}
		shift = b.New.End - b.Old.End
	}
	return line + shift, line + shift
}

// places are left out of a comparison: messages name other lines, which move.
var places = regexp.MustCompile(`:[0-9]+(:[0-9]+)?`)

func sameMessage(a, b langserver.Diagnostic) bool {
	plain := func(s string) string { return places.ReplaceAllString(strings.TrimSpace(s), "") }
	return a.Code == b.Code && plain(a.Message) == plain(b.Message)
}
