package match

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// FuzzFindHunk checks that nothing panics, that edits are inside the text, and that a
// refusal has a reason.
func FuzzFindHunk(f *testing.F) {
	f.Add("a\nb\nc\n", "b\n", "x\n", "a", 2, 0, false)
	f.Add("a\r\nb\r\na", "a\n", "x\ny\n", "", 3, 2, true)
	f.Add("x = 1\n\nx = 1\n", "x = 1\n", "", "", 3, 0, false)
	f.Add("", "", "a\n", "", 0, 0, false)
	f.Fuzz(func(t *testing.T, text, old, new, after string, line, from int, end bool) {
		h := Hunk{Old: old, New: new, Line: line, End: end}
		if after != "" {
			h.After = []string{after}
		}
		found, err := FindHunk(text, h, min(max(from, 0), len(text)))
		var r *Refusal
		if errors.As(err, &r) {
			if r.Reason == "" || found.Edits != nil {
				t.Fatalf("refusal %#v with edits %v", r, found.Edits)
			}
			return
		}
		if err != nil || len(found.Edits) == 0 {
			t.Fatalf("no edit, no refusal: %v", err)
		}
		at := 0
		for _, e := range found.Edits {
			if e.A < at || e.B < e.A || e.B > len(text) {
				t.Fatalf("edit %v of a text of %d bytes, after %d", e, len(text), at)
			}
			at = e.B
		}
	})
}

// BenchmarkFindHunk finds 3,000 hunks of one line, one after another.
func BenchmarkFindHunk(b *testing.B) {
	var text strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&text, "line %d\n", i)
	}
	for b.Loop() {
		s, from := text.String(), 0
		for i := range 3000 {
			f, err := FindHunk(s, Hunk{Old: fmt.Sprintf("line %d\n", i), New: fmt.Sprintf("LINE %d\n", i)}, from)
			if err != nil {
				b.Fatal(err)
			}
			s, from = f.Apply(s), f.Edits[0].B
		}
	}
}
