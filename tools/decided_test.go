package tools

import (
	"fmt"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/diff"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// liveTexts are what the files of proposed change sets read now, by their diffs.
var liveTexts = map[string]string{}

func liveText(f ledger.FileChange) string { return liveTexts[f.Diff] }

// proposed is a change set that makes base into text, its hunks in the given
// states; text is what the file is taken to read now.
func proposed(path, base, text string, states ...ledger.State) ledger.ChangeSet {
	f := ledger.FileChange{Path: path, Op: ledger.Modify, Diff: diff.Unified("a/x", "b/x", base, text)}
	now := ide.NewText(text)
	for i, k := range diff.Hunks(base, text) {
		f.Hunks = append(f.Hunks, ledger.Hunk{
			ID: fmt.Sprint(i), State: states[i], Range: now.Range(k.New.A, k.New.B, ide.UTF16),
			A: k.New.A, B: k.New.B, OldText: base[k.Old.A:k.Old.B], NewText: text[k.New.A:k.New.B],
		})
	}
	liveTexts[f.Diff] = text
	return ledger.ChangeSet{Files: []ledger.FileChange{f}}
}

const (
	tenLines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"
	tenAfter = "1\n2\nthree\n4\n5\n6\n7\n8\n9\nten\n"
)

func TestDecided(t *testing.T) {
	with := func(cs ledger.ChangeSet, change func(h []ledger.Hunk)) ledger.ChangeSet {
		change(cs.Files[0].Hunks)
		return cs
	}
	whole := func(op ledger.Op, s ledger.State) ledger.ChangeSet {
		return ledger.ChangeSet{Files: []ledger.FileChange{{Path: "/w/a.go", NewPath: "/w/b.go", Op: op, Hunks: []ledger.Hunk{{State: s, NewText: "x\n"}}}}}
	}
	tests := []struct {
		name     string
		cs       ledger.ChangeSet
		comments []string
		note     string
		want     string
		summary  string
	}{
		{
			name: "everything accepted, with the lines around", cs: proposed("/w/a", tenLines, tenAfter, ledger.Accepted, ledger.Accepted), note: "white space differed",
			want:    "/w/a:\n- accepted, line 3; it now reads:\n    1\t1\n    2\t2\n    3\tthree\n    4\t4\n    5\t5\n    6\t6\n- accepted, line 10; it now reads:\n    7\t7\n    8\t8\n    9\t9\n   10\tten\nNote: white space differed.",
			summary: "2 changes accepted in /w/a",
		},
		{
			name: "one accepted and one rejected with a comment", cs: proposed("/w/a", tenLines, tenAfter, ledger.Rejected, ledger.Accepted), comments: []string{"no words\nplease ", ""},
			want:    "The user's comment:\nno words\nplease\n/w/a:\n- rejected by the user, line 3 stays as it is; this was not written:\n     \tthree\n- accepted, line 10; it now reads:\n    7\t7\n    8\t8\n    9\t9\n   10\tten",
			summary: "1 accepted, 1 rejected in /w/a",
		},
		{
			name: "everything rejected is an error", cs: proposed("/w/a", tenLines, "0\n"+tenLines, ledger.Rejected), comments: []string{"not this"},
			want:    "policy_violation: The user rejected the change; nothing was changed. That is the user's decision: do not propose the same again in this or another way; go on without it, or ask what is wanted instead.\nThe user's comment:\nnot this\n/w/a:\n- rejected by the user, line 1 stays as it is; this was not written:\n     \t0",
			summary: "1 rejected in /w/a",
		},
		{
			name: "what the user edited is told as it reads now, and a line taken away", cs: with(proposed("/w/a", tenLines, "1\n2\nthree\n4\n5\n6\n8\n9\n10\n", ledger.Accepted, ledger.Accepted), func(h []ledger.Hunk) {
				h[0].Edited, h[0].NewText = true, "THREE\r\n"
			}),
			want:    "/w/a:\n- accepted as the user edited it, line 3; it now reads:\n    1\t1\n    2\t2\n    3\tthree\n    4\t4\n    5\t5\n    6\t6\n- accepted, taken away before line 7; around it the file now reads:\n    4\t4\n    5\t5\n    6\t6\n    7\t8\n    8\t9\n    9\t10",
			summary: "2 changes accepted in /w/a",
		},
		{
			name: "a conflict says why and what stands there", cs: with(proposed("/w/a", tenLines, tenAfter, ledger.Conflicted, ledger.Superseded), func(h []ledger.Hunk) {
				h[0].Reason = "the user typed inside it"
				h[0].Nearest = &ledger.Nearest{Range: ide.Range{Start: ide.Position{Line: 2}}, Text: "33\n"}
			}),
			want:    "edit_preparation_failure: Nothing was changed.\n/w/a:\n- not made (conflicted), line 3: the user typed inside it\n  What stands there now, or comes nearest to it:\n    3\t33\n- not made (superseded), line 10: the text that it was made from has changed",
			summary: "1 conflicted, 1 superseded in /w/a",
		},
		{name: "what waits is no error", cs: proposed("/w/a", "a\n", "b\n", ledger.Pending), want: "/w/a:\n- not decided yet, line 1", summary: "1 pending in /w/a"},
		{name: "secrets are not written", cs: proposed("/w/.env", "A=1\nB=2\n", "A=1\nB=3\n", ledger.Accepted), want: "/w/.env:\n- accepted, line 2; it now reads:\n  [not shown: the file may hold secrets]", summary: "1 change accepted in /w/.env"},
		{name: "a file without a last line end", cs: proposed("/w/a", "a\nb", "a\nb\nc", ledger.Accepted), want: "/w/a:\n- accepted, lines 2-3; it now reads:\n    1\ta\n    2\tb\n    3\tc", summary: "1 change accepted in /w/a"},
		{name: "a created file", cs: whole(ledger.Create, ledger.Accepted), want: "/w/a.go:\n- accepted: the file was created", summary: "1 change accepted in /w/a.go"},
		{name: "a renamed file", cs: whole(ledger.Rename, ledger.Accepted), want: "/w/a.go:\n- accepted: the file was renamed to /w/b.go", summary: "1 change accepted in /w/a.go"},
		{name: "a deletion that was rejected", cs: whole(ledger.Delete, ledger.Rejected), want: "policy_violation: The user rejected the change; nothing was changed. That is the user's decision: do not propose the same again in this or another way; go on without it, or ask what is wanted instead.\n/w/a.go:\n- rejected by the user: deleting the file", summary: "1 rejected in /w/a.go"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := Decided(tt.cs, tt.comments, tt.note, liveText)
			got := r.Output
			if r.Err != nil {
				got = string(r.Err.Type) + ": " + r.Err.Message + "\n" + r.Output
			}
			if got != tt.want || r.Summary != tt.summary {
				t.Errorf("got  %q\nwant %q\nsummary %q", got, tt.want, r.Summary)
			}
		})
	}
}

func TestDecidedIsBounded(t *testing.T) {
	var base, text strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&base, "line %d\n", i)
		if i%5 == 0 {
			fmt.Fprintf(&text, "LINE %d %s\n", i, strings.Repeat("x", 3000))
		} else {
			fmt.Fprintf(&text, "line %d\n", i)
		}
	}
	states := make([]ledger.State, 800)
	for i := range states {
		states[i] = ledger.Accepted
	}
	r := Decided(proposed("/w/a", base.String(), text.String(), states...), []string{strings.Repeat("y", 100_000)}, "", liveText)
	if len(r.Output) > outputLimit || !strings.Contains(r.Output, "left out") {
		t.Errorf("%d bytes", len(r.Output))
	}
}
