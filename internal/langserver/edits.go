package langserver

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide"
)

// A TextEdit is an LSP TextEdit: it replaces a range of a text.
type TextEdit struct {
	Range   ide.Range `json:"range"`
	NewText string    `json:"newText"`
}

// Apply applies edits, which must not overlap, to a text. e is the unit of their
// ranges. first is the line of the first edit, from zero.
func Apply(t *ide.Text, edits []TextEdit, e ide.Encoding) (text string, first int, err error) {
	splices := make([]ide.Splice, len(edits))
	for i, x := range edits {
		a, b, err := t.Offsets(x.Range, e)
		if err != nil {
			return "", 0, err
		}
		splices[i] = ide.Splice{A: a, B: b, Text: x.NewText}
	}
	slices.SortStableFunc(splices, func(x, y ide.Splice) int { return cmp.Or(x.A-y.A, x.B-y.B) })
	var s strings.Builder
	at := 0
	for i, x := range splices {
		if x.A < at {
			return "", 0, fmt.Errorf("edits overlap at line %d", t.LineAt(x.A)+1)
		}
		if i == 0 {
			first = t.LineAt(x.A)
		}
		s.WriteString(t.Slice(at, x.A))
		s.WriteString(x.Text)
		at = x.B
	}
	s.WriteString(t.Slice(at, t.Len()))
	return s.String(), first, nil
}
