package gitdir_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/git"
	"github.com/emendo-dev/emendo/internal/gitdir"
)

// FuzzConfig compares the parser with git: every setting that git reads is
// found here too.
func FuzzConfig(f *testing.F) {
	for _, text := range []string{
		"[core]\n\tfsmonitor = ./evil\n",
		"[core] fsmonitor = ./evil\n",
		"[ CORE]\nfsmonitor=x\n", "[core ]\nfsmonitor=x\n", "[core]fsmonitor=x",
		"\ufeff[core]\n\tpager = x # y ; z\n",
		"[core]\r\n\tpager = x\r\n",
		"[core]\n\tpager = a\\\n  b\\\n\tc\n",
		"[core]\n\tpager = \"a # b\" c\n", "[core]\n\tpager = a\\tb\\nc\\\"d\\\\\n", "[core]\n\tpager = \"a\\\nb\"\n",
		"[filter \"a b\"]\n\tclean = x\n", "[filter \"a\\\"b\\\\c\"]\n\tclean = x\n", "[filter \"a]b\"]\n\tclean = x\n", "[filter \"a\\b\"] clean = x\n",
		"[filter.A.b]\n\tclean = x\n", "[filter]\n\tclean\n", "[alias]\n\tx = !evil\n\ty\n",
		"# [core]\n; x\n[core] # pager = y\n\tpager = z\n", "[core]\n\tpager =\n\teditor\n", "[a]\nb = 1\n[core]\n\n\n   pager=x   \n",
		"[core]\n\tpager = x\\\n", "[core \"x\"]\n\tpager = \"\"\n", "[core]\n\tpager = a;b\n", "[core]\n\tpager = a\\",
		"[core]\n\tpager = one\n# a comment that goes on \\\n\tfsmonitor = ./evil\n",
	} {
		f.Add(text)
	}
	g := git.Find([]string{"HOME=" + f.TempDir(), "PATH=" + os.Getenv("PATH")}, nil)
	if !g.Found() {
		f.Fatal("this test needs git: install it")
	}
	file := filepath.Join(f.TempDir(), "config")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsRune(text, 0) {
			return // git stops there
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := g.Run(t.Context(), filepath.Dir(file), nil, "config", "--null", "--no-includes", "--list", "--file", file)
		if err != nil {
			return // git reads nothing of it, and runs nothing
		}
		var ours []string
		for _, e := range gitdir.ParseConfig(text) {
			ours = append(ours, e.Name()+" = "+e.Value)
		}
		for setting := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			name, value, given := strings.Cut(setting, "\n")
			if !given {
				value = "true"
			}
			if name != "" && !slices.Contains(ours, name+" = "+value) {
				t.Errorf("git reads %q of %q; we read %q", setting, text, ours)
			}
		}
	})
}
