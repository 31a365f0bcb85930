package view

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
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

// In a unified diff, lines that are removed are compared with those that are added in their
// place.
func TestWordsOfADiffAreMarked(t *testing.T) {
	diff := "--- a\n+++ b\n@@ -1,3 +1,3 @@\n same\n-the quick fox is here\n+the slow fox is here\n@@ -9,2 +9,2 @@\n+the new line is here\n same\n"
	var l []string
	for _, r := range withWords(unifiedRows(diff), ide.UTF8) {
		for _, w := range r.Words {
			l = append(l, r.Mark+r.Text[w[0]:w[1]])
		}
	}
	if got := strings.Join(l, " "); got != "-quick +slow" {
		t.Errorf("marked is %q", got)
	}
}

// A call, a file and a hunk say the same of a check.
func TestChecksAreWordedOnce(t *testing.T) {
	for _, c := range []struct {
		v          ledger.Verification
		look, text string
	}{
		{ledger.Verification{}, "", ""},
		{ledger.Verification{State: ledger.Verified}, "verified", "Verified: no new errors"},
		{ledger.Verification{State: ledger.Verified, Resolved: 2}, "verified", "Verified: it resolves 2 errors"},
		{ledger.Verification{State: ledger.Problems, Introduced: 1}, "problems", "1 new error"},
		{ledger.Verification{State: ledger.Unverified}, "", ""},
		{ledger.Verification{State: ledger.Unverified, Reason: "gopls did not answer"}, "unverified", "Not verified: gopls did not answer"},
	} {
		of := basisOf(ledger.ChangeSet{}, ledger.FileChange{Verification: c.v}, ledger.Hunk{}, HunkPending)
		for _, l := range []*Line{checkLine(c.v), of.checkLine()} {
			if l == nil {
				l = &Line{}
			}
			if l.Look != c.look || l.Text.Text != c.text {
				t.Errorf("of %+v is said %q with %q", c.v, l.Text.Text, l.Look)
			}
		}
	}
}
