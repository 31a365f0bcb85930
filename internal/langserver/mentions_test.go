package langserver_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/langserver/langservertest"
)

// Mentioning returns the program's files that contain a word, in their unsaved text. If
// there are too many, it returns none.
func TestMentioning(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files map[string]string
		open  map[string]string
		many  int // further files that mention it
		want  []string
		all   bool
	}{
		{name: "none", files: map[string]string{"a.words": "other"}, all: true},
		{name: "of the program", files: map[string]string{"a.words": "one", "sub/b.words": "x one", "c.txt": "one"}, want: []string{"a.words", "sub/b.words"}, all: true},
		{name: "as they are open", files: map[string]string{"a.words": "one", "b.words": "other"}, open: map[string]string{"a.words": "other", "b.words": "one"}, want: []string{"b.words"}, all: true},
		{name: "as many as there may be", many: 100, all: true},
		{name: "too many", many: 101},
	} {
		t.Run(tt.name, func(t *testing.T) {
			folder, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			write := func(name, text string) {
				path := filepath.Join(folder, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want := tt.want
			for name, text := range tt.files {
				write(name, text)
			}
			for i := range tt.many {
				name := fmt.Sprintf("many%03d.words", i)
				if write(name, "one"); tt.all {
					want = append(want, name)
				}
			}
			tree, err := disk.NewTree([]string{folder})
			if err != nil {
				t.Fatal(err)
			}
			defer tree.Close()
			work := ide.NewWorkspace(tree, ide.UTF16)
			for name, text := range tt.open {
				work.Open(string(ide.FileURI(filepath.Join(folder, name))), "words", 1, text)
			}
			got, all := langservertest.Program("words").Mentioning(t.Context(), work.Snapshot(), []string{folder}, "one")
			for i, path := range got {
				got[i], _ = filepath.Rel(folder, path)
			}
			if slices.Sort(got); !slices.Equal(got, want) || all != tt.all {
				t.Errorf("got %q, %t, want %q, %t", got, all, want, tt.all)
			}
		})
	}
}
