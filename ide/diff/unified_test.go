package diff

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestUnified(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{name: "equal texts give nothing", old: "a\n", new: "a\n"},
		{
			name: "a line changed in its context", old: "1\n2\n3\n4\n5\n6\n7\n8\n9\n", new: "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
			want: "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
		},
		{
			name: "no end of the last line", old: "a\nb", new: "a\nc",
			want: "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n",
		},
		{name: "a file made", old: "", new: "a\nb\n", want: "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{name: "a file emptied", old: "a\n", new: "", want: "@@ -1,1 +0,0 @@\n-a\n"},
		{name: "carriage returns are part of lines", old: "a\r\n", new: "a\n", want: "@@ -1,1 +1,1 @@\n-a\r\n+a\n"},
		{name: "a lone one is no line end in a diff", old: "a\rb\n", new: "a\rc\n", want: "@@ -1,1 +1,1 @@\n-a\rb\n+a\rc\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := c.want
			if want != "" {
				want = "--- a/x\n+++ b/x\n" + want
			}
			if got := Unified("a/x", "b/x", c.old, c.new); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestNamesThatAHeaderCannotHoldAreQuoted(t *testing.T) {
	name := "b/a\t\"\\\n+++ b/x ä"
	text := Unified("a/x", name, "a\n", "b\n")
	if want := "--- a/x\n+++ \"b/a\\011\\\"\\\\\\012+++ b/x ä\"\n@@ -1,1 +1,1 @@\n-a\n+b\n"; text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if files, err := Parse(text); err != nil || len(files) != 1 || files[0].NewName != name {
		t.Errorf("got %+v, %v", files, err)
	}
}

func TestPrintedRulesParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old, new := texts().Draw(t, "old"), texts().Draw(t, "new")
		text := Unified("a/x", "b/x", old, new)
		files, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if old == new {
			if len(files) != 0 {
				t.Fatalf("%d files", len(files))
			}
			return
		}
		if len(files) != 1 || files[0].OldName != "a/x" || files[0].NewName != "b/x" {
			t.Fatalf("got %+v", files)
		}
		if got := patched(old, files[0].Hunks); got != new {
			t.Fatalf("the hunks make %q of %q by\n%s", got, old, text)
		}
	})
}

// patched applies hunks at their line numbers.
func patched(old string, hunks []Hunk) string {
	lines := split(old, false)
	var out strings.Builder
	at := 0
	for _, h := range hunks {
		first := h.OldLine - 1
		if h.OldText == "" {
			first++
		}
		out.WriteString(strings.Join(lines[at:first], ""))
		out.WriteString(h.NewText)
		at = first + len(split(h.OldText, false))
	}
	return out.String() + strings.Join(lines[at:], "")
}

func TestGitAppliesWhatIsPrinted(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x")
	for _, c := range [][2]string{
		{"a\nb", "a\n"}, {"a\nb\nc\nd", "A\nb\nc\nd"}, {"", "a"}, {"a", ""}, {"a\nb\nc", "a\nB\nc"}, {"a\r\nb\r\n", "a\r\nc\r\n"}, {"a\n", "a"}, {"a", "a\nb\n"}, {"a\nb\n", "b\n"}, {"-- x\n++ y\n", "++ y\n"},
	} {
		if err := os.WriteFile(file, []byte(c[0]), 0o644); err != nil {
			t.Fatal(err)
		}
		apply := exec.Command("git", "apply", "--whitespace=nowarn", "-")
		apply.Dir, apply.Stdin = dir, strings.NewReader(Unified("a/x", "b/x", c[0], c[1]))
		if out, err := apply.CombinedOutput(); err != nil {
			t.Fatalf("%q to %q: %v: %s", c[0], c[1], err, out)
		}
		if got, _ := os.ReadFile(file); string(got) != c[1] {
			t.Errorf("git makes %q of %q, want %q", got, c[0], c[1])
		}
	}
}

func TestParseRefusesWrongCounts(t *testing.T) {
	_, err := Parse("--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\n-b\n+c\n")
	if err == nil || !strings.Contains(err.Error(), "hunk 1 has 2 old and 2 new lines, but its header says 9 and 9") {
		t.Errorf("got %v", err)
	}
}

// BenchmarkGit measures git with the same texts, including its start.
func BenchmarkGit(b *testing.B) {
	for _, c := range []struct {
		name string
		part float64
	}{{"one percent changed", .01}, {"half changed", .5}, {"all changed", 1}} {
		old, new := big(10000, c.part)
		dir := b.TempDir()
		for name, text := range map[string]string{"old": old, "new": new} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				cmd := exec.Command("git", "diff", "--no-index", "old", "new")
				cmd.Dir = dir
				_, _ = cmd.Output() // it exits with 1 when there is a difference
			}
		})
	}
}

// BenchmarkUnified measures a whole diff.
func BenchmarkUnified(b *testing.B) {
	for _, c := range []struct {
		name string
		part float64
	}{{"one percent changed", .01}, {"half changed", .5}, {"all changed", 1}} {
		old, new := big(10000, c.part)
		b.Run(c.name, func(b *testing.B) {
			changed := 0
			for _, k := range Lines(old, new) {
				changed += k.Old.End - k.Old.Line + k.New.End - k.New.Line
			}
			for b.Loop() {
				Unified("a", "b", old, new)
			}
			b.ReportMetric(float64(changed), "lines")
		})
	}
}
