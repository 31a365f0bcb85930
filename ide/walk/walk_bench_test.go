package walk

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
)

// largeTree makes a git repository of 100,000 files in 5,000 folders, a
// twentieth of them ignored.
func largeTree(tb testing.TB) *disk.Tree {
	tb.Helper()
	top := tb.TempDir()
	must := func(err error) {
		if err != nil {
			tb.Fatal(err)
		}
	}
	must(os.Mkdir(filepath.Join(top, ".git"), 0o755))
	must(os.WriteFile(filepath.Join(top, ".gitignore"), []byte("node_modules/\n*.o\n*.log\n/dist\nbuild/\n.env\n*.py[co]\ndocs/_build/\n**/target/\n!important.log\n.DS_Store\n"), 0o644))
	for i := range 5000 {
		dir := filepath.Join(top, fmt.Sprintf("module%02d/package%02d/part%d", i/200, i/10%20, i%10))
		must(os.MkdirAll(dir, 0o755))
		for j := range 20 {
			name := fmt.Sprintf("source_file_%d.go", j)
			if j == 19 {
				name = "object.o"
			}
			must(os.WriteFile(filepath.Join(dir, name), nil, 0o644))
		}
	}
	tree, err := disk.NewTree([]string{top})
	must(err)
	tb.Cleanup(func() { tree.Close() })
	return tree
}

// Compare with rg --files --hidden in such a tree.
func BenchmarkFiles100k(b *testing.B) {
	tree := largeTree(b)
	p, err := tree.Resolve(".")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("walk", func(b *testing.B) {
		for b.Loop() {
			rules, err := ignore.Load(b.Context(), tree, p, ignore.Options{})
			if err != nil {
				b.Fatal(err)
			}
			n := 0
			for _, err := range Files(b.Context(), tree, p, Options{Rules: rules, Exclude: DefaultExclude}) {
				if err != nil {
					b.Fatal(err)
				}
				n++
			}
			if n != 95001 {
				b.Fatalf("%d files", n)
			}
		}
	})
	b.Run("filepath.WalkDir, which ignores nothing", func(b *testing.B) {
		for b.Loop() {
			n := 0
			err := filepath.WalkDir(p.Abs, func(_ string, e fs.DirEntry, err error) error {
				if !e.IsDir() {
					n++
				}
				return err
			})
			if err != nil || n != 100001 {
				b.Fatalf("%d files, %v", n, err)
			}
		}
	})
}
