package langserver_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/langserver"
	"github.com/emendo-dev/emendo/internal/langserver/langservertest"
)

// nameOf returns the name of a file; ten are in a folder.
func nameOf(i int, ext string) string { return fmt.Sprintf("p%d/file%d%s", i/10, i, ext) }

// BenchmarkVerify asks real servers for the problems of a file before and after an edit,
// as in the check of edits. It reports the median in milliseconds, without the first
// edit, which waits for the start of the server.
func BenchmarkVerify(b *testing.B) {
	dir := langservertest.Installed(b)
	for _, bb := range []struct{ program, ext, config, head, function string }{
		{"gopls", ".go", "go.mod", "package x\n\nimport (\n\t\"fmt\"\n\t\"net/http\"\n)\n\n", "func F%d_%d(r *http.Request) string { return fmt.Sprint(r.URL, %d) }\n"},
		{"typescript-language-server", ".ts", "tsconfig.json", "", "export function f%d_%d(a: Map<string, number>): number { return (a.get('x') ?? 0) + %d; }\n"},
	} {
		b.Run(bb.program, func(b *testing.B) {
			folder, err := filepath.EvalSymlinks(b.TempDir())
			if err != nil {
				b.Fatal(err)
			}
			files := map[string]string{"go.mod": "module x\n\ngo 1.24\n", "tsconfig.json": `{"compilerOptions": {"strict": true, "target": "es2022"}}`}
			for name := range files {
				if name != bb.config {
					delete(files, name)
				}
			}
			for i := range 100 {
				var s strings.Builder
				s.WriteString(bb.head)
				for j := range 40 {
					fmt.Fprintf(&s, bb.function, i, j, j)
				}
				files[nameOf(i, bb.ext)] = s.String()
			}
			for name, text := range files {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o755); err != nil {
					b.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
					b.Fatal(err)
				}
			}
			tree, err := disk.NewTree([]string{folder})
			if err != nil {
				b.Fatal(err)
			}
			defer tree.Close()
			work := ide.NewWorkspace(tree, ide.UTF16)
			pool := langserver.NewPool(langserver.Options{Start: started, Environ: []string{"PATH=" + dir}})
			defer pool.Close()
			lease := pool.Lease([]string{folder})
			defer lease.Close()
			i := slices.IndexFunc(langserver.Builtin(), func(p langserver.Program) bool { return p.Name == bb.program })
			edit := func(n int) time.Duration {
				began := time.Now()
				name := nameOf(n%100, bb.ext)
				path := filepath.Join(folder, name)
				old := files[name]
				edited := old + fmt.Sprintf(bb.function, n, 100, n) + fmt.Sprintf("\nvar broken%d = missing\n", n)
				view := langserver.View{Snapshot: work.Snapshot(), Texts: map[string]string{path: old}}
				err := lease.Converse(b.Context(), langserver.Builtin()[i], view, nil, func(ctx context.Context, c *langserver.Conversation) error {
					before, err := c.Diagnostics(ctx, path)
					if err != nil {
						return err
					}
					if err := c.SetTexts(ctx, map[string]string{path: edited}); err != nil {
						return err
					}
					after, err := c.Diagnostics(ctx, path)
					if err == nil && (len(before) > 0 || len(after) == 0) {
						err = fmt.Errorf("%d problems before, %d after", len(before), len(after))
					}
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
				return time.Since(began)
			}
			first := edit(0)
			var took []time.Duration
			for b.Loop() {
				took = append(took, edit(len(took)+1))
			}
			slices.Sort(took)
			b.ReportMetric(float64(first.Milliseconds()), "first-ms")
			b.ReportMetric(float64(took[len(took)/2].Milliseconds()), "median-ms")
			b.ReportMetric(float64(took[len(took)*95/100].Milliseconds()), "p95-ms")
		})
	}
}
