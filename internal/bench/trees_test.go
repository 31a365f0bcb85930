package bench

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/diff"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/ide/walk"
	"github.com/emendo-dev/emendo/tools"
)

var kept = flag.String("tree", "", "keep the tree that is searched in this folder for the next time")

const (
	treeFiles = 100_000
	needles   = 20
)

// sourceTree makes 100,000 files of 2.6 KB on average that read like source
// code, in 5,000 folders; a few contain matches.
func sourceTree(tb testing.TB) string {
	tb.Helper()
	top := *kept
	if top == "" {
		top = tb.TempDir()
	} else if _, err := os.Stat(filepath.Join(top, ".git")); err == nil {
		return top
	}
	must := func(err error) {
		if err != nil {
			tb.Fatal(err)
		}
	}
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same each time
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
	const folders = treeFiles / 20
	for i := range folders {
		dir := filepath.Join(top, fmt.Sprintf("module%02d/package%02d/part%d", i/200, i/10%20, i%10))
		must(os.MkdirAll(dir, 0o750))
		for j := range 20 {
			from := r.IntN(len(text) - 6000)
			body := text[from : from+600+r.IntN(4000)]
			if (i*20+j)%(treeFiles/needles) == 77 {
				body += "\n\tNEEDLE_abc_xyz42 := handler product mutex\n"
			}
			must(os.WriteFile(filepath.Join(dir, fmt.Sprintf("source_%d.go", j)), []byte(body), 0o600))
		}
	}
	must(os.Mkdir(filepath.Join(top, ".git"), 0o750)) // last, as a mark that the tree is complete
	return top
}

// world is a workspace for tools.
func world(b *testing.B, top string) tools.Env {
	b.Helper()
	tree, err := disk.NewTree([]string{top})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { tree.Close() })
	return tools.Env{Dir: tree.Folders()[0], IgnoreGit: true, IgnoreEmendo: true, Snapshot: ide.NewWorkspace(tree, ide.UTF16).Snapshot()}
}

// using runs a tool and returns its time.
func using(b *testing.B, env tools.Env, t tools.Tool, args map[string]any, want string) func() time.Duration {
	b.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		b.Fatal(err)
	}
	return func() time.Duration {
		began := time.Now()
		a, err := t.Prepare(b.Context(), env, raw)
		if err != nil {
			b.Fatal(err)
		}
		r := a.Run(b.Context(), nil)
		took := time.Since(began)
		if r.Err != nil || !strings.Contains(r.Output, want) {
			b.Fatalf("%v %.200s", r.Err, r.Output)
		}
		return took
	}
}

// command runs another program that does the same and returns its time; nil if it is
// not installed. It ignores the exit status, which is 1 for a diff with differences.
func command(b *testing.B, name string, args ...string) func() time.Duration {
	b.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		return nil
	}
	return func() time.Duration {
		began := time.Now()
		out, err := exec.CommandContext(b.Context(), path, args...).Output()
		took := time.Since(began)
		if len(out) == 0 {
			b.Fatalf("%s %s finds nothing: %v", name, args, err)
		}
		return took
	}
}

// against measures ours next to another program, which may not be installed.
func against(f figure, times int, ours, other func() time.Duration) figure {
	f.times, f.unit = true, "ms"
	if other == nil {
		f.value, _ = inTurn(times, ours, func() time.Duration { return 0 })
		return f
	}
	ours() // warm the disk's cache for both
	other()
	f.value, f.floor = inTurn(times, ours, other)
	return f
}

func search(b *testing.B) []figure {
	top := sourceTree(b)
	env := world(b, top)
	var l []figure
	for _, c := range []struct {
		name, pattern, flag string
	}{
		{"a literal, whatever its case", `needle_abc`, "--ignore-case"},
		{"a pattern with a literal part", `handler\s+\w+duct\s+mutex`, "--case-sensitive"},
	} {
		ours := using(b, env, tools.GrepSearch, map[string]any{"pattern": c.pattern, "case_sensitive": c.flag == "--case-sensitive"}, fmt.Sprintf("Found %d matches", needles))
		other := command(b, "rg", "--hidden", "--line-number", c.flag, c.pattern, top)
		l = append(l, against(figure{name: "search of 100,000 files: " + c.name, beside: "rg", budget: 1.3}, 7, ours, other))
	}
	return append(l, figure{
		name: "end of such a search after a cancel, the longest", unit: "ms", budget: 50,
		value: ending(b, env, tools.GrepSearch, map[string]any{"pattern": `[A-Z]{6}_[a-z]{3}\w`}),
	})
}

// ending returns how long a tool takes to return after it was cancelled, the longest of
// several times spread over its work.
func ending(b *testing.B, env tools.Env, t tools.Tool, args map[string]any) float64 {
	b.Helper()
	const times = 20
	raw, err := json.Marshal(args)
	if err != nil {
		b.Fatal(err)
	}
	whole := using(b, env, t, args, "")()
	longest := time.Duration(0)
	for i := range times {
		ctx, cancel := context.WithCancel(b.Context())
		a, err := t.Prepare(ctx, env, raw)
		if err != nil {
			b.Fatal(err)
		}
		cancelled := make(chan time.Time, 1)
		time.AfterFunc(whole*time.Duration(i)/times, func() {
			cancelled <- time.Now()
			cancel()
		})
		a.Run(ctx, nil)
		ended := time.Now()
		longest = max(longest, ended.Sub(<-cancelled)) // below 0 if it ended before
	}
	return ms(longest)
}

// listing measures listing the names of the same files: all of them, and those that
// match a glob, newest first.
func listing(b *testing.B) []figure {
	top := sourceTree(b)
	env := world(b, top)
	tree := env.Snapshot.Tree()
	list := func() time.Duration {
		began := time.Now()
		at, err := tree.Resolve(".")
		if err != nil {
			b.Fatal(err)
		}
		rules, err := ignore.Load(b.Context(), tree, at, ignore.Options{})
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for _, err := range walk.Files(b.Context(), tree, at, walk.Options{Rules: rules, Exclude: walk.DefaultExclude}) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != treeFiles {
			b.Fatalf("%d files", n)
		}
		return time.Since(began)
	}
	glob := using(b, env, tools.Glob, map[string]any{"pattern": "**/part3/source_7.go"}, "source_7.go")
	return []figure{
		against(figure{name: "list of the same files", beside: "rg --files", budget: 1.3}, 11, list, command(b, "rg", "--files", "--hidden", top)),
		against(figure{name: "glob over them", beside: "rg --files -g", budget: 1.3}, 11, glob, command(b, "rg", "--files", "--hidden", "-g", "**/part3/source_7.go", top)),
		{name: "end of such a glob after a cancel, the longest", unit: "ms", budget: 50, value: ending(b, env, tools.Glob, map[string]any{"pattern": "**/part3/source_7.go"})},
	}
}

// differences measures the diff of two files of 10,000 lines, of which one in a
// hundred, and half, have changed.
func differences(b *testing.B) []figure {
	dir := b.TempDir()
	old := code(10_000)
	var l []figure
	for _, hunks := range []int{100, 5000} {
		now := changed(old, hunks)
		from, to := filepath.Join(dir, "old.go"), filepath.Join(dir, fmt.Sprintf("new%d.go", hunks))
		for name, text := range map[string]string{from: old, to: now} {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				b.Fatal(err)
			}
		}
		ours := func() time.Duration {
			began := time.Now()
			if out := diff.Unified("old.go", "new.go", old, now); out == "" {
				b.Fatal("no difference is found")
			}
			return time.Since(began)
		}
		f := figure{name: fmt.Sprintf("diff of 10,000 lines, %d changed", hunks), beside: "git diff", budget: 1.5}
		l = append(l, against(f, 15, ours, command(b, "git", "diff", "--no-index", from, to)))
	}
	return l
}
