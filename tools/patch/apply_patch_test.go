package patch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/patch"
)

// patched returns what a patch proposes, a file a line: the operation, the name and the
// bytes; or the error that the model reads.
func (w *world) patched(text string) (tools.Edits, string) {
	w.t.Helper()
	args, err := json.Marshal(map[string]string{"patch": strings.ReplaceAll(text, "DIR", w.dir)})
	if err != nil {
		w.t.Fatal(err)
	}
	a, err := patch.Tool.Prepare(context.Background(), w.env(), args)
	var e *tools.Error
	switch {
	case errors.As(err, &e):
		return tools.Edits{}, string(e.Type) + ": " + strings.ReplaceAll(e.Message, w.dir, "DIR")
	case err != nil:
		w.t.Fatal(err)
	}
	edits := a.Effect.(tools.Edits)
	var out strings.Builder
	for _, f := range edits.Files {
		data, err := disk.Encode(f.New, f.Base.Format)
		if err != nil {
			w.t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s %s %q", f.Op, w.Near(f.Path), data)
		if f.NewPath != "" {
			fmt.Fprintf(&out, " to %s", w.Near(f.NewPath))
		}
		out.WriteString("\n")
	}
	return edits, out.String()
}

const (
	letters = "a\nb\nc\nd\ne\nf\ng\nh\n"
	twice   = "def one():\n    x = 1\n    return x\n\ndef two():\n    x = 1\n    return x\n"
)

func TestApplyPatch(t *testing.T) {
	update := func(body string) string {
		return "*** Begin Patch\n*** Update File: a.txt\n" + body + "*** End Patch"
	}
	for _, tt := range []struct{ name, file, patch, want string }{
		// Both forms.
		{"a unified diff", letters, "--- a/a.txt\n+++ b/a.txt\n@@ -2,3 +2,3 @@\n b\n-c\n+C\n d\n", `modify a.txt "a\nb\nC\nd\ne\nf\ng\nh\n"`},
		{"git's form of it", letters, "diff --git a/a.txt b/a.txt\nindex 1..2 100644\n--- a/a.txt\n+++ b/a.txt\n@@ -2,3 +2,3 @@ x\n b\n-c\n+C\n d\n", `modify a.txt "a\nb\nC\nd\ne\nf\ng\nh\n"`},
		{"the other form", letters, update("@@\n b\n-c\n+C\n d\n"), `modify a.txt "a\nb\nC\nd\ne\nf\ng\nh\n"`},
		{"several hunks", letters, update("@@\n-a\n+A\n@@\n-h\n+H\n"), `modify a.txt "A\nb\nc\nd\ne\nf\ng\nH\n"`},
		{"without a first @@", letters, update(" b\n-c\n+C\n"), `modify a.txt "a\nb\nC\nd\ne\nf\ng\nh\n"`},
		{"a deleted line", letters, update(" b\n-c\n"), `modify a.txt "a\nb\nd\ne\nf\ng\nh\n"`},
		{"lines added in the middle", letters, update(" b\n+x\n+y\n c\n"), `modify a.txt "a\nb\nx\ny\nc\nd\ne\nf\ng\nh\n"`},
		{"lines added at the end", letters, update("@@\n+i\n"), `modify a.txt "a\nb\nc\nd\ne\nf\ng\nh\ni\n"`},
		// Line ends.
		{"a file with CRLF", "a\r\nb\r\nc\r\n", update(" a\n-b\n+B\n+x\n"), `modify a.txt "a\r\nB\r\nx\r\nc\r\n"`},
		{"a patch with CRLF", "a\nb\nc\n", strings.ReplaceAll(update(" a\n-b\n+B\n"), "\n", "\r\n"), `modify a.txt "a\nB\nc\n"`},
		{"no line end at the end", "a\nb", update(" a\n-b\n+B\n"), `modify a.txt "a\nB"`},
		{"lines after a last line without an end", "a\nb", update(" b\n+c\n"), `modify a.txt "a\nb\nc"`},
		{"lines at the end of such a file", "a\nb", update("@@\n+c\n"), `modify a.txt "a\nb\nc"`},
		{"a line end that is added", "a\nb", "--- a.txt\n+++ a.txt\n@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+b\n", `modify a.txt "a\nb\n"`},
		{"a line end that is removed", "a\nb\n", "--- a.txt\n+++ a.txt\n@@ -2 +2 @@\n-b\n+b\n\\ No newline at end of file\n", `modify a.txt "a\nb"`},
		{"such a mark in the middle of a file", "a\nb\nc\n", "--- a.txt\n+++ a.txt\n@@ -2 +2 @@\n-b\n+B\n\\ No newline at end of file\n", `modify a.txt "a\nB\nc\n"`},
		{"and on the other side", "a\nb\nc\n", "--- a.txt\n+++ a.txt\n@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+B\n", `modify a.txt "a\nB\nc\n"`},
		// Garbled ones.
		{"wrong counts", letters, "--- a/a.txt\n+++ b/a.txt\n@@ -40,30 +7,99 @@\n b\n-c\n+C\n d\n", `modify a.txt "a\nb\nC\nd\ne\nf\ng\nh\n"`},
		{"no numbers", letters, "--- a.txt\n+++ a.txt\n@@ ... @@\n b\n-c\n+C\n", `modify a.txt "a\nb\nC\nd\ne\nf\ng\nh\n"`},
		{"a header of two signs", letters, "--- a.txt\n+++ a.txt\n@@\n b\n-c\n+C\n", `modify a.txt "a\nb\nC\nd\ne\nf\ng\nh\n"`},
		{"numbers in the other form", letters, update("@@ -1,7 +1,9 @@\n b\n-c\n+C\n"), `modify a.txt "a\nb\nC\nd\ne\nf\ng\nh\n"`},
		{"lost spaces before unchanged lines", letters, "--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\nb\n-c\n+C\nd\n-e\n+E\n", `modify a.txt "a\nb\nC\nd\nE\nf\ng\nh\n"`},
		{"lost spaces in the other form", letters, update("@@\nb\n-c\n+C\nd\n-e\n+E\n"), `modify a.txt "a\nb\nC\nd\nE\nf\ng\nh\n"`},
		{"empty lines without a space", "a\n\nb\n", update("@@\n a\n\n-b\n+B\n\n"), `modify a.txt "a\n\nB\n"`},
		{"other white space", "if x {\n\treturn 1\n}\n", update(" if x {\n-    return 1\n+    return 2\n }\n"), `modify a.txt "if x {\n\treturn 2\n}\n"`},
		{"typographic quotes", "say(\"hi\")\nx\n", update("-say(“hi”)\n+say(“ho”)\n"), `modify a.txt "say(\"ho\")\nx\n"`},
		// Where it is.
		{"two places and a function's name", twice, update("@@ def two():\n-    x = 1\n+    x = 2\n"), `modify a.txt "def one():\n    x = 1\n    return x\n\ndef two():\n    x = 2\n    return x\n"`},
		{"the first place after a name", twice, update("@@ def one():\n-    x = 1\n+    x = 2\n"), `modify a.txt "def one():\n    x = 2\n    return x\n\ndef two():\n    x = 1\n    return x\n"`},
		{"a class and a function", twice + "class C:\n    def two():\n        x = 1\n", update("@@ class C:\n@@ def two():\n-    x = 1\n+    x = 2\n"), `modify a.txt "def one():\n    x = 1\n    return x\n\ndef two():\n    x = 1\n    return x\nclass C:\n    def two():\n        x = 2\n"`},
		{"two places and the right line", twice, "--- a.txt\n+++ a.txt\n@@ -6 +6 @@\n-    x = 1\n+    x = 2\n", `modify a.txt "def one():\n    x = 1\n    return x\n\ndef two():\n    x = 2\n    return x\n"`},
		{"two places and the end of the file", twice, update("-    return x\n+    return y\n*** End of File\n"), `modify a.txt "def one():\n    x = 1\n    return x\n\ndef two():\n    x = 1\n    return y\n"`},
		{"two places, one before an earlier hunk", twice, update("@@\n-def two():\n+def zwei():\n@@\n-    x = 1\n+    x = 2\n"), `modify a.txt "def one():\n    x = 1\n    return x\n\ndef zwei():\n    x = 2\n    return x\n"`},
		{"two places", twice, update("-    x = 1\n+    x = 2\n"), "edit_expected_occurrence_mismatch: cannot edit a.txt: hunk 1 of 1 does not fit: its old lines are in the file several times. ..."},
		{"two places and a wrong line", twice, "--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-    x = 1\n+    x = 2\n", "edit_expected_occurrence_mismatch: ..."},
		{"a part of a line does not match", "max = 1\n", update("-x = 1\n+y = 1\n"), "edit_no_occurrence_found: ..."},
		{"no such lines", letters, update(" b\n-x\n+C\n"), "edit_no_occurrence_found: cannot edit a.txt: hunk 1 of 1 does not fit: its old lines are not in the file. Read the file again if it may have changed, and give its lines exactly. Nothing of this file was changed.\nNearest passage:\n    2\tb\n    3\tc\nLine 3 has \"c\" where the patch has \"x\"."},
		{"one hunk that does not fit", letters, update("@@\n-a\n+A\n@@\n-x\n+X\n@@\n-y\n+Y\n"), "edit_no_occurrence_found: cannot edit a.txt: hunk 2 of 3 does not fit: ..."},
		{"only added lines after a name", letters, update("@@ b\n+x\n"), "edit_preparation_failure: cannot edit a.txt: hunk 1 of 1 does not fit: it has only added lines: ..."},
		{"no change", letters, update(" b\n c\n"), "edit_no_change: ..."},
		{"what is there already", letters, update("-x\n+c\n+d\n"), "edit_no_occurrence_found: cannot edit a.txt: hunk 1 of 1 does not fit: the file already has its new lines. ..."},
		{"text left out", letters, update(" b\n-c\n+// ... existing code ...\n"), "invalid_tool_params: cannot write a.txt: the new text has what looks like a placeholder..."},
		// Names.
		{"an absolute name", letters, "*** Update File: DIR/a.txt\n-a\n+A\n", `modify a.txt "A\nb\nc\nd\ne\nf\ng\nh\n"`},
		{"a prefix in the other form", letters, "*** Update File: a/a.txt\n-a\n+A\n", `modify a.txt "A\nb\nc\nd\ne\nf\ng\nh\n"`},
		{"a time after the name", letters, "--- a.txt\t2026-01-01 10:00:00\n+++ a.txt\tnow\n@@ -1 +1 @@\n-a\n+A\n", `modify a.txt "A\nb\nc\nd\ne\nf\ng\nh\n"`},
		{"only the old name exists", letters, "--- a.txt\n+++ a.new\n@@ -1 +1 @@\n-a\n+A\n", `modify a.txt "A\nb\nc\nd\ne\nf\ng\nh\n"`},
		{"a missing file", "", "*** Update File: zz.txt\n-a\n+A\n", "file_not_found: cannot change zz.txt: ..."},
		{"outside", "", "*** Add File: ../x.txt\n+a\n", "path_not_in_workspace: ..."},
		// Around it.
		{"a fence", letters, "Here it is:\n```diff\n--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-a\n+A\n```\nThat is all.", `modify a.txt "A\nb\nc\nd\ne\nf\ng\nh\n"`},
		{"a here-document", letters, "apply_patch <<'EOF'\n" + update("-a\n+A\n") + "\nEOF\n", `modify a.txt "A\nb\nc\nd\ne\nf\ng\nh\n"`},
		{"a fence around the other form, without its end", letters, "```\n*** Begin Patch\n*** Update File: a.txt\n-a\n+A\n```", `modify a.txt "A\nb\nc\nd\ne\nf\ng\nh\n"`},
		{"the end of a mail", letters, "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+A\n-- \n2.39.5\n\n", `modify a.txt "A\nb\nc\nd\ne\nf\ng\nh\n"`},
		{"no patch", "", "please change a.txt", "invalid_tool_params: cannot read the patch: there is no patch in it: ..."},
		{"a hunk of no file", "", "@@ -1 +1 @@\n-a\n+b\n", "invalid_tool_params: cannot read the patch: ..."},
		{"an unknown line", letters, update("-a\n+A\n*** Rename File: b\n"), "invalid_tool_params: cannot read the patch: line 5: ..."},
		// Whole files.
		{"a new file", "", "*** Begin Patch\n*** Add File: d/new.txt\n+one\n+\n+two\n*** End Patch\n", `create d/new.txt "one\n\ntwo\n"`},
		{"a new file of a diff", "", "--- /dev/null\n+++ b/d/new.txt\n@@ -0,0 +1,9 @@\n+one\n+two\n", `create d/new.txt "one\ntwo\n"`},
		{"a new file by added lines alone", "", "--- a/d/new.txt\n+++ b/d/new.txt\n@@ -0,0 +1 @@\n+one\n", `create d/new.txt "one\n"`},
		{"a new file without marks", "", "*** Add File: new.txt\none\ntwo\n*** End Patch", `create new.txt "one\ntwo\n"`},
		{"a new file with a line that lacks its mark", "", "*** Add File: new.txt\n+one\ntwo\n", "invalid_tool_params: cannot read the patch: ..."},
		{"a new file that exists", letters, "*** Add File: a.txt\n+one\n", "attempt_to_create_existing_file: cannot create a.txt: ..."},
		{"a deletion", letters, "*** Delete File: a.txt\n", `delete a.txt ""`},
		{"a deletion of a diff", letters, "diff --git a/a.txt b/a.txt\ndeleted file mode 100644\nindex 1..0\n--- a/a.txt\n+++ /dev/null\n@@ -1,8 +0,0 @@\n-a\n", `delete a.txt ""`},
		{"a move", letters, "*** Update File: a.txt\n*** Move to: d/b.txt\n", `rename a.txt "a\nb\nc\nd\ne\nf\ng\nh\n" to d/b.txt`},
		{"a move with a change", letters, "*** Update File: a.txt\n*** Move to: d/b.txt\n@@\n-a\n+A\n", "delete a.txt \"\" to d/b.txt\ncreate d/b.txt \"A\\nb\\nc\\nd\\ne\\nf\\ng\\nh\\n\""},
		{"a move of git's", letters, "diff --git a/a.txt b/b.txt\nrename from a.txt\nrename to b.txt\n", `rename a.txt "a\nb\nc\nd\ne\nf\ng\nh\n" to b.txt`},
		{"a copy of git's", letters, "diff --git a/a.txt b/b.txt\nsimilarity index 100%\ncopy from a.txt\ncopy to b.txt\n", "invalid_tool_params: cannot read the patch: ..."},
		{"a file twice", letters, "*** Update File: a.txt\n-a\n+A\n*** Update File: a.txt\n-h\n+H\n", `modify a.txt "A\nb\nc\nd\ne\nf\ng\nH\n"`},
		{"a file changed and deleted", letters, "*** Update File: a.txt\n-a\n+A\n*** Delete File: a.txt\n", "modify a.txt \"A\\nb\\nc\\nd\\ne\\nf\\ng\\nh\\n\"..."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{"d/": ""}
			if tt.file != "" {
				files["a.txt"] = tt.file
			}
			w := newWorld(t, files)
			if _, got := w.patched(tt.patch); !matches(strings.TrimSuffix(got, "\n"), tt.want) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestAPatchOfSeveralFilesProposesThoseThatFit(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": letters, "b.txt": "x\n", "c.txt": "y\n"})
	e, got := w.patched("*** Update File: a.txt\n-a\n+A\n*** Update File: b.txt\n-nope\n+X\n*** Delete File: c.txt\n*** Update File: none.txt\n-a\n+b\n")
	if want := "modify a.txt \"A\\nb\\nc\\nd\\ne\\nf\\ng\\nh\\n\"\ndelete c.txt \"\"\n"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, want := range []string{"cannot edit b.txt: hunk 1 of 1 does not fit", "Nearest passage:\n    1\tx\n", "cannot change none.txt: no such file"} {
		if !strings.Contains(e.Left, want) {
			t.Errorf("%q is not in %q", want, e.Left)
		}
	}
	parts := []tools.Part{
		{Tool: "replace", Args: json.RawMessage(`{"file_path":"a.txt","new_string":"A\n","old_string":"a\n"}`)},
		{Tool: "delete_file", Args: json.RawMessage(`{"file_path":"c.txt"}`)},
	}
	if !slices.EqualFunc(e.Parts, parts, func(a, b tools.Part) bool { return a.Tool == b.Tool && string(a.Args) == string(b.Args) }) {
		t.Errorf("parts %s", e.Parts)
	}
}

func TestAPatchQuotesNoHiddenFile(t *testing.T) {
	w := newWorld(t, map[string]string{".env": "KEY=hunter2\nA=1\n", "a.txt": letters})
	if _, got := w.patched("*** Update File: .env\n-KEY=x\n+KEY=y\n"); strings.Contains(got, "hunter2") || !strings.HasPrefix(got, "edit_no_occurrence_found: ") {
		t.Errorf("got %s", got)
	}
	e, _ := w.patched("*** Update File: .env\n-KEY=hunter2\n+KEY=y\n*** Update File: a.txt\n-a\n+A\n")
	if len(e.Files) != 2 || !e.Hides(e.Files[0]) || e.Hides(e.Files[1]) {
		t.Errorf("got %+v", e.Hidden)
	}
}

func TestAPatchIsAskedBackAboutAPlaceholderOnce(t *testing.T) {
	w := newWorld(t, map[string]string{"a.go": "package a\n\nfunc f() {\n}\n", "b.txt": "x\n"})
	var doubts tools.Doubts
	w.Doubts = &doubts
	text := "*** Update File: a.go\n func f() {\n+\t// ... existing code ...\n }\n*** Update File: b.txt\n-x\n+X\n"
	e, got := w.patched(text)
	if got != "modify b.txt \"X\\n\"\n" || !strings.Contains(e.Left, "placeholder") || len(e.Doubts) == 0 {
		t.Errorf("got %s, left %q", got, e.Left)
	}
	doubts.Add(&tools.Error{Doubts: e.Doubts})
	if e, _ = w.patched(text); len(e.Files) != 2 || e.Left != "" {
		t.Errorf("the second time: %d files, left %q", len(e.Files), e.Left)
	}
}

func TestPatchOfOpenText(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "disk\n"})
	w.open("a.txt", "unsaved\n")
	e, _ := w.patched("*** Update File: a.txt\n-unsaved\n+changed\n")
	if len(e.Files) != 1 || e.Files[0].Op != ledger.Modify || e.Files[0].New != "changed\n" || e.Files[0].Base.Document == nil {
		t.Errorf("got %+v", e.Files)
	}
}
