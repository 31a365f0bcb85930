package ignore

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/ide/disk"
)

func TestRuleOrder(t *testing.T) {
	for _, c := range []struct {
		name    string
		noGit   bool // no repository
		files   map[string]string
		o       Options
		ignored string
		shown   string
	}{
		{
			name:    "git's alone",
			files:   map[string]string{".gitignore": "*.log\n", ".git/info/exclude": "mine\n", "sub/.gitignore": "!keep.log\nx\n"},
			ignored: "a.log mine sub/mine sub/a.log sub/x .git .git/config sub/.git",
			shown:   ". a x sub sub/keep.log keep .gitignore",
		},
		{
			name:    "outside a repository git's rules say nothing",
			noGit:   true,
			files:   map[string]string{".gitignore": "*.log\n", "sub/.gitignore": "x\n", ".geminiignore": "*.tmp\n"},
			ignored: "a.tmp .git/config",
			shown:   "a.log sub/x",
		},
		{
			name:    "later ones re-include what earlier ones ignored",
			files:   map[string]string{".gitignore": "*.log\n*.out\n", ".geminiignore": "!a.log\n*.tmp\n/sub/deep\n", ".emendoignore": "!b.tmp\nc.log\n!c.out\n"},
			ignored: "b.log a.tmp c.log a.out sub/deep sub/deep/x",
			shown:   "a.log sub/a.log b.tmp c.out",
		},
		{
			name:    "what is in an ignored folder stays ignored",
			files:   map[string]string{".gitignore": "build/\n", ".emendoignore": "!keep\n"},
			ignored: "build/ build/keep",
			shown:   "keep build",
		},
		{
			name:    "the options' files lie between, the earlier the stronger",
			files:   map[string]string{".geminiignore": "a\nb\nc\n", "one": "!a\n", "rules/two": "a\n!b\nd\n", ".emendoignore": "!d\n"},
			o:       Options{Files: []string{"one", "rules/two", "missing"}},
			ignored: "c",
			shown:   "a b d",
		},
		{
			name:    "without git's",
			files:   map[string]string{".gitignore": "a\n", ".git/info/exclude": "b\n", ".geminiignore": "c\n", "sub/.gitignore": "d\n"},
			o:       Options{NoGit: true, Global: "e\n"},
			ignored: "c .git",
			shown:   "a b sub/d e",
		},
		{
			name:    "without .geminiignore",
			files:   map[string]string{".gitignore": "a\n", ".geminiignore": "!a\nc\n"},
			o:       Options{NoGemini: true},
			ignored: "a",
			shown:   "c",
		},
		{
			name:    "the global file is the weakest",
			files:   map[string]string{".git/info/exclude": "!a\n"},
			o:       Options{Global: "a\nb\n"},
			ignored: "b",
			shown:   "a",
		},
		{
			name:    "a folder in a rule file's place has no rules",
			files:   map[string]string{".gitignore/x": "", ".geminiignore/x": "", "sub/.gitignore/x": ""},
			ignored: ".git",
			shown:   "a sub/b",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			top, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if !c.noGit {
				top = newRepository(t)
			}
			for _, name := range slices.Sorted(maps.Keys(c.files)) {
				put(t, filepath.Join(top, name), c.files[name])
			}
			tree := newTree(t, top)
			for want, names := range map[bool]string{true: c.ignored, false: c.shown} {
				for name := range strings.FieldsSeq(names) {
					name, isDir := strings.CutSuffix(name, "/")
					p := disk.Path{Abs: top, Root: top, Rel: "."}.Join(name)
					if got, err := Ignored(t.Context(), tree, p, isDir, c.o); err != nil || got != want {
						t.Errorf("%s: got %v, %v; want %v", name, got, err, want)
					}
				}
			}
		})
	}
}

func TestWorkspaceInsideARepositoryHasItsRules(t *testing.T) {
	top := newRepository(t)
	for name, text := range map[string]string{
		".gitignore":             "*.log\n/a/work/sub/one\na/*/two\n",
		"a/.gitignore":           "!b.log\n/work/three\n",
		"a/work/.gitignore":      "/four\n",
		"a/work/sub/.gitignore":  "five\n",
		"a/work/.emendoignore":   "/sub/six\n",
		"a/work/sub/deep/x/file": "",
	} {
		put(t, filepath.Join(top, name), text)
	}
	work := filepath.Join(top, "a/work")
	tree := newTree(t, work)
	at := disk.Path{Abs: work, Root: work, Rel: "."}
	for name, want := range map[string]bool{
		"a.log": true, "b.log": false, "sub/a.log": true, "sub/one": true, "one": false, "two": true, "sub/two": false, "three": true, "sub/three": false,
		"four": true, "sub/four": false, "sub/five": true, "sub/deep/five": true, "five": false, "sub/six": true, "six": false,
	} {
		if got, err := Ignored(t.Context(), tree, at.Join(name), false, Options{}); err != nil || got != want {
			t.Errorf("%s: got %v, %v; want %v", name, got, err, want)
		}
	}
	r, err := Load(t.Context(), tree, at.Join("sub/deep"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Ignored("five", false) || r.Ignored("six", false) || !r.Enter("x", "seven\n").Ignored("seven", false) {
		t.Error("rules loaded for a folder are not those found on the way to it")
	}
}

func TestUnreadableRulesAreAnError(t *testing.T) {
	top := newRepository(t)
	put(t, filepath.Join(top, ".gitignore"), strings.Repeat("x\n", Limit))
	tree := newTree(t, top)
	at := disk.Path{Abs: top, Root: top, Rel: "."}
	if _, err := Load(t.Context(), tree, at, Options{}); !errors.Is(err, disk.ErrTooLarge) {
		t.Errorf("too large: %v", err)
	}
	if _, err := Load(t.Context(), tree, at, Options{NoGit: true, Files: []string{"../out"}}); !errors.Is(err, disk.ErrOutside) {
		t.Errorf("outside: %v", err)
	}
}

func TestLinkedGitignoreIsIgnored(t *testing.T) {
	top := newRepository(t)
	put(t, filepath.Join(top, "rules"), "a\n")
	if err := os.Symlink("rules", filepath.Join(top, ".gitignore")); err != nil {
		t.Logf("no links here: %v", err)
		return
	}
	got, err := Ignored(t.Context(), newTree(t, top), disk.Path{Abs: top, Root: top, Rel: "a"}, false, Options{})
	if err != nil || got {
		t.Errorf("got %v, %v", got, err)
	}
}

// A repository may hold patterns made to keep its reader busy.
func TestNoPatternHangs(t *testing.T) {
	for _, p := range []string{
		strings.Repeat("*a", 60) + "b",
		strings.Repeat("**/", 60) + "b",
		strings.Repeat("**/*a*/", 30) + "b",
		strings.Repeat("*[a]?", 60) + "b",
		strings.Repeat("a**/**a", 40) + "b",
	} {
		text := strings.Repeat("aaaa/", 200) + "c"
		wildmatch(p, text, true)
		wildmatch(p, strings.ReplaceAll(text, "/", "a"), false)
	}
}

func FuzzWildmatchEnds(f *testing.F) {
	f.Add("a/**/[!b-d]*\\?", "a/x/y?")
	f.Add("[[:alpha:]", "a")
	f.Fuzz(func(_ *testing.T, pattern, text string) {
		wildmatch(pattern, text, true)
		wildmatch(pattern, text, false)
		parse(pattern)
	})
}

func BenchmarkIgnored(b *testing.B) {
	r := &Rules{git: &level{list: parse("node_modules/\n*.o\n*.log\n/dist\nbuild/\n.env\n*.py[co]\ndocs/_build/\n**/target/\n!important.log\n.DS_Store\n*.swp\n")}}
	r = r.Enter("src", "").Enter("pkg", "generated_*.go\n")
	for b.Loop() {
		r.Ignored("some_file_name.go", false)
	}
}
