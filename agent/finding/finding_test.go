package finding_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/finding"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/tools"
)

const text = "one\ntwo\nthree\ntwo\n"

// A finding about the second "two" follows its line through typing, undo and whole texts.
func TestFindingsFollowTheirLines(t *testing.T) {
	at := func(line, from, to uint32, text string) ide.Change {
		return ide.Change{Range: &ide.Range{Start: ide.Position{Line: line, Character: from}, End: ide.Position{Line: line, Character: to}}, Text: text}
	}
	for _, tt := range []struct {
		name    string
		changes []ide.Change
		want    []int // the lines on which it is, from zero
	}{
		{name: "nothing", want: []int{3}},
		{name: "a line above", changes: []ide.Change{at(0, 0, 0, "zero\n")}, want: []int{4}},
		{name: "several at once", changes: []ide.Change{at(0, 0, 0, "a\nb\n"), at(2, 0, 3, "")}, want: []int{5}},
		{name: "typing elsewhere", changes: []ide.Change{at(1, 3, 3, "!")}, want: []int{3}},
		{name: "typing in it", changes: []ide.Change{at(3, 1, 1, "x"), at(1, 0, 0, "x")}, want: nil},
		{name: "undone", changes: []ide.Change{at(3, 1, 1, "x"), at(3, 1, 2, "")}, want: []int{3}},
		{name: "gone and put back", changes: []ide.Change{{Range: &ide.Range{Start: ide.Position{Line: 3}, End: ide.Position{Line: 4}}}, at(3, 0, 0, "two\n")}, want: []int{3}},
		{name: "the whole text", changes: []ide.Change{{Text: "two\nsix\n"}}, want: []int{0}},
		{name: "the whole text without it", changes: []ide.Change{{Text: "six\n"}}, want: nil},
		{name: "the whole text without it, then typed", changes: []ide.Change{{Text: "six\n"}, at(1, 0, 0, "two\n")}, want: []int{1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, w := workspace(t)
			l := finding.NewList(w)
			path := filepath.Join(dir, "a.go")
			uri := string(ide.FileURI(path))
			w.Open(uri, "go", 1, text)
			told := 0
			l.Watch(func(changed string) {
				if changed != path {
					t.Errorf("told of %s", changed)
				}
				told++
			})
			l.Add(finding.Finding{ID: "f", SessionID: "s", Finding: tools.Finding{Path: path}, Lines: ide.NewPassage(ide.NewText(text), 3, 3)})
			for i, c := range tt.changes {
				if err := w.Change(uri, int32(i)+2, []ide.Change{c}); err != nil {
					t.Fatal(err)
				}
			}
			var got []int
			for _, f := range l.OfFile(path) {
				got = append(got, f.Lines.First)
			}
			if diff := cmp.Diff(got, tt.want); diff != "" {
				t.Errorf("its lines (-got +want):\n%s", diff)
			}
			if want := 1 + len(tt.changes); told != want {
				t.Errorf("told %d times, want %d", told, want)
			}
			if !l.Remove("f") || l.Remove("f") || len(l.OfSession("s")) != 0 {
				t.Error("it is not removed once")
			}
		})
	}
}

// workspace returns a folder and the workspace of it.
func workspace(t *testing.T) (dir string, w *ide.Workspace) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tree, err := disk.NewTree([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return dir, ide.NewWorkspace(tree, ide.UTF8)
}

// The lines of a closed file are looked for in what is on disk whenever it is read again.
func TestFindingsOfClosedFiles(t *testing.T) {
	dir, w := workspace(t)
	l := finding.NewList(w)
	path := filepath.Join(dir, "a.go")
	l.Add(finding.Finding{ID: "f", Finding: tools.Finding{Path: path}, Lines: ide.NewPassage(ide.NewText(text), 0, 1)})
	for _, tt := range []struct {
		text string
		want []int
	}{{text, []int{0}}, {"zero\n" + text, []int{1}}, {"one\n2\n", nil}, {"1\n2\none\ntwo\n", []int{2}}} {
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		l.Reread(t.Context(), path)
		var got []int
		for _, f := range l.OfFile(path) {
			got = append(got, f.Lines.First)
		}
		if diff := cmp.Diff(got, tt.want); diff != "" {
			t.Errorf("in %q (-got +want):\n%s", tt.text, diff)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	l.Reread(t.Context(), path)
	if f := l.OfFile(path); len(f) != 0 {
		t.Errorf("in a file that is gone there are %+v", f)
	}
	if f := l.OfPath(path); len(f) != 1 {
		t.Errorf("of a file that is gone there are %+v", f)
	}
}

// The last line of a finding does not depend on how lines end.
func TestLastLines(t *testing.T) {
	for text, want := range map[string]int{"a\nb\nc\n": 1, "a\r\nb\r\nc": 1, "a\rb\rc": 1, "a\n\n\n": 1} {
		if got := ide.NewPassage(ide.NewText(text), 0, 1).Last(); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
	if got := ide.NewPassage(ide.NewText("a"), 0, 0).Last(); got != 0 {
		t.Errorf("a text without an end: got %d", got)
	}
}
