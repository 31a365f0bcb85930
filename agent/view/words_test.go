package view

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/emendo-dev/emendo/ide"
)

// The rows of a hunk have all lines of both texts, whatever ends them, and marks lie within
// the lines.
func TestRowsHaveBothTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("ab ö😀\n\r\t(.")))
		before, after := text.Draw(t, "before"), text.Draw(t, "after")
		enc := rapid.SampledFrom([]ide.Encoding{ide.UTF8, ide.UTF16}).Draw(t, "encoding")
		var old, new []string
		for _, r := range hunkRows(before, after, enc) {
			if r.Mark != "+" {
				old = append(old, r.Text)
			}
			if r.Mark != "-" {
				new = append(new, r.Text)
			}
			at := 0
			for _, w := range r.Words {
				if w[0] < at || w[1] <= w[0] || w[1] > length(r.Text, enc) {
					t.Fatalf("marked is %v in %q", r.Words, r.Text)
				}
				at = w[1]
			}
		}
		if !slices.Equal(old, linesOf(before)) || !slices.Equal(new, linesOf(after)) {
			t.Fatalf("%q and %q have the rows of %q and %q", before, after, old, new)
		}
	})
}

func TestWordsThatChangedAreMarked(t *testing.T) {
	marked := func(before, after string) string {
		var l []string
		for _, r := range hunkRows(before, after, ide.UTF8) {
			for _, w := range r.Words {
				l = append(l, r.Mark+r.Text[w[0]:w[1]])
			}
		}
		return strings.Join(l, " ")
	}
	for _, c := range []struct{ before, after, want string }{
		{"return sum(a, b)\n", "return sum(a, b, c)\n", "+, c"},
		{"the quick brown fox is here\n", "the slow red fox is here\n", "-quick brown +slow red"},
		{"x := 1\n", "something else entirely\n", ""}, // another line
		{"ä := größe\n", "ä := länge\n", "-größe +länge"},
		{strings.Repeat("word ", 4000) + "a\n", strings.Repeat("word ", 4000) + "b\n", ""}, // too long
		{"func a() {\n\treturn 1\n}\n", "func a() {\n\treturn 2\n}\n", "-1 +2"},
	} {
		if got := marked(c.before, c.after); got != c.want {
			t.Errorf("of %.40q and %.40q is marked %q, want %q", c.before, c.after, got, c.want)
		}
	}
}
