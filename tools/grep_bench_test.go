package tools

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
)

// sourceTree creates 100,000 files of 2.6 KB on average that look like source code,
// in 5,000 folders. A few contain what the benchmarks search for. It is kept for the
// next run in the folder EMENDO_BENCH_TREE, if set.
func sourceTree(tb testing.TB) string {
	tb.Helper()
	top := os.Getenv("EMENDO_BENCH_TREE")
	if top == "" {
		top = tb.TempDir()
	} else if _, err := os.Stat(filepath.Join(top, ".git")); err == nil {
		return top
	}
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("func return if err nil for range string int error context handler request response mutex lock value key index name path file data buffer read write open close test check list map type struct interface package import var const")
	var block strings.Builder
	for range 20_000 {
		block.WriteString(strings.Repeat("\t", r.IntN(4)))
		for range 1 + r.IntN(8) {
			block.WriteString(words[r.IntN(len(words))] + []string{" ", "(", ") ", ".", ", ", " := "}[r.IntN(6)])
		}
		block.WriteByte('\n')
	}
	text := block.String()
	for i := range 5000 {
		dir := filepath.Join(top, fmt.Sprintf("module%02d/package%02d/part%d", i/200, i/10%20, i%10))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			tb.Fatal(err)
		}
		for j := range 20 {
			from := r.IntN(len(text) - 6000)
			body := text[from : from+600+r.IntN(4000)]
			if (i*20+j)%5000 == 77 {
				body += "\n\tNEEDLE_abc_xyz42 := handler product mutex\n"
			}
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("source_%d.go", j)), []byte(body), 0o644); err != nil {
				tb.Fatal(err)
			}
		}
	}
	if err := os.Mkdir(filepath.Join(top, ".git"), 0o755); err != nil {
		tb.Fatal(err)
	}
	return top
}

// Each pattern is searched by grep_search and, if installed, by rg with as many
// threads; the goal is 1.3 times its time.
func BenchmarkGrep100k(b *testing.B) {
	top := sourceTree(b)
	tree, err := disk.NewTree([]string{top})
	if err != nil {
		b.Fatal(err)
	}
	defer tree.Close()
	env := Env{Dir: tree.Folders()[0], IgnoreGit: true, IgnoreEmendo: true, Snapshot: ide.NewWorkspace(tree, ide.UTF16).Snapshot()}
	for _, c := range []struct {
		name, pattern string
		exact         bool
	}{
		{"literal", `NEEDLE_abc`, true},
		{"literal prefix", `NEEDLE_\w+\d`, true},
		{"no case", `needle_abc`, false},
		{"literal inside", `handler\s+\w+duct\s+mutex`, true},
		{"literal at the end", `[a-z]+_xyz\d\d`, true},
		{"no literal", `[A-Z]{6}_[a-z]{3}\w`, true},
	} {
		args, err := json.Marshal(map[string]any{"pattern": c.pattern, "case_sensitive": c.exact})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.name+"/grep_search", func(b *testing.B) {
			for b.Loop() {
				a, err := GrepSearch.Prepare(b.Context(), env, args)
				if err != nil {
					b.Fatal(err)
				}
				if r := a.Run(b.Context(), nil); r.Err != nil || !strings.HasPrefix(r.Output, "Found 20 matches") {
					b.Fatalf("%v %.200s", r.Err, r.Output)
				}
			}
		})
		rg, err := exec.LookPath("rg")
		if err != nil {
			continue
		}
		b.Run(c.name+"/rg", func(b *testing.B) {
			flags := []string{"--hidden", "--line-number", "--case-sensitive", c.pattern, top}
			if !c.exact {
				flags[2] = "--ignore-case"
			}
			for b.Loop() {
				out, err := exec.CommandContext(b.Context(), rg, flags...).Output()
				if err != nil || strings.Count(string(out), "\n") != 20 {
					b.Fatalf("%v %.200s", err, out)
				}
			}
		})
	}
}
