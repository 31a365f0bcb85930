package rewind

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/git"
)

// BenchmarkCommand looks at a repository of 2,000 files before and after a command that changes
// one: with ignored folders of dependencies (20,000 files), and with 200 ignored files of
// 10 KiB each. The first command of a turn, which copies, is not measured.
func BenchmarkCommand(b *testing.B) {
	for _, c := range []struct {
		name   string
		extra  int
		folder string
	}{{"plain", 0, ""}, {"dependencies", 20_000, "node_modules"}, {"ignored", 200, "logs"}} {
		b.Run(c.name, func(b *testing.B) {
			dir := b.TempDir()
			put := func(name, text string) {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
					b.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					b.Fatal(err)
				}
			}
			put(".gitignore", "node_modules/\nlogs/\n")
			for i := range 2000 {
				put(fmt.Sprintf("src/%d/%d.go", i/20, i), "package a\n")
			}
			for i := range c.extra {
				put(fmt.Sprintf("%s/%d/%d.js", c.folder, i/20, i), fmt.Sprintf("%01024d", i))
			}
			g := git.Find([]string{"HOME=" + b.TempDir(), "PATH=" + os.Getenv("PATH")}, nil)
			for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "one"}} {
				cmd := exec.Command("git", args...)
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%s", out)
				}
			}
			tree, err := disk.NewTree([]string{dir})
			if err != nil {
				b.Fatal(err)
			}
			defer tree.Close()
			w := NewStore(b.TempDir(), g).Journal("s").watch("turn", tree)
			n := 0
			command := func() {
				v, err := w.before(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				n++
				put("src/0/0.go", fmt.Sprint(n))
				after(b, w, v)
			}
			command()
			b.ResetTimer()
			for b.Loop() {
				command()
			}
		})
	}
}

func after(b *testing.B, w *Watch, v *view) {
	b.Helper()
	if _, err := w.after(b.Context(), v); err != nil {
		b.Fatal(err)
	}
}
