package patch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/tools/match"
	"github.com/emendo-dev/emendo/tools/toolstest"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []File
	}{
		{"several files of a diff", "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@ func f()\n-a\n+b\n\ndiff --git a/y b/y\nnew file mode 100644\n--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+c\n", []File{
			{Path: "x", Others: []string{"x", "b/x", "a/x"}, Hunks: []match.Hunk{{Old: "a\n", New: "b\n", Line: 1, After: []string{"func f()"}}}},
			{Op: Add, Path: "y", Text: "c\n"},
		}},
		{"a removed line that looks like a name", "--- x\n+++ x\n@@ -1,3 +1,1 @@\n a\n--- b\n+++ c\n d\n", []File{
			{Path: "x", Others: []string{"x", "x", "x"}, Hunks: []match.Hunk{{Old: "a\n-- b\nd\n", New: "a\n++ c\nd\n", Line: 1}}},
		}},
		{"a file without a hunk beside one that is deleted", "diff --git a/x b/x\ndeleted file mode 100644\nindex 1..0\ndiff --git a/y b/z\nsimilarity index 90%\nrename from y\nrename to z\n--- a/y\n+++ b/z\n@@ -1 +1 @@\n-a\n+b\n", []File{
			{Op: Delete, Path: "x", Others: []string{"a/x"}},
			{Path: "y", To: "z", Hunks: []match.Hunk{{Old: "a\n", New: "b\n", Line: 1}}},
		}},
		{"two patches of the other form", "*** Begin Patch\n*** Delete File: x\n*** End Patch\nand\n*** Begin Patch\n*** Update File: y\n@@ class A\n@@ def f\n a\n-b\n*** End of File\n*** End Patch\n", []File{
			{Op: Delete, Path: "x"},
			{Path: "y", Hunks: []match.Hunk{{Old: "a\nb\n", New: "a\n", After: []string{"class A", "def f"}, End: true}}},
		}},
		{"names of a diff in the other form", "*** Update File: y\n--- a/y\n+++ b/y\n@@ -3,1 +3,1 @@\n-b\n+c\n", []File{
			{Path: "y", Hunks: []match.Hunk{{Old: "b\n", New: "c\n", Line: 3}}},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Parse(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(got, tt.want); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestSchemas(t *testing.T) {
	toolstest.Schemas(t, map[string]toolstest.Params{Name: Tool})
}

func TestNoPartOfAPatchIsDropped(t *testing.T) {
	for name, text := range map[string]string{
		"a line of no kind":             "*** Update File: a\n-a\n+b\n*** Rename to: c\n",
		"a file without changes":        "*** Update File: a\n*** Update File: b\n-a\n+b\n",
		"a name that is missing":        "*** Update File:\n-a\n+b\n",
		"lines under a deletion":        "*** Delete File: a\nwhy\n-a\n+b\n",
		"a hunk before the first name":  "@@ -1 +1 @@\n-a\n+b\n",
		"a binary file":                 "diff --git a/x b/x\nindex 1..2 100644\nGIT binary patch\nliteral 3\nabc\n",
		"a header that git alone reads": "diff --git a/x b/x\nold mode 100644\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\ndiff --git z\n",
	} {
		if files, err := Parse(text); err == nil {
			t.Errorf("%s: %+v", name, files)
		}
	}
}

// BenchmarkParse reads patches of 3,000 changed lines.
func BenchmarkParse(b *testing.B) {
	var diff, own strings.Builder
	diff.WriteString("--- a\n+++ a\n@@ -1,3000 +1,3000 @@\n")
	own.WriteString("*** Update File: a\n")
	for i := range 3000 {
		fmt.Fprintf(&diff, "-line %d\n+LINE %d\n", i, i)
		fmt.Fprintf(&own, "@@\n-line %d\n+LINE %d\n", i, i)
	}
	for _, c := range []struct{ name, text string }{{"one hunk", diff.String()}, {"many", own.String()}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if files, err := Parse(c.text); err != nil || len(files) != 1 {
					b.Fatal(files, err)
				}
			}
		})
	}
}

// FuzzParse checks that nothing panics, and that every added line of what is read is in
// the patch.
func FuzzParse(f *testing.F) {
	f.Add("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ f\n a\n-b\n+c\n\\ No newline at end of file\n")
	f.Add("diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n")
	f.Add("*** Begin Patch\n*** Update File: x\n*** Move to: y\n@@ f\n a\n\n-b\n+c\n*** End of File\n*** Add File: z\n+a\n*** End Patch\n")
	f.Add("apply_patch <<'EOF'\n```diff\n--- x\t1\n+++ x\r\n@@ ... @@\na\n+b\n```\nEOF")
	f.Fuzz(func(t *testing.T, text string) {
		files, err := Parse(text)
		if err != nil && files != nil {
			t.Fatalf("%v with %v", err, files)
		}
		for _, file := range files {
			if file.Path == "" {
				t.Fatalf("no path in %+v", file)
			}
			for _, h := range file.Hunks {
				for l := range strings.Lines(h.New) {
					if !strings.Contains(strings.ReplaceAll(text, "\r\n", "\n"), strings.TrimSuffix(l, "\n")) {
						t.Fatalf("%q is not in %q", l, text)
					}
				}
			}
		}
	})
}
