package edited

import (
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/diff"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// liveTexts are the current texts of proposed files, by their diffs.
var liveTexts = map[string]string{}

func liveText(f ledger.FileChange) string { return liveTexts[f.Diff] }

// proposed returns a change set from base to text with hunks in the given states.
// text counts as the current text of the file.
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

func TestResult(t *testing.T) {
	with := func(cs ledger.ChangeSet, change func(h []ledger.Hunk)) ledger.ChangeSet {
		change(cs.Files[0].Hunks)
		return cs
	}
	whole := func(op ledger.Op, s ledger.State) ledger.ChangeSet {
		return ledger.ChangeSet{Files: []ledger.FileChange{{Path: "/w/a.go", NewPath: "/w/b.go", Op: op, Hunks: []ledger.Hunk{{State: s, NewText: "x\n"}}}}}
	}
	const noAgain = "policy_violation: The user rejected the change; nothing was changed. Do not propose the same change again in this or another way; continue without it, or ask what is wanted instead.\n"
	tests := []struct {
		name    string
		outcome Outcome
		want    string
		summary string
	}{
		{
			name:    "applied hunks are shown with the lines around them",
			outcome: Outcome{Set: proposed("/w/a", tenLines, tenAfter, ledger.Accepted, ledger.Accepted), Note: "white space differed"},
			want:    "/w/a:\n- applied: line 3; context now:\n    1\t1\n    2\t2\n    3\tthree\n    4\t4\n    5\t5\n    6\t6\n- applied: line 10; context now:\n    7\t7\n    8\t8\n    9\t9\n   10\tten\nNote: white space differed.",
			summary: "2 changes applied in /w/a",
		},
		{
			name:    "a rejected hunk and a comment, without the text that was sent",
			outcome: Outcome{Set: proposed("/w/a", tenLines, tenAfter, ledger.Rejected, ledger.Accepted), Comments: []string{"no words\nplease ", ""}},
			want:    "The user's comment:\nno words\nplease\n/w/a:\n- rejected by the user: line 3\n- applied: line 10; context now:\n    7\t7\n    8\t8\n    9\t9\n   10\tten",
			summary: "1 applied, 1 rejected in /w/a",
		},
		{
			name:    "a file below the folder, which the user knows by its name there",
			outcome: Outcome{Folder: "/w", Set: proposed("/w/b/a", tenLines, "0\n"+tenLines, ledger.Pending)},
			want:    "/w/b/a:\n- not decided yet: line 1",
			summary: "1 pending in b/a",
		},
		{
			name:    "a file elsewhere",
			outcome: Outcome{Folder: "/v", Set: proposed("/w/a", tenLines, "0\n"+tenLines, ledger.Pending)},
			want:    "/w/a:\n- not decided yet: line 1",
			summary: "1 pending in /w/a",
		},
		{
			name:    "everything rejected is an error",
			outcome: Outcome{Set: proposed("/w/a", tenLines, "0\n"+tenLines, ledger.Rejected), Comments: []string{"not this"}},
			want:    noAgain + "The user's comment:\nnot this\n/w/a:\n- rejected by the user: line 1",
			summary: "1 rejected in /w/a",
		},
		{
			name: "the user's edits and a deletion",
			outcome: Outcome{Set: with(proposed("/w/a", tenLines, "1\n2\nthree\n4\n5\n6\n8\n9\n10\n", ledger.Accepted, ledger.Accepted), func(h []ledger.Hunk) {
				h[0].Edited, h[0].NewText = true, "THREE\r\n"
			})},
			want:    "/w/a:\n- applied with the user's edits: line 3; context now:\n    1\t1\n    2\t2\n    3\tthree\n    4\t4\n    5\t5\n    6\t6\n- applied: deleted after line 6; context now:\n    4\t4\n    5\t5\n    6\t6\n    7\t8\n    8\t9\n    9\t10",
			summary: "2 changes applied in /w/a",
		},
		{
			name: "a conflict with the nearest passage",
			outcome: Outcome{Set: with(proposed("/w/a", tenLines, tenAfter, ledger.Conflicted, ledger.Superseded), func(h []ledger.Hunk) {
				h[0].Reason = "the user typed inside it"
				h[0].Nearest = &ledger.Nearest{Range: ide.Range{Start: ide.Position{Line: 2}}, Text: "33\n"}
			})},
			want:    "edit_preparation_failure: Nothing was changed.\n/w/a:\n- conflicted, not applied: line 3: the user typed inside it\n  Nearest passage now:\n    3\t33\n- superseded, not applied: line 10: the text it was based on has changed",
			summary: "1 conflicted, 1 superseded in /w/a",
		},
		{
			name:    "a read-only file is a failure, not a rejection",
			outcome: Outcome{Set: proposed("/w/a", tenLines, tenAfter, ledger.Rejected, ledger.Pending), Failed: fmt.Errorf("open: %w", fs.ErrPermission)},
			want:    "permission_denied: The edit failed: the file or its folder is read-only. Nothing was changed. The user did not reject it: if the task needs the change, make the file writable first (chmod u+w) or ask the user.\n/w/a:\n- not written: line 3\n- not written: line 10",
			summary: "2 failed in /w/a",
		},
		{
			name:    "a full disk is a failure, reported with the applied hunks",
			outcome: Outcome{Set: proposed("/w/a", tenLines, tenAfter, ledger.Accepted, ledger.Pending), Whole: true, Failed: syscall.ENOSPC},
			want:    "no_space_left: The edit failed: no space is left on the disk. Only the changes listed as applied were made. The user did not reject it: tell the user, or free space first.\n/w/a:\n- applied: line 3\n- not written: line 10",
			summary: "1 applied, 1 failed in /w/a",
		},
		{
			name:    "another failure says its reason",
			outcome: Outcome{Set: proposed("/w/a", "a\n", "b\n", ledger.Pending), Failed: disk.ErrTooLarge},
			want:    "file_too_large: The edit failed: cannot write /w/a: it is too large: the limit for a text that is written is 50 MiB; use run_shell_command to make it. Nothing was changed. The user did not reject it.\n/w/a:\n- not written: line 1",
			summary: "1 failed in /w/a",
		},
		{
			name:    "a whole file is not repeated",
			outcome: Outcome{Set: proposed("/w/a", tenLines, tenAfter, ledger.Accepted, ledger.Accepted), Whole: true},
			want:    "/w/a:\n- applied in full", summary: "2 changes applied in /w/a",
		},
		{
			name:    "a whole file that the user edited shows the edit",
			outcome: Outcome{Set: with(proposed("/w/a", "a\n", "b\n", ledger.Accepted), func(h []ledger.Hunk) { h[0].Edited = true }), Whole: true},
			want:    "/w/a:\n- applied with the user's edits: line 1; context now:\n    1\tb", summary: "1 change applied in /w/a",
		},
		{name: "pending is no error", outcome: Outcome{Set: proposed("/w/a", "a\n", "b\n", ledger.Pending)}, want: "/w/a:\n- not decided yet: line 1", summary: "1 pending in /w/a"},
		{name: "secrets are not shown", outcome: Outcome{Set: proposed("/w/.env", "A=1\nB=2\n", "A=1\nB=3\n", ledger.Accepted)}, want: "/w/.env:\n- applied: line 2; context now:\n  [not shown: the file is ignored or may hold secrets]", summary: "1 change applied in /w/.env"},
		{name: "hidden files are not shown", outcome: Outcome{Set: proposed("/w/a", "A=1\nB=2\n", "A=1\nB=3\n", ledger.Accepted), Hidden: []string{"/w/a"}}, want: "/w/a:\n- applied: line 2; context now:\n  [not shown: the file is ignored or may hold secrets]", summary: "1 change applied in /w/a"},
		{name: "a file without a last line end", outcome: Outcome{Set: proposed("/w/a", "a\nb", "a\nb\nc", ledger.Accepted)}, want: "/w/a:\n- applied: lines 2-3; context now:\n    1\ta\n    2\tb\n    3\tc", summary: "1 change applied in /w/a"},
		{name: "a created file", outcome: Outcome{Set: whole(ledger.Create, ledger.Accepted)}, want: "/w/a.go:\n- applied: file created", summary: "1 change applied in /w/a.go"},
		{name: "a renamed file", outcome: Outcome{Set: whole(ledger.Rename, ledger.Accepted)}, want: "/w/a.go:\n- applied: file renamed to /w/b.go", summary: "1 change applied in /w/a.go"},
		{name: "a rejected deletion", outcome: Outcome{Set: whole(ledger.Delete, ledger.Rejected)}, want: noAgain + "/w/a.go:\n- rejected by the user: delete the file", summary: "1 rejected in /w/a.go"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.outcome.Text = liveText
			r := Result(tt.outcome)
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

func TestResultIsBounded(t *testing.T) {
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
	r := Result(Outcome{Set: proposed("/w/a", base.String(), text.String(), states...), Comments: []string{strings.Repeat("y", 100_000)}, Text: liveText})
	if len(r.Output) > 64<<10 || !strings.Contains(r.Output, "Output truncated") {
		t.Errorf("%d bytes", len(r.Output))
	}
}
